//! What a snapshot is to hold.

use std::path::PathBuf;

use rye_item::{ItemBytes, ItemKind, SpaceRoot};

use crate::DependencyRules;
use crate::file_trust::FileTrust;

/// What a snapshot is to hold.
#[derive(Clone, Copy)]
pub struct SnapshotRequest<'a> {
    /// The space of the tool.
    pub root: &'a SpaceRoot,
    /// The kind of items in whose folder everything is.
    pub kind: ItemKind,
    /// The tool.
    pub tool: SnapshotTool<'a>,
    /// What else.
    pub extent: Extent<'a>,
    /// Folders beside the tool's files that are not copied but linked to, by name. What is in them belongs to the
    /// interpreter, and nobody has verified it.
    pub links: &'a [SnapshotLink],
    /// Who decides which files are verified.
    pub trust: &'a dyn FileTrust,
}

/// The tool of a snapshot, which is verified already.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotTool<'a> {
    /// Its path below the kind's folder, with its extension.
    pub path: &'a str,
    /// The bytes that were verified.
    pub bytes: &'a ItemBytes,
    /// Whether the file can be executed.
    pub executable: bool,
}

/// What a snapshot holds beside the tool.
#[derive(Debug, Clone, Copy)]
pub enum Extent<'a> {
    /// All verified files below a folder.
    Anchor {
        /// The folder, below that of the kind; empty for that one itself. The tool is in it.
        folder: &'a str,
        /// Which of its folders are looked into.
        rules: &'a DependencyRules,
    },
    /// What the tool asks for, and nothing else.
    Alone {
        /// Paths and glob patterns, from the tool's folder on. What they name has to be verified.
        requires: &'a [String],
    },
}

/// A folder that a snapshot links to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SnapshotLink {
    /// Its name at the top of the snapshot.
    pub name: String,
    /// The folder.
    pub target: PathBuf,
}
