//! Help: what is known about a topic.
//!
//! A topic is a knowledge item below `rye/help`. The program brings some, and every space can add more or shadow those of
//! the spaces below it. Help tells people and agents what to do, so only items that somebody answers for are topics: one
//! that is refused hides nothing, and is named with the reason.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rye_item::{ItemId, ItemKind, ItemRef, Space, SpaceRoot, Spaces, WalkEntry};
use rye_plan::{Element, FindError, Parameters};
use rye_trust::VerifyError;

use crate::engine::Call;
use crate::items::Items;
use crate::similar::similar_ids;
use crate::text_item;
use crate::{Engine, EngineError};

/// Where topics are, among the knowledge of each space.
const FOLDER: &str = "rye/help";
/// Where templates are, each in the folder of what is made of it.
const TEMPLATES: &str = "rye/templates";

/// What there is to say.
#[derive(Debug)]
pub enum HelpAnswer {
    /// Which topics there are.
    Topics(HelpTopics),
    /// One of them.
    Topic(HelpTopic),
}

/// Which topics there are, by name.
#[derive(Debug)]
pub struct HelpTopics {
    /// The topics.
    pub topics: Vec<TopicSummary>,
    /// Items that would be topics if somebody answered for them.
    pub refused: Vec<RefusedTopic>,
}

/// A topic in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicSummary {
    /// What to ask for.
    pub name: String,
    /// What it is about.
    pub description: Option<String>,
    /// The space that it comes from.
    pub space: Space,
    /// The spaces of topics of the same name that it hides.
    pub shadows: Vec<Space>,
}

/// A topic.
#[derive(Debug)]
pub struct HelpTopic {
    /// What it is, and where it comes from.
    pub summary: TopicSummary,
    /// Its heading.
    pub title: Option<String>,
    /// Its text, in Markdown.
    pub text: String,
    /// Items of the same name that nobody answers for.
    pub refused: Vec<RefusedTopic>,
}

/// An item that is not used, because it is refused.
#[derive(Debug)]
pub struct RefusedTopic {
    /// The name that it would have.
    pub name: String,
    /// Its space.
    pub space: Space,
    /// Why it is refused.
    pub error: Arc<VerifyError>,
}

/// What the program itself brings, by folder. That is the same each time.
static KNOWN: Mutex<BTreeMap<String, Vec<TopicSummary>>> = Mutex::new(BTreeMap::new());

/// What a name stands for, and where.
struct Named<'a> {
    id: ItemId,
    /// The files of that name: the space of each, the first one first, and its extension.
    files: Vec<(&'a SpaceRoot, String)>,
}

/// All items of one name.
struct Found {
    /// The one that counts.
    topic: Option<(TopicSummary, Element)>,
    refused: Vec<RefusedTopic>,
}

impl Engine {
    /// Tells about a topic, or which topics there are.
    ///
    /// # Errors
    /// If there is no such topic, or nobody answers for it.
    pub fn help(&self, topic: Option<&str>) -> Result<HelpAnswer, EngineError> {
        self.texts_below(FOLDER, topic)
    }

    /// Which topics there are, if that can be told at once: nobody but the program brings any, and it was asked before.
    #[must_use]
    pub fn known_topics(&self) -> Option<HelpAnswer> {
        self.known_texts(FOLDER).map(HelpAnswer::Topics)
    }

    /// Tells of which templates something can be made, or gives one of them: a knowledge item below
    /// `rye/templates/{of}`, which is found and answered for as a topic of help is.
    ///
    /// # Errors
    /// If there is no such template, or nobody answers for it.
    pub fn template(&self, of: &str, name: Option<&str>) -> Result<HelpAnswer, EngineError> {
        self.texts_below(&format!("{TEMPLATES}/{of}"), name)
    }

    fn texts_below(&self, folder: &str, name: Option<&str>) -> Result<HelpAnswer, EngineError> {
        if name.is_none()
            && let Some(known) = self.known_texts(folder)
        {
            return Ok(HelpAnswer::Topics(known));
        }
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let items = Items { call: &call, verifier: trust.verifier(self) };
        match name {
            None => Ok(HelpAnswer::Topics(all_topics(&items, folder)?)),
            Some(name) => one_topic(&items, folder, name).map(HelpAnswer::Topic),
        }
    }

    fn known_texts(&self, folder: &str) -> Option<HelpTopics> {
        if !are_bundled(&self.spaces().ok()?, folder) {
            return None;
        }
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        Some(HelpTopics { topics: known.get(folder)?.clone(), refused: Vec::new() })
    }
}

/// Whether all texts below a folder are inside the program.
fn are_bundled(spaces: &Spaces, folder: &str) -> bool {
    let (bundled, others): (Vec<_>, Vec<_>) = spaces.all().partition(|root| root.bundle().is_some());
    !bundled.is_empty() && !others.iter().any(|root| root.may_have_folder(ItemKind::Knowledge, folder))
}

fn all_topics(items: &Items<'_>, folder: &str) -> Result<HelpTopics, EngineError> {
    let all = look_up_all(items, folder)?;
    let is_bundled = |topic: &TopicSummary| topic.space == Space::System && topic.shadows.is_empty();
    if are_bundled(&items.call.spaces, folder) && all.topics.iter().all(is_bundled) && all.refused.is_empty()
    {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(folder.to_owned(), all.topics.clone());
    }
    Ok(all)
}

fn look_up_all(items: &Items<'_>, folder: &str) -> Result<HelpTopics, EngineError> {
    let mut all = HelpTopics { topics: Vec::new(), refused: Vec::new() };
    for (name, named) in names(items.call, folder, items.call.spaces.all()) {
        let found = find(items, &name, named)?;
        all.topics.extend(found.topic.map(|(summary, _)| summary));
        all.refused.extend(found.refused);
    }
    Ok(all)
}

fn one_topic(items: &Items<'_>, folder: &str, name: &str) -> Result<HelpTopic, EngineError> {
    let mut names = names(items.call, folder, items.call.spaces.all());
    let Some(wanted) = names.remove(name) else { return Err(not_found(name, &names)) };
    let Found { topic, refused } = find(items, name, wanted)?;
    match (topic, refused.first()) {
        (Some((summary, element)), _) => {
            let text = text_item::render(&element, &Parameters::default())?;
            Ok(HelpTopic { summary, title: element.metadata.title.clone(), text, refused })
        }
        (None, Some(refused)) => Err(EngineError::Refused(Arc::clone(&refused.error))),
        // It went away between listing and reading.
        (None, None) => Err(not_found(name, &names)),
    }
}

fn not_found(name: &str, names: &BTreeMap<String, Named<'_>>) -> EngineError {
    let ids = names.keys().filter_map(|name| ItemId::new(name.as_str()).ok()).collect();
    let similar = ItemId::new(name).map(|wanted| similar_ids(&wanted, ids)).unwrap_or_default();
    let similar = similar.into_iter().map(|id| id.as_str().to_owned()).collect();
    EngineError::TopicNotFound { name: name.to_owned(), similar }
}

/// The names of all topics of some spaces.
fn names<'a>(
    call: &Call,
    folder: &str,
    roots: impl Iterator<Item = &'a SpaceRoot>,
) -> BTreeMap<String, Named<'a>> {
    let mut names = BTreeMap::<String, Named<'a>>::new();
    for root in roots {
        root.walk(ItemKind::Knowledge, folder, call.extractors.extensions(), &mut |entry: &WalkEntry<'_>| {
            let name = entry.id.as_str().strip_prefix(folder).and_then(|name| name.strip_prefix('/'));
            let Some(name) = name else { return };
            let known = names.entry(name.to_owned());
            let known = known.or_insert_with(|| Named { id: entry.id.clone(), files: Vec::new() });
            known.files.push((root, entry.extension.to_owned()));
        });
    }
    names
}

fn find(items: &Items<'_>, name: &str, named: Named<'_>) -> Result<Found, EngineError> {
    let item = ItemRef::new(ItemKind::Knowledge, named.id);
    let mut found = Found { topic: None, refused: Vec::new() };
    let failed = |kind| rye_item::LocateError::new(item.clone(), kind);
    for files in named.files.chunk_by(|(one, _), (other, _)| one.space() == other.space()) {
        let (root, extension) = &files[0];
        let located = match files {
            [_] => root.locate_file(&item, extension),
            // Which files these are is told as it is for any other item.
            _ => root.locate_exactly(&item, items.call.extractors.extensions()),
        };
        let Some(located) = located.map_err(failed)? else { continue };
        // What it hides is seen here, so nobody has to look for it.
        let element = items.understand(located.read().map_err(FindError::from)?, Vec::new());
        let refusal = element.trust.as_ref().err().or(element.extractor.as_ref().err());
        match (refusal, &mut found.topic) {
            (Some(error), _) => {
                let error = Arc::clone(error);
                found.refused.push(RefusedTopic { name: name.to_owned(), space: root.space(), error });
            }
            (None, Some((summary, _))) => summary.shadows.push(root.space()),
            (None, topic @ None) => {
                let summary = TopicSummary {
                    name: name.to_owned(),
                    description: element.metadata.description.clone(),
                    space: root.space(),
                    shadows: Vec::new(),
                };
                *topic = Some((summary, element));
            }
        }
    }
    Ok(found)
}
