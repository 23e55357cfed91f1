//! The folder that a tool's dependencies are resolved from.

use rye_item::{ItemId, ItemKind, SpaceRoot};
use rye_metadata::metadata::{Anchor, AnchorMode, AnchorRoot};

/// Where the anchor of a tool is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnchorPlace {
    /// There is none: no folder has a marker, and the tool stands for itself.
    Tool,
    /// A folder below that of the tools, by its path there; empty for that one itself.
    Folder(String),
    /// The project's own folder, in which nothing is verified.
    Project,
}

impl AnchorPlace {
    /// Finds the anchor of a tool, never above the folder of the tools.
    #[must_use]
    pub fn find(anchor: &Anchor, tool: &ItemId, root: &SpaceRoot) -> Self {
        let folder = tool.parent().unwrap_or_default();
        let start = match anchor.root {
            _ if !anchor.enabled => return Self::Tool,
            AnchorRoot::ProjectPath => return Self::Project,
            AnchorRoot::ToolDir => folder,
            AnchorRoot::ToolParent => parent(folder).unwrap_or_default(),
        };
        if anchor.mode == AnchorMode::Always {
            return Self::Folder(start.to_owned());
        }
        let has = |folder: &str, marker: &String| root.has_file(ItemKind::Tool, &join(folder, marker));
        let found =
            with_above(start).find(|folder| anchor.markers_any.iter().any(|marker| has(folder, marker)));
        found.map_or(Self::Tool, |folder| Self::Folder(folder.to_owned()))
    }

    /// Everything below the folder of the tools that may have a say in where the anchor of a tool is.
    #[must_use]
    pub fn consulted(anchor: &Anchor, tool: &ItemId) -> Vec<String> {
        let folders = with_above(tool.parent().unwrap_or_default());
        folders.flat_map(|folder| anchor.markers_any.iter().map(move |marker| join(folder, marker))).collect()
    }
}

/// A folder and those above it.
fn with_above(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| parent(folder))
}

/// The folder above; nothing above the folder of the tools.
fn parent(folder: &str) -> Option<&str> {
    if folder.is_empty() { None } else { Some(folder.rsplit_once('/').map_or("", |(above, _)| above)) }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
