//! Hints that MCP clients show to people.

use serde::{Deserialize, Serialize};

use crate::node::Node;
use crate::reading::Reading;

/// MCP's tool annotations; what the file leaves out stays unsaid.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Annotations {
    /// A title for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// It changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// It may destroy something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Calling it twice is like calling it once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// It talks to the world outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

impl Annotations {
    /// Both MCP's spelling and the one of YAML are understood.
    pub(super) fn read(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Self> {
        const KNOWN: [&str; 9] = [
            "title",
            "read_only",
            "destructive",
            "idempotent",
            "open_world",
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        ];
        let fields = reading.fields(path, node, &KNOWN)?;
        let title = fields.read(reading, "title", Reading::text);
        let mut hint = |mcp, plain| {
            let key = if fields.get(mcp).is_some() { mcp } else { plain };
            fields.read(reading, key, Reading::bool)
        };
        Some(Self {
            title,
            read_only_hint: hint("readOnlyHint", "read_only"),
            destructive_hint: hint("destructiveHint", "destructive"),
            idempotent_hint: hint("idempotentHint", "idempotent"),
            open_world_hint: hint("openWorldHint", "open_world"),
        })
    }
}
