//! Following a chain to its end, and deciding whether it holds.

use std::sync::{Arc, OnceLock};

use rye_item::{ItemId, ItemKind, ItemRef, LocateErrorKind, Space};
use rye_metadata::metadata::{Worker, WorkerHelper, WorkerMode};
use rye_metadata::{ExecutorId, Metadata};
use rye_template::{ContextName, names_in};
use rye_trust::Verified;

use super::element::{Element, ElementSource, FindError};
use super::form::ChainForms;
use super::issue::ChainIssue;
use super::pair;
use super::primitive::Primitive;
use crate::ChainConfig;
use crate::parameters::{Schema, SchemaError};
use crate::plan::ChainElements;

/// A chain as far as it could be followed, with everything that keeps it from running.
#[derive(Debug)]
pub struct ChainDraft {
    /// The item that was asked for.
    pub item: ItemRef,
    /// That item, its executor, that one's executor, and so on.
    pub elements: Vec<Element>,
    /// What processes run that are kept ready for it, if something in the chain names that.
    pub helper: Option<Element>,
    /// What describes the server that has the tool, if the chain asks for that.
    pub server: Option<Element>,
    /// What is at the end, if the end was reached.
    pub primitive: Option<Primitive>,
    /// What keeps it from running.
    pub issues: Vec<ChainIssue>,
}

/// A chain of verified items that ends in a primitive.
#[derive(Debug)]
pub struct Chain {
    links: Vec<Link>,
    helper: Option<Link>,
    server: Option<Link>,
    primitive: Primitive,
    config: OnceLock<ChainConfig>,
    forms: OnceLock<ChainForms>,
    schema: OnceLock<Option<Schema>>,
    elements: OnceLock<ChainElements>,
}

/// One item of a chain.
#[derive(Debug)]
pub struct Link {
    /// The item.
    pub verified: Verified,
    /// What it says about itself.
    pub metadata: Arc<Metadata>,
    /// Whether the file has anything in it beside that.
    pub has_code: bool,
    /// The extractor by which that was found out.
    pub extractor: Verified,
    /// The spaces of items of the same id that it hides.
    pub shadows: Vec<Space>,
}

/// A chain that may not run.
#[derive(Debug, thiserror::Error)]
#[error("{item} cannot run: {}", issues.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct ChainError {
    /// The item that was asked for.
    pub item: ItemRef,
    /// Everything that is wrong.
    pub issues: Vec<ChainIssue>,
}

impl ChainDraft {
    /// Follows the executors from an item to a primitive, and looks at everything on the way.
    ///
    /// # Errors
    /// If the item itself is not there. Whatever else is wrong is an issue of the chain.
    pub fn explore(item: &ItemRef, source: &dyn ElementSource) -> Result<Self, FindError> {
        Ok(Self::explore_from(source.element(item, Space::Project)?, source))
    }

    /// Does the same for an item that was found already.
    #[must_use]
    pub fn explore_from(head: Element, source: &dyn ElementSource) -> Self {
        let item = head.item().clone();
        let mut draft = Self {
            item,
            elements: Vec::new(),
            helper: None,
            server: None,
            primitive: None,
            issues: Vec::new(),
        };
        if head.metadata.is_server() {
            draft.issues.push(ChainIssue::Server { item: head.item().clone() });
        } else if head.metadata.is_library() {
            draft.issues.push(ChainIssue::Library { item: head.item().clone() });
        }
        let mut next = Some(head);
        while let Some(element) = next {
            draft.look_at(&element);
            draft.elements.push(element);
            next = draft.executor(source);
        }
        if draft.primitive != Some(Primitive::HttpClient) {
            draft.look_for_helper(source);
            draft.look_for_server(source);
        }
        draft
    }

    /// The chain, if nothing is wrong with it.
    ///
    /// # Errors
    /// Everything that is wrong with it, at once.
    pub fn check(self) -> Result<Chain, ChainError> {
        let Self { item, elements, helper, server, primitive, issues } = self;
        let links: Option<Vec<Link>> = elements.into_iter().map(Link::of).collect();
        match (links, primitive) {
            (Some(links), Some(primitive)) if issues.is_empty() && !links.is_empty() => {
                let (helper, server) = (helper.and_then(Link::of), server.and_then(Link::of));
                Ok(Chain {
                    links,
                    helper,
                    server,
                    primitive,
                    config: OnceLock::new(),
                    forms: OnceLock::new(),
                    schema: OnceLock::new(),
                    elements: OnceLock::new(),
                })
            }
            _ => Err(ChainError { item, issues }),
        }
    }

    fn look_at(&mut self, element: &Element) {
        self.note_refusals(element);
        self.note_problems(element);
        if let Some(child) = self.elements.last() {
            self.issues.extend(pair::check(child, element));
        }
    }

    fn note_refusals(&mut self, element: &Element) {
        for refused in [&element.trust, &element.extractor].into_iter().filter_map(|it| it.as_ref().err()) {
            self.issues.push(ChainIssue::Refused(Arc::clone(refused)));
        }
    }

    fn note_problems(&mut self, element: &Element) {
        let problems: Vec<_> = element.errors().cloned().collect();
        if !problems.is_empty() {
            self.issues.push(ChainIssue::Metadata { item: element.item().clone(), problems });
        }
    }

    /// Looks at what the worker of the chain runs, as the space of whoever names it sees it.
    fn look_for_helper(&mut self, source: &dyn ElementSource) {
        let mut workers =
            self.elements.iter().filter_map(|element| Some((element, element.metadata.worker.as_ref()?)));
        let Some((element, worker)) = workers.next() else { return };
        let Some(helper) = &worker.helper else { return };
        let (item, space) = (element.item().clone(), element.space());
        let helper = match ItemId::new(helper.id.as_str()) {
            Ok(id) => ItemRef::new(ItemKind::Tool, id),
            Err(source) => {
                self.issues.push(ChainIssue::InvalidHelper { item, source });
                return;
            }
        };
        match source.element(&helper, space) {
            Ok(found) => {
                self.note_refusals(&found);
                self.helper = Some(found);
            }
            Err(source) => self.issues.push(ChainIssue::HelperUnusable { item, helper: helper.id, source }),
        }
    }

    /// Looks at what describes the server that has the tool, as the space of whoever names it sees it. What is called
    /// `server` means that only in a chain that asks for its file.
    fn look_for_server(&mut self, source: &dyn ElementSource) {
        let mut named =
            self.elements.iter().filter_map(|element| Some((element, element.metadata.server_id()?)));
        let Some((element, id)) = named.next() else { return };
        if !self.elements.iter().any(|element| asks_for_server(&element.metadata)) {
            return;
        }
        let (item, space) = (element.item().clone(), element.space());
        let server = match ItemId::new(id) {
            Ok(id) => ItemRef::new(ItemKind::Tool, id),
            Err(source) => {
                self.issues.push(ChainIssue::InvalidServer { item, source });
                return;
            }
        };
        match source.element(&server, space) {
            Ok(found) => {
                self.note_refusals(&found);
                self.note_problems(&found);
                if !found.metadata.is_server() {
                    let server = found.item().clone();
                    self.issues.push(ChainIssue::NotAServer { item, server });
                }
                self.server = Some(found);
            }
            Err(source) => self.issues.push(ChainIssue::ServerUnusable { item, server: server.id, source }),
        }
    }

    /// The executor of the last element, or nothing if the chain ends with it.
    fn executor(&mut self, source: &dyn ElementSource) -> Option<Element> {
        let last = self.elements.last()?;
        let item = last.item().clone();
        let executor = match &last.metadata.executor_id {
            ExecutorId::Primitive => {
                self.primitive = Primitive::of(&item.id);
                if self.primitive.is_none() {
                    self.issues.push(ChainIssue::PrimitiveUnknown { item });
                }
                return None;
            }
            // A library has said enough, and a file that cannot be read has another issue already.
            ExecutorId::Absent if last.metadata.is_library() || last.errors().next().is_some() => {
                return None;
            }
            ExecutorId::Absent => {
                self.issues.push(ChainIssue::NoExecutor { item });
                return None;
            }
            ExecutorId::Id(id) => match ItemId::new(id.as_str()) {
                Ok(id) => ItemRef::new(ItemKind::Tool, id),
                Err(source) => {
                    self.issues.push(ChainIssue::InvalidExecutor { item, source });
                    return None;
                }
            },
        };
        match source.element(&executor, last.space()) {
            Ok(found) => self.accept(found),
            Err(error) => {
                let issue = not_found(last, executor, error, source);
                self.issues.push(issue);
                None
            }
        }
    }

    fn accept(&mut self, found: Element) -> Option<Element> {
        let same = |element: &Element| (element.item(), element.space()) == (found.item(), found.space());
        let path = |from: usize| {
            let labels = self.elements[from..].iter().map(Element::label);
            labels.chain([found.label()]).collect()
        };
        if let Some(start) = self.elements.iter().position(same) {
            let path = path(start);
            self.issues.push(ChainIssue::Cycle { path });
            return None;
        }
        if self.elements.len() >= ChainIssue::MAX_DEPTH {
            let path = path(0);
            self.issues.push(ChainIssue::TooDeep { path });
            return None;
        }
        Some(found)
    }
}

/// Whether the configuration of an item has a place for the file that describes a server.
fn asks_for_server(metadata: &Metadata) -> bool {
    let mut values = metadata.config.iter().flat_map(|config| config.values());
    values.any(|value| names_in(value).contains(ContextName::ServerConfigPath.as_str()))
}

fn not_found(child: &Element, executor: ItemRef, error: FindError, source: &dyn ElementSource) -> ChainIssue {
    let item = child.item().clone();
    match error {
        FindError::Locate(error) if matches!(error.kind(), LocateErrorKind::NotFound { .. }) => {
            let elsewhere = source.spaces_with(&executor);
            if let Some(&executor_space) =
                elsewhere.iter().find(|space| !child.space().may_depend_on(**space))
            {
                return ChainIssue::SpaceViolation {
                    item,
                    space: child.space(),
                    executor: executor.id,
                    executor_space,
                };
            }
            let (searched, similar) = match error.kind() {
                LocateErrorKind::NotFound { searched, similar } => (searched.clone(), similar.clone()),
                _ => (Vec::new(), Vec::new()),
            };
            ChainIssue::ExecutorNotFound {
                item,
                space: child.space(),
                executor: executor.id,
                searched,
                similar,
            }
        }
        source => ChainIssue::ExecutorUnusable { item, executor: executor.id, source },
    }
}

impl Chain {
    /// The item that was asked for, its executor, that one's executor, and so on. There is at least one.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The item that was asked for.
    #[must_use]
    pub fn head(&self) -> &Link {
        &self.links[0]
    }

    /// How something is kept ready for it, and what processes run that are: as the nearest item to the tool says.
    #[must_use]
    pub fn worker(&self) -> Option<(&Worker, Option<(&WorkerHelper, &Link)>)> {
        let worker = self.links.iter().find_map(|link| link.metadata.worker.as_ref())?;
        match &worker.helper {
            None => Some((worker, None)),
            Some(helper) => Some((worker, Some((helper, self.helper.as_ref()?)))),
        }
    }

    /// What processes run that are kept ready for it.
    #[must_use]
    pub fn helper(&self) -> Option<&Link> {
        self.helper.as_ref()
    }

    /// What describes the server that has the tool.
    #[must_use]
    pub fn server(&self) -> Option<&Link> {
        self.server.as_ref()
    }

    /// The configurations of its items, joined when somebody asks for the first time.
    #[must_use]
    pub fn config(&self) -> &ChainConfig {
        let configs = self.links.iter().rev().filter_map(|link| link.metadata.config.as_ref());
        self.config.get_or_init(|| ChainConfig::join(configs))
    }

    /// The forms that its configuration can take.
    pub(crate) fn forms(&self) -> &ChainForms {
        self.forms.get_or_init(|| ChainForms::of(self))
    }

    /// What the parameters of its tool have to fit, if it says that.
    pub(crate) fn schema(&self) -> Result<Option<&Schema>, SchemaError> {
        if let Some(known) = self.schema.get() {
            return Ok(known.as_ref());
        }
        let schema = self.head().metadata.config_schema.as_ref().map(Schema::compile).transpose()?;
        Ok(self.schema.get_or_init(|| schema).as_ref())
    }

    /// Its items and their extractors, as records and people see them.
    pub(crate) fn elements(&self) -> &ChainElements {
        self.elements.get_or_init(|| ChainElements::of(self))
    }

    /// Whether a connection that is kept may do what it says. Files that its environment names have to be what they are
    /// for whoever else is started with that, so then it is no such chain.
    #[must_use]
    pub fn is_for_session(&self) -> bool {
        self.worker().is_some_and(|(worker, _)| worker.mode == WorkerMode::Session)
            && self.links.iter().all(|link| link.metadata.env_config.is_none())
    }

    /// What is at the end.
    #[must_use]
    pub fn primitive(&self) -> Primitive {
        self.primitive
    }
}

impl Link {
    fn of(element: Element) -> Option<Self> {
        let Element { metadata, has_code, trust, extractor, shadows, .. } = element;
        Some(Self { verified: trust.ok()?, metadata, has_code, extractor: extractor.ok()?, shadows })
    }
}
