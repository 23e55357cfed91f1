//! Which items a request to sign names.

use globset::{GlobBuilder, GlobMatcher};
use rye_item::{ItemId, ItemKind, ItemRef, LocateErrorKind, Located, Space, SpaceRoot, WalkEntry};

use super::SignRequest;
use crate::EngineError;
use crate::engine::Call;

/// An item that is to be signed.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) space: Space,
    pub(super) item: ItemRef,
    /// Whether it was named, and not only met by a pattern.
    pub(super) is_named: bool,
    /// The extension of its file, unless several files have its id.
    extension: Option<String>,
}

impl Wanted {
    /// Opens the item's file, which is there and the only one with this id, as its selection has found.
    pub(super) fn locate(&self, root: &SpaceRoot, call: &Call) -> Result<Option<Located>, LocateErrorKind> {
        match &self.extension {
            Some(extension) => root.locate_file(&self.item, extension),
            None => root.locate_exactly(&self.item, call.extractors.extensions()),
        }
    }
}

/// The items that requests name, each once.
pub(super) fn select(call: &Call, requests: &[SignRequest]) -> Result<Vec<Wanted>, EngineError> {
    let mut found = Vec::new();
    for request in requests {
        if is_pattern(&request.pattern) {
            found.extend(matching(call, request)?);
        } else {
            found.push(named(call, request)?);
        }
    }
    // What was named comes before the same item without a name.
    found.sort_by(|one, other| {
        (one.space, &one.item, !one.is_named).cmp(&(other.space, &other.item, !other.is_named))
    });
    found.dedup_by(|next, one| {
        let is_same = (next.space, &next.item) == (one.space, &one.item);
        if is_same && next.extension != one.extension {
            one.extension = None;
        }
        is_same
    });
    Ok(found)
}

/// Whether a text is a pattern and not an id.
#[must_use]
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// What matches ids: `*` within one part of an id, `**` across parts.
pub(crate) fn matcher(pattern: &str) -> Result<GlobMatcher, EngineError> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    let invalid = |error: globset::Error| EngineError::InvalidPattern { message: error.to_string() };
    Ok(glob.map_err(invalid)?.compile_matcher())
}

fn named(call: &Call, request: &SignRequest) -> Result<Wanted, EngineError> {
    let item = ItemRef::new(request.kind.unwrap_or(ItemKind::Tool), ItemId::new(request.pattern.as_str())?);
    let located = match request.space {
        None => call.locate(&item, Space::Project)?,
        Some(space) => call.locate_in(&item, space)?,
    };
    let extension = Some(located.extension);
    Ok(Wanted { item: located.item, space: located.space, is_named: true, extension })
}

fn matching(call: &Call, request: &SignRequest) -> Result<Vec<Wanted>, EngineError> {
    let matcher = matcher(&request.pattern)?;
    let nothing = || EngineError::NothingMatches { pattern: request.pattern.clone() };
    let folder = |space: Space| call.spaces.get(space).filter(|root| root.bundle().is_none());
    let root = match request.space {
        Some(space) => folder(space),
        None => Space::ALL.into_iter().find_map(folder),
    };
    let root = root.ok_or_else(nothing)?;
    let mut found = Vec::new();
    for kind in ItemKind::ALL.into_iter().filter(|kind| request.kind.is_none_or(|wanted| wanted == *kind)) {
        root.walk(kind, "", call.extractors.extensions(), &mut |entry: &WalkEntry<'_>| {
            if matcher.is_match(entry.id.as_str()) {
                let item = ItemRef::new(kind, entry.id.clone());
                let extension = Some(entry.extension.to_owned());
                found.push(Wanted { item, space: root.space(), is_named: false, extension });
            }
        });
    }
    if found.is_empty() { Err(nothing()) } else { Ok(found) }
}
