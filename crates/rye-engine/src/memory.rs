//! What an engine that lives long remembers from call to call.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use lillux::Digest;
use rye_env::Survey;
use rye_item::{ItemId, ItemRef, Space};
use rye_plan::{AnchorPlace, ToolCopy};
use rye_trust::snapshot::SnapshotStore;

use crate::engine::Call;
use crate::known_chains::KnownChain;
use crate::witness::{Moment, Witness};

/// Answers that hold for as long as nothing happens that they depend on.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) witness: Witness,
    /// The spaces and extractors.
    pub(crate) call: Known<(), Arc<Call>>,
    /// The chains of items.
    pub(crate) chains: Known<ItemRef, Arc<KnownChain>>,
    /// The folder of copies, in which nobody else can write.
    pub(crate) store: Known<(), SnapshotStore>,
    /// Copies of files that stand for themselves, by what is in them and what they are called. They are only named.
    pub(crate) copies: Known<(Digest, String), ToolCopy>,
    /// Where the anchors of tools are, by the content of the executor that declares them.
    pub(crate) anchors: Known<(Digest, Space, ItemId), AnchorPlace>,
    /// Interpreters.
    pub(crate) surveys: Known<SurveyKey, Arc<Survey>>,
    /// Items for which there is no lock file.
    pub(crate) unlocked: Known<ItemRef, ()>,
}

/// What interpreters are looked for: by which files, in whose trust, and with which values in their options.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SurveyKey {
    pub(crate) trust: u64,
    pub(crate) chain: Vec<Digest>,
    pub(crate) values: Vec<String>,
}

/// Answers of one moment.
#[derive(Debug)]
pub(crate) struct Known<K, V>(Mutex<Answers<K, V>>);

#[derive(Debug)]
struct Answers<K, V> {
    moment: Moment,
    by_question: HashMap<K, V>,
}

/// So many answers are kept of a kind.
const MOST: usize = 1024;

impl<K: Eq + Hash, V: Clone> Known<K, V> {
    pub(crate) fn get(&self, moment: Moment, question: &K) -> Option<V> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_current = answers.moment == moment && moment != Moment::NEVER;
        answers.by_question.get(question).filter(|_| is_current).cloned()
    }

    /// Remembers an answer that the witness vouches for in this moment.
    pub(crate) fn put(&self, moment: Moment, question: K, answer: V) {
        if moment == Moment::NEVER {
            return;
        }
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.moment != moment || answers.by_question.len() >= MOST {
            answers.by_question.clear();
            answers.moment = moment;
        }
        answers.by_question.insert(question, answer);
    }
}

impl<K, V> Default for Known<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Answers { moment: Moment::NEVER, by_question: HashMap::new() }))
    }
}
