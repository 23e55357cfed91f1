//! Which items would run, and why the others would not.

use globset::GlobBuilder;
use rye_item::{ItemId, ItemKind, ItemRef, Space, WalkEntry};
use rye_plan::{ChainDraft, ChainIssue};
use rye_trust::Signer;

use crate::items::Items;
use crate::{Engine, EngineError};

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
    /// What would stop it, anywhere in its chain.
    pub issues: Vec<ChainIssue>,
}

impl VerifyReport {
    /// Whether everything would run.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.items.iter().all(|item| item.issues.is_empty())
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
        if let VerifyRequest::Item(item) = request {
            let element = items.look_at(call.locate(item, Space::Project)?)?;
            return Ok(VerifyReport { items: vec![verified(element, &items)] });
        }
        let matcher = match request {
            VerifyRequest::Pattern(pattern, _) => {
                let glob = GlobBuilder::new(pattern).literal_separator(true).build();
                let glob =
                    glob.map_err(|error| EngineError::InvalidPattern { message: error.to_string() })?;
                Some(glob.compile_matcher())
            }
            _ => None,
        };
        let wanted_kind = if let VerifyRequest::Pattern(_, kind) = request { *kind } else { None };
        let is_wanted = |id: &ItemId| matcher.as_ref().is_none_or(|matcher| matcher.is_match(id.as_str()));
        let mut found = Vec::new();
        for root in call.spaces.all().filter(|root| matcher.is_some() || root.bundle().is_none()) {
            for kind in
                ItemKind::ALL.into_iter().filter(|kind| wanted_kind.is_none_or(|wanted| wanted == *kind))
            {
                root.walk(kind, "", call.extractors.extensions(), &mut |entry: &WalkEntry<'_>| {
                    if is_wanted(&entry.id) {
                        found.push((root.space(), ItemRef::new(kind, entry.id.clone())));
                    }
                });
            }
        }
        found.sort();
        found.dedup();
        if let (VerifyRequest::Pattern(pattern, _), true) = (request, found.is_empty()) {
            return Err(EngineError::NothingMatches { pattern: pattern.clone() });
        }
        let mut report = VerifyReport { items: Vec::with_capacity(found.len()) };
        for (space, item) in found {
            let element = items.look_at(call.locate_in(&item, space)?)?;
            let is_item =
                item.kind != ItemKind::Tool || crate::catalog::is_tool(&element.metadata, &element.problems);
            if is_item {
                report.items.push(verified(element, &items));
            }
        }
        Ok(report)
    }
}

fn verified(element: rye_plan::Element, items: &Items<'_>) -> VerifiedItem {
    let (item, space) = (element.item().clone(), element.space());
    let signer = element.trust.as_ref().ok().map(|verified| verified.signer().clone());
    let is_executed = item.kind == ItemKind::Tool && !element.metadata.is_library();
    // What nothing executes has only itself to answer for. Extractors are used, not executed.
    let is_extractor = element.metadata.tool_type.as_deref() == Some("extractor");
    let issues = if is_executed && !is_extractor {
        ChainDraft::explore_from(element, items).issues
    } else {
        let refused =
            [&element.trust, &element.extractor].into_iter().filter_map(|it| it.as_ref().err().cloned());
        refused.map(ChainIssue::Refused).collect()
    };
    VerifiedItem { item, space, signer, issues }
}
