//! Chains that were followed before.

use std::sync::Arc;

use rye_env::{Consulted, Surveyed};
use rye_item::{ItemId, ItemRef, ReadItem};
use rye_metadata::ExecutorId;
use rye_plan::{Chain, ChainDraft, KnownSurvey, Surveys};

use crate::engine::Call;
use crate::extractors::Entry;
use crate::items::Items;
use crate::memory::SurveyKey;
use crate::trust::Trust;
use crate::{Engine, EngineError};

/// A chain, and the trust in which its items were verified.
#[derive(Debug)]
pub(crate) struct KnownChain {
    trust: u64,
    chain: Chain,
}

/// The interpreters of an engine's chains.
#[derive(Debug)]
pub(crate) struct EngineSurveys<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) call: &'a Call,
    pub(crate) trust: &'a Trust,
}

impl std::ops::Deref for KnownChain {
    type Target = Chain;

    fn deref(&self) -> &Chain {
        &self.chain
    }
}

impl Engine {
    /// The chain of an item. If it was followed before, and every file is where it was, the files are read and hashed again,
    /// and what follows from the very same bytes is not found out once more.
    pub(crate) fn chain(
        &self,
        call: &Call,
        trust: &Trust,
        item: &ItemRef,
    ) -> Result<Arc<KnownChain>, EngineError> {
        let known = self.memory.chains.get(call.moment, item);
        if let Some(known) = known.filter(|known| known.trust == trust.serial && call.still_has(known)) {
            return Ok(known);
        }
        let items = Items { call, verifier: trust.verifier(self) };
        let chain = ChainDraft::explore(item, &items)?.check()?;
        let consulted = call.consulted_for(item, &chain);
        let chain = Arc::new(KnownChain { trust: trust.serial, chain });
        if consulted.is_some_and(|consulted| self.memory.witness.vouches(call.moment, &consulted)) {
            self.memory.chains.put(call.moment, item.clone(), Arc::clone(&chain));
        }
        Ok(chain)
    }
}

impl Call {
    /// Whether the files of a chain have the same bytes as before. That they are the ones which their ids mean is vouched for.
    fn still_has(&self, chain: &Chain) -> bool {
        files_of(chain).all(|file| {
            let root = self.spaces.get(file.space());
            let located = root.and_then(|root| root.locate_file(file.item(), file.extension()).ok()?);
            let read = located.and_then(|located| located.read().ok());
            read.is_some_and(|read| {
                read.bytes().digest() == file.bytes().digest() && read.is_executable() == file.is_executable()
            })
        })
    }

    /// What a chain depends on beside the content of its files: which of them its ids mean, and what they hide. Nothing if
    /// that cannot be told: a bare name may be the name of any file, and what a manifest says is read each time.
    fn consulted_for(&self, item: &ItemRef, chain: &Chain) -> Option<Vec<Consulted>> {
        let mut ids = vec![item.id.clone()];
        for id in asked_ids(chain) {
            ids.push(ItemId::new(id).ok()?);
        }
        let is_signed_itself = |file: &ReadItem| {
            let entry = self.extractors.get(file.space(), file.extension());
            entry.and_then(Entry::signature).is_some()
        };
        if ids.iter().any(ItemId::is_bare) || !files_of(chain).all(is_signed_itself) {
            return None;
        }
        let folders = self.spaces.all().filter(|root| root.bundle().is_none());
        let folders = folders.map(|root| root.kind_path(item.kind));
        Some(
            folders
                .flat_map(|folder| {
                    let below = |id: &ItemId| folder.join(id.parent().unwrap_or_default());
                    ids.iter().map(|id| Consulted::Names(below(id))).collect::<Vec<_>>()
                })
                .collect(),
        )
    }
}

impl Surveys for EngineSurveys<'_> {
    fn get(&self, chain: &Chain, values: Vec<String>, make: &mut dyn FnMut() -> Surveyed) -> KnownSurvey {
        let (memory, moment) = (&self.engine.memory, self.call.moment);
        let chain = chain.links().iter().map(|link| link.verified.item().bytes().digest()).collect();
        let key = SurveyKey { trust: self.trust.serial, chain, values };
        if let Some(survey) = memory.surveys.get(moment, &key) {
            return KnownSurvey { surveyed: Surveyed { survey, problems: Vec::new() }, is_lasting: true };
        }
        let surveyed = make();
        let consulted = surveyed.survey.consulted().filter(|_| surveyed.problems.is_empty());
        let is_lasting = consulted.is_some_and(|consulted| memory.witness.vouches(moment, consulted));
        if is_lasting {
            memory.surveys.put(moment, key, Arc::clone(&surveyed.survey));
        }
        KnownSurvey { surveyed, is_lasting }
    }
}

/// The files of a chain that are not part of the program.
fn files_of(chain: &Chain) -> impl Iterator<Item = &ReadItem> {
    let links = chain.links().iter().chain(chain.helper()).chain(chain.server());
    links.map(|link| link.verified.item()).filter(|file| !file.is_embedded())
}

/// The ids by which the items of a chain name others.
fn asked_ids(chain: &Chain) -> impl Iterator<Item = &str> {
    chain.links().iter().flat_map(|link| {
        let executor = match &link.metadata.executor_id {
            ExecutorId::Id(id) => Some(id.as_str()),
            ExecutorId::Primitive | ExecutorId::Absent => None,
        };
        let helper = link.metadata.worker.as_ref().and_then(|worker| worker.helper.as_ref());
        executor.into_iter().chain(helper.map(|helper| helper.id.as_str())).chain(link.metadata.server_id())
    })
}
