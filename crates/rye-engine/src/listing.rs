//! Which items there are.

use rye_item::{ItemKind, ItemRef, Space, WalkEntry};

use crate::engine::Call;
use crate::sign::matcher;
use crate::{Engine, EngineError};

impl Engine {
    /// The items whose ids match a pattern, in order of space, kind and id; without one, all that are not part of the
    /// program. Files that only look like items are among them.
    ///
    /// # Errors
    /// If nothing matches, or a space cannot be used.
    pub fn list(
        &self,
        pattern: Option<&str>,
        kind: Option<ItemKind>,
    ) -> Result<Vec<(Space, ItemRef)>, EngineError> {
        let call = self.call()?;
        let Some(pattern) = pattern else { return Ok(list(&call, false, kind, &|_| true)) };
        let matcher = matcher(pattern)?;
        let found = list(&call, true, kind, &|id| matcher.is_match(id));
        if found.is_empty() {
            return Err(EngineError::NothingMatches { pattern: pattern.to_owned() });
        }
        Ok(found)
    }
}

/// All items of the spaces that are wanted, in order.
pub(crate) fn list(
    call: &Call,
    with_bundle: bool,
    wanted_kind: Option<ItemKind>,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Vec<(Space, ItemRef)> {
    let mut found = Vec::new();
    for root in call.spaces.all().filter(|root| with_bundle || root.bundle().is_none()) {
        for kind in ItemKind::ALL.into_iter().filter(|kind| wanted_kind.is_none_or(|wanted| wanted == *kind))
        {
            root.walk(kind, "", call.extractors.extensions(), &mut |entry: &WalkEntry<'_>| {
                if is_wanted(entry.id.as_str()) {
                    found.push((root.space(), ItemRef::new(kind, entry.id.clone())));
                }
            });
        }
    }
    found.sort();
    found.dedup();
    found
}
