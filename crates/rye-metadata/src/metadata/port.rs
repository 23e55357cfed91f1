//! What an item takes and gives.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::node::{Node, NodeKind};
use crate::reading::Reading;

/// One input or output.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Port {
    /// Its name.
    pub name: String,
    /// Its type, in the author's words.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<String>,
    /// Whether a value must be given, if the file says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// The value if none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl Port {
    /// A list of names or of maps with a `name`; or one text with commas.
    pub(super) fn read_all(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Vec<Self>> {
        if matches!(node.kind, NodeKind::Text(_)) {
            let names = reading.texts(path, node)?;
            return Some(names.into_iter().map(|name| Self { name, ..Self::default() }).collect());
        }
        let items = reading.list(path, node)?;
        Some(
            items
                .iter()
                .enumerate()
                .filter_map(|(index, item)| Self::read(reading, &format!("{path}.{index}"), item))
                .collect(),
        )
    }

    fn read(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Self> {
        if let NodeKind::Text(_) = node.kind {
            return Some(Self { name: reading.filled_text(path, node)?, ..Self::default() });
        }
        let known = ["name", "type", "required", "default", "description"];
        let fields = reading.fields(path, node, &known)?;
        Some(Self {
            name: fields.required(reading, "name", Reading::filled_text)?,
            value_type: fields.read(reading, "type", Reading::filled_text),
            required: fields.read(reading, "required", Reading::bool),
            default: fields.get("default").map(Node::to_value),
            description: fields.read(reading, "description", Reading::text),
        })
    }
}
