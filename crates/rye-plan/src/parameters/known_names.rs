//! The names that an object may have, for those that are wrong by a letter or two.

use jsonschema::ValidationError;
use serde_json::{Map, Value};

/// Longer names are not compared with others.
const MAX_COMPARED_BYTES: usize = 100;

/// How many names are compared with another at most.
const MAX_COMPARED_NAMES: usize = 1_000;

/// The names of an object: those that its schema knows, and those that were sent.
pub(super) struct KnownNames<'e> {
    known: Option<&'e Map<String, Value>>,
    sent: Option<&'e Map<String, Value>>,
}

impl<'e> KnownNames<'e> {
    /// The names of the object that `error` is about.
    pub(super) fn new(error: &'e ValidationError<'_>, schema: &'e Value) -> Self {
        let keyword = error.schema_path().as_str();
        let parent = keyword.rsplit_once('/').and_then(|(parent, _)| schema.pointer(parent));
        Self {
            known: parent.and_then(|schema| schema.get("properties")).and_then(Value::as_object),
            sent: error.instance().as_object(),
        }
    }

    /// The known name that is most like an unknown one. It may have a value already, which may be its default.
    pub(super) fn nearest_known(&self, name: &str) -> Option<String> {
        nearest(name, self.known.into_iter().flat_map(Map::keys).map(String::as_str))
    }

    /// The name that was sent, is not known, and is most like one that is missing.
    pub(super) fn nearest_unknown(&self, name: &str) -> Option<String> {
        let sent = self.sent.into_iter().flat_map(Map::keys).map(String::as_str);
        nearest(name, sent.filter(|name| !self.known.is_some_and(|known| known.contains_key(*name))))
    }
}

fn nearest<'m>(name: &str, candidates: impl Iterator<Item = &'m str>) -> Option<String> {
    let plain = |name: &str| name.trim_matches('_').to_ascii_lowercase().replace('-', "_");
    if name.len() > MAX_COMPARED_BYTES {
        return None;
    }
    candidates
        .filter(|candidate| candidate.len() <= MAX_COMPARED_BYTES)
        .take(MAX_COMPARED_NAMES)
        .map(|candidate| (strsim::jaro_winkler(&plain(name), &plain(candidate)), candidate))
        .filter(|(likeness, _)| *likeness >= 0.75)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate.to_owned())
}
