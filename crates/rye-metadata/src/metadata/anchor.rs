//! The folder that a tool's dependencies are resolved from.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::node::Node;
use crate::reading::{Reading, join};

/// How a runtime finds the root of the tool's own project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Anchor {
    /// Whether there is one at all.
    pub enabled: bool,
    /// How it is searched.
    pub mode: AnchorMode,
    /// Files whose presence marks the root.
    pub markers_any: Vec<String>,
    /// Where the search starts.
    pub root: AnchorRoot,
    /// The library folder below the anchor and below the runtime's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lib: Option<String>,
    /// Folders below the anchor that an installer fills: they belong to the interpreter and are not verified.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub installed: Vec<String>,
    /// The working directory of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What to add to variables that are lists of paths, in declared order.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub env_paths: IndexMap<String, PathEdit>,
}

/// How an anchor is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnchorMode {
    /// Upwards until a marker.
    Auto,
    /// Not at all: the root itself.
    Always,
}

/// Where the search for an anchor starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnchorRoot {
    /// The tool's folder.
    ToolDir,
    /// The folder above the tool's.
    ToolParent,
    /// The project.
    ProjectPath,
}

/// What to add to one list of paths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathEdit {
    /// In front.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prepend: Vec<String>,
    /// At the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub append: Vec<String>,
}

impl Anchor {
    pub(super) fn read(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Self> {
        const KNOWN: [&str; 8] =
            ["enabled", "mode", "markers_any", "root", "lib", "installed", "cwd", "env_paths"];
        const MODES: [(&str, AnchorMode); 2] = [("auto", AnchorMode::Auto), ("always", AnchorMode::Always)];
        const ROOTS: [(&str, AnchorRoot); 3] = [
            ("tool_dir", AnchorRoot::ToolDir),
            ("tool_parent", AnchorRoot::ToolParent),
            ("project_path", AnchorRoot::ProjectPath),
        ];
        let fields = reading.fields(path, node, &KNOWN)?;
        Some(Self {
            enabled: fields.read(reading, "enabled", Reading::bool).unwrap_or(true),
            mode: fields
                .read(reading, "mode", |reading, path, node| reading.word(path, node, &MODES))
                .unwrap_or(AnchorMode::Auto),
            markers_any: fields.read(reading, "markers_any", Reading::texts).unwrap_or_default(),
            root: fields
                .read(reading, "root", |reading, path, node| reading.word(path, node, &ROOTS))
                .unwrap_or(AnchorRoot::ToolDir),
            lib: fields.read(reading, "lib", Reading::filled_text),
            installed: fields.read(reading, "installed", Reading::texts).unwrap_or_default(),
            cwd: fields.read(reading, "cwd", Reading::filled_text),
            env_paths: fields.read(reading, "env_paths", path_edits).unwrap_or_default(),
        })
    }
}

fn path_edits(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<IndexMap<String, PathEdit>> {
    let entries = reading.entries(path, node)?;
    Some(
        entries
            .iter()
            .filter_map(|entry| {
                let path = join(path, &entry.key);
                let fields = reading.fields(&path, &entry.value, &["prepend", "append"])?;
                let mut texts = |key| fields.read(reading, key, Reading::texts).unwrap_or_default();
                Some((entry.key.clone(), PathEdit { prepend: texts("prepend"), append: texts("append") }))
            })
            .collect(),
    )
}
