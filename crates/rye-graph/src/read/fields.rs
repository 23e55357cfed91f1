//! Maps whose keys are known.

use rye_metadata::{Placed, PlacedEntry, PlacedKind, suggestion};

use super::Report;
use crate::graph::Place;

/// A map; what is in it and not known is reported when this is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'n> {
    path: &'n str,
    position: Place,
    entries: &'n [PlacedEntry],
}

impl<'n> Fields<'n> {
    pub(super) fn new(report: &mut Report, path: &'n str, node: &'n Placed, known: &[&str]) -> Option<Self> {
        let fields = Self::of_any(report, path, node)?;
        fields.refuse_others(report, known, |_| None);
        Some(fields)
    }

    /// A map with any keys.
    pub(super) fn of_any(report: &mut Report, path: &'n str, node: &'n Placed) -> Option<Self> {
        let PlacedKind::Map(entries) = &node.kind else {
            report.mismatch(path, node, "a map");
            return None;
        };
        Some(Self { path, position: node.position, entries })
    }

    /// Reports the keys that are not `known`; `why` may know a better reason than that nobody knows one.
    pub(super) fn refuse_others(
        &self,
        report: &mut Report,
        known: &[&str],
        why: impl Fn(&str) -> Option<String>,
    ) {
        for entry in self.entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let message =
                why(&entry.key).unwrap_or_else(|| format!("is unknown; {}", suggestion(&entry.key, known)));
            report.error(&self.field(&entry.key), entry.key_position, message);
        }
    }

    /// The value of `key` unless it is absent or null, and the field for its problems.
    pub(super) fn get(&self, key: &str) -> Option<(String, &'n Placed)> {
        let found = self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value);
        found.filter(|node| !matches!(node.kind, PlacedKind::Null)).map(|node| (self.field(key), node))
    }

    /// The same, with a problem if there is none.
    pub(super) fn required(&self, report: &mut Report, key: &str) -> Option<(String, &'n Placed)> {
        let found = self.get(key);
        if found.is_none() {
            report.error(&self.field(key), self.position, "is missing");
        }
        found
    }

    pub(super) fn entries(&self) -> &'n [PlacedEntry] {
        self.entries
    }

    pub(super) fn field(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }
}
