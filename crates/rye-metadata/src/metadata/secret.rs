//! Secrets that a tool declares.

use serde::{Deserialize, Serialize};

use crate::node::{Node, NodeKind};
use crate::reading::Reading;

/// One secret that a tool gets as an environment variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Secret {
    /// Its name in the store.
    pub name: String,
    /// The variable that holds it; by default its name.
    pub env: String,
    /// Whether the tool cannot run without it.
    pub required: bool,
}

impl Secret {
    /// A list of names or of maps with a `name`; or one text with commas.
    pub(super) fn read_all(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Vec<Self>> {
        if matches!(node.kind, NodeKind::Text(_)) {
            return Some(reading.texts(path, node)?.into_iter().map(Self::named).collect());
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
            return Some(Self::named(reading.filled_text(path, node)?));
        }
        let fields = reading.fields(path, node, &["name", "env", "required"])?;
        let name = fields.required(reading, "name", Reading::filled_text)?;
        Some(Self {
            env: fields.read(reading, "env", Reading::filled_text).unwrap_or_else(|| name.clone()),
            required: fields.read(reading, "required", Reading::bool).unwrap_or(true),
            name,
        })
    }

    fn named(name: String) -> Self {
        Self { env: name.clone(), name, required: true }
    }
}
