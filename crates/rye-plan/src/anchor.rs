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
        let mut candidate = Some(start);
        while let Some(folder) = candidate {
            let has = |marker: &String| root.has_file(ItemKind::Tool, &join(folder, marker));
            if anchor.markers_any.iter().any(has) {
                return Self::Folder(folder.to_owned());
            }
            candidate = parent(folder);
        }
        Self::Tool
    }
}

/// The folder above; nothing above the folder of the tools.
fn parent(folder: &str) -> Option<&str> {
    if folder.is_empty() { None } else { Some(folder.rsplit_once('/').map_or("", |(above, _)| above)) }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
