//! Which items would run, and why the others would not.

use rye_env::ResolveCommands;
use rye_item::{ItemKind, ItemRef, LocateError, LocateErrorKind, Space};
use rye_plan::{ChainDraft, ChainIssue, Element, FindError, PlanErrorKind};
use rye_trust::Signer;

use crate::engine::Call;
use crate::items::Items;
use crate::listing::list;
use crate::sign::matcher;
use crate::trust::Trust;
use crate::{Engine, EngineError, ErrorCode};

/// What to look at.
#[derive(Debug, Clone)]
pub enum VerifyRequest {
    /// One item, by its id.
    Item(ItemRef),
    /// All items whose ids match a pattern, of one kind or of all.
    Pattern(String, Option<ItemKind>),
    /// Everything that is not part of the program.
    All,
}

/// Which items would run.
#[derive(Debug)]
pub struct VerifyReport {
    /// Each item, by space, kind and id.
    pub items: Vec<VerifiedItem>,
}

/// Whether an item would run.
#[derive(Debug)]
pub struct VerifiedItem {
    /// The item.
    pub item: ItemRef,
    /// Its space.
    pub space: Space,
    /// Who answers for it, if anybody does.
    pub signer: Option<Signer>,
    /// Whether it is executed, or used by others.
    pub use_: ItemUse,
    /// What would stop it, anywhere in its chain.
    pub issues: Vec<VerifyIssue>,
}

/// What becomes of an item that nothing stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemUse {
    /// It is executed.
    Executed,
    /// It is a library or an extractor: others use it.
    UsedByOthers,
}

/// One thing that would stop an item.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyIssue {
    /// Something is wrong with its chain.
    #[error(transparent)]
    Chain(#[from] ChainIssue),
    /// It cannot be read, or several files answer to its id.
    #[error("{}", crate::with_sources(.0))]
    Find(#[from] FindError),
    /// The chain holds, and still there is no plan: files beside it are not as they were signed, it is locked, or
    /// something that it needs is not there.
    #[error("{}", crate::with_sources(&**.0))]
    Plan(Box<EngineError>),
}

impl VerifyReport {
    /// Whether everything would run.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.items.iter().all(|item| item.issues.is_empty())
    }
}

impl VerifyIssue {
    /// Its stable code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Chain(issue) => ErrorCode::of_issue(issue),
            Self::Find(error) => ErrorCode::of_find(error),
            Self::Plan(error) => error.code(),
        }
    }

    /// What to do about it, if there is something.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Chain(issue) => crate::trust_hint::of_issues(std::slice::from_ref(issue)),
            Self::Find(_) => None,
            Self::Plan(error) => error.hint(),
        }
    }
}

impl Engine {
    /// Tells which items would run, with all items that execute them.
    ///
    /// # Errors
    /// If nothing matches, or a space cannot be used.
    pub fn verify(&self, request: &VerifyRequest) -> Result<VerifyReport, EngineError> {
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let items = Items { call: &call, verifier: trust.verifier(self) };
        let verifying = Verifying { engine: self, call: &call, trust: &trust, items };
        let found = match request {
            VerifyRequest::Item(item) => {
                let element = verifying.items.look_at(call.locate(item, Space::Project)?)?;
                return Ok(VerifyReport { items: vec![verifying.verified(element)] });
            }
            VerifyRequest::Pattern(pattern, kind) => {
                let matcher = matcher(pattern)?;
                let found = list(&call, true, *kind, &|id| matcher.is_match(id));
                if found.is_empty() {
                    return Err(EngineError::NothingMatches { pattern: pattern.clone() });
                }
                found
            }
            VerifyRequest::All => list(&call, false, None, &|_| true),
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(found.len().max(1));
        let parts = found.chunks(found.len().div_ceil(threads).max(1));
        let items = std::thread::scope(|scope| {
            let verifying = &verifying;
            let verify = |part| scope.spawn(move || verifying.verify_all(part));
            let workers: Vec<_> = parts.map(verify).collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, Vec<_>>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().flat_map(join).collect()
        });
        Ok(VerifyReport { items })
    }
}

/// What is the same for all items of a call.
struct Verifying<'a> {
    engine: &'a Engine,
    call: &'a Call,
    trust: &'a Trust,
    items: Items<'a>,
}

impl Verifying<'_> {
    fn verify_all(&self, wanted: &[(Space, ItemRef)]) -> Vec<VerifiedItem> {
        let verify = |(space, item): &(Space, ItemRef)| match self.find(item, *space) {
            Ok(element) => element.map(|element| self.verified(element)),
            Err(error) => Some(VerifiedItem {
                item: item.clone(),
                space: *space,
                signer: None,
                use_: ItemUse::Executed,
                issues: vec![error.into()],
            }),
        };
        wanted.iter().filter_map(verify).collect()
    }

    /// The item; nothing if it is gone, or is a file that only looks like one.
    fn find(&self, item: &ItemRef, space: Space) -> Result<Option<Element>, FindError> {
        let failed = |kind: LocateErrorKind| LocateError::new(item.clone(), kind);
        let Some(root) = self.call.spaces.get(space) else { return Ok(None) };
        let located = root.locate_exactly(item, self.call.extractors.extensions()).map_err(failed)?;
        let Some(located) = located else { return Ok(None) };
        let element = self.items.look_at(located)?;
        let is_item =
            item.kind != ItemKind::Tool || crate::catalog::is_tool(&element.metadata, &element.problems);
        Ok(is_item.then_some(element))
    }

    fn verified(&self, element: Element) -> VerifiedItem {
        let (item, space) = (element.item().clone(), element.space());
        let signer = element.trust.as_ref().ok().map(|verified| verified.signer().clone());
        // Extractors are used, not executed.
        let is_extractor = element.metadata.tool_type.as_deref() == Some("extractor");
        let is_used = item.kind == ItemKind::Tool && (element.metadata.is_library() || is_extractor);
        let use_ = if is_used { ItemUse::UsedByOthers } else { ItemUse::Executed };
        let issues = if item.kind == ItemKind::Tool && !is_used {
            self.issues_of_chain(element)
        } else {
            issues_of_file(&element)
        };
        VerifiedItem { item, space, signer, use_, issues }
    }

    fn issues_of_chain(&self, element: Element) -> Vec<VerifyIssue> {
        let draft = ChainDraft::explore_from(element, &self.items);
        if !draft.issues.is_empty() {
            return draft.issues.into_iter().map(VerifyIssue::Chain).collect();
        }
        let (item, space) = (draft.item.clone(), draft.elements.first().map(Element::space));
        let plan = self.engine.plan_of_draft(self.call, self.trust, draft, ResolveCommands::Leave);
        // A lock is about the item that its id stands for, not about those that are hidden by it.
        let nearest = self.call.locate(&item, Space::Project).ok().map(|nearest| nearest.space);
        let held = plan.and_then(|plan| {
            if space == nearest {
                self.engine.hold_lock(self.call, self.trust, &plan, false)?;
            }
            Ok(())
        });
        match held {
            Ok(()) => Vec::new(),
            Err(EngineError::Plan(error)) if depends_on_parameters(&error.kind) => Vec::new(),
            Err(error) => vec![VerifyIssue::Plan(Box::new(error))],
        }
    }
}

/// Whether other parameters than none might help.
fn depends_on_parameters(kind: &PlanErrorKind) -> bool {
    !matches!(kind, PlanErrorKind::Copy(_) | PlanErrorKind::Environment(_) | PlanErrorKind::Schema(_))
}

/// What nothing executes has only itself and its extractor to answer for.
fn issues_of_file(element: &Element) -> Vec<VerifyIssue> {
    let refused =
        [&element.trust, &element.extractor].into_iter().filter_map(|it| it.as_ref().err().cloned());
    let mut issues: Vec<_> = refused.map(|error| ChainIssue::Refused(error).into()).collect();
    let problems: Vec<_> = element.errors().cloned().collect();
    // What a text says about itself does not change what is given out.
    if !problems.is_empty() && element.item().kind == ItemKind::Tool {
        issues.push(ChainIssue::Metadata { item: element.item().clone(), problems }.into());
    }
    issues
}
