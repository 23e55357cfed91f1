//! The MCP server behind an imported tool.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::node::{Node, NodeKind, entries_to_map};
use crate::reading::Reading;

/// Which server has the tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ServerRef {
    /// The item that describes it.
    Id(String),
    /// The description itself.
    Inline(Map<String, Value>),
}

impl ServerRef {
    pub(super) fn read(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Self> {
        match &node.kind {
            NodeKind::Map(entries) => Some(Self::Inline(entries_to_map(entries))),
            _ => reading.filled_text(path, node).map(Self::Id),
        }
    }
}
