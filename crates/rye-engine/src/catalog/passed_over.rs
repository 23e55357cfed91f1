//! Files that have the name of an item and are none, so that they are not read again and again.

use std::collections::HashMap;

use rye_item::{ItemId, ItemKind};
use serde::{Deserialize, Serialize};

use super::record::Facts;

/// The facts of such files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PassedOver {
    files: HashMap<String, Facts>,
}

impl PassedOver {
    /// Whether the file was passed over before and has not changed since.
    pub(crate) fn contains(&self, kind: ItemKind, id: &ItemId, extension: &str, facts: &Facts) -> bool {
        let known = self.files.get(&key(kind, id, extension));
        known.is_some_and(|known| known.settled && known.file == facts.file)
    }

    pub(crate) fn insert(&mut self, kind: ItemKind, id: &ItemId, extension: &str, facts: Facts) {
        self.files.insert(key(kind, id, extension), facts);
    }
}

fn key(kind: ItemKind, id: &ItemId, extension: &str) -> String {
    format!("{kind}/{id}.{extension}")
}
