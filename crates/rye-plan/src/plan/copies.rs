//! Where the files are that run.

use std::path::PathBuf;

use lillux::Digest;
use rye_item::LayoutError;
use rye_metadata::metadata::{Anchor, VerifyDeps};
use rye_trust::snapshot::{Snapshot, SnapshotError, SnapshotStoreError};
use rye_trust::{LeftOut, UntrustedProject};

use crate::{AnchorPlace, Link};

/// Gives paths to copies of verified files.
pub trait Copies {
    /// A private copy of a tool and of the verified files beside it.
    ///
    /// # Errors
    /// If a file that belongs to it is not as it was signed, or the copy cannot be made.
    fn tool(&self, request: &CopyRequest<'_>) -> Result<ToolCopy, CopyError>;

    /// A folder beside an executor's file, with verified files in it and no others; nothing if there is none.
    ///
    /// # Errors
    /// As for a tool.
    fn beside(&self, link: &Link, below: &str) -> Result<Option<PathBuf>, CopyError>;

    /// Where the anchor of a tool is, as one of its executors declares it.
    fn anchor(&self, anchor: &Anchor, executor: &Link, tool: &Link) -> AnchorPlace;

    /// The system space as a folder.
    ///
    /// # Errors
    /// If it cannot be laid out.
    fn system_space(&self) -> Result<PathBuf, CopyError>;
}

/// What is copied.
#[derive(Debug, Clone, Copy)]
pub struct CopyRequest<'a> {
    /// The tool.
    pub tool: &'a Link,
    /// The folder that is copied with it, by its path below that of the tools, and which of its files.
    pub anchor: Option<(&'a str, &'a VerifyDeps)>,
    /// Folders of the anchor that an installer has made. They are not copied: they belong to the interpreter.
    pub installed: &'a [String],
}

/// A copy of a tool.
#[derive(Debug, Clone)]
pub struct ToolCopy {
    /// The folder that stands for the anchor, or for the tool's own folder.
    pub root: PathBuf,
    /// The tool in it.
    pub tool: PathBuf,
    /// Whether there is anything in it beside the tool.
    pub has_others: bool,
    /// Files that are not in the copy, and why.
    pub left_out: Vec<LeftOut>,
    /// What keeps the copy while it is used; nothing for what is part of the program.
    pub snapshot: Option<Snapshot>,
    /// The digest of the tool that was verified, if it is the one in the copy.
    pub content: Option<Digest>,
    /// Whether the copy was compared with that for this very plan. If not, it is there to be named, and must not run.
    pub is_compared: bool,
}

/// A copy that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// A file is not as it was signed, or the copy cannot be written.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The system space cannot be laid out.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The folder for copies cannot be used.
    #[error(transparent)]
    Store(#[from] SnapshotStoreError),
    /// It belongs to a project that is not trusted.
    #[error(transparent)]
    Untrusted(#[from] UntrustedProject),
    /// What the tool names as its program is not among the verified files.
    #[error(
        "`{entry}`, which the tool runs, is neither signed nor in the manifest, or is not below the tool's folder"
    )]
    Entry {
        /// What the tool says.
        entry: String,
    },
    /// There is no folder to put copies in.
    #[error("there is no folder for copies of the files that run: neither XDG_CACHE_HOME nor HOME is set")]
    NoFolder,
}
