//! Which files beside a tool are verified before it runs.

use serde::{Deserialize, Serialize};

use crate::node::Node;
use crate::reading::Reading;

/// Which dependencies are verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VerifyDeps {
    /// Whether any are.
    pub enabled: bool,
    /// Below which folder.
    pub scope: VerifyScope,
    /// Whether in its subfolders too.
    pub recursive: bool,
    /// Which extensions, without the dot; none means all.
    pub extensions: Vec<String>,
    /// Which files besides, by their whole names: those that have no extension.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Names of folders to leave out.
    pub exclude_dirs: Vec<String>,
}

/// Below which folder dependencies are verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerifyScope {
    /// The anchor.
    Anchor,
    /// The tool's own folder.
    ToolDir,
}

impl VerifyDeps {
    pub(super) fn read(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Self> {
        const SCOPES: [(&str, VerifyScope); 2] =
            [("anchor", VerifyScope::Anchor), ("tool_dir", VerifyScope::ToolDir)];
        let known = ["enabled", "scope", "recursive", "extensions", "names", "exclude_dirs"];
        let fields = reading.fields(path, node, &known)?;
        let extensions: Vec<String> = fields.read(reading, "extensions", Reading::texts).unwrap_or_default();
        Some(Self {
            enabled: fields.read(reading, "enabled", Reading::bool).unwrap_or(true),
            scope: fields
                .read(reading, "scope", |reading, path, node| reading.word(path, node, &SCOPES))
                .unwrap_or(VerifyScope::Anchor),
            recursive: fields.read(reading, "recursive", Reading::bool).unwrap_or(true),
            extensions: extensions.into_iter().map(|name| name.trim_start_matches('.').to_owned()).collect(),
            names: fields.read(reading, "names", Reading::texts).unwrap_or_default(),
            exclude_dirs: fields.read(reading, "exclude_dirs", Reading::texts).unwrap_or_default(),
        })
    }
}
