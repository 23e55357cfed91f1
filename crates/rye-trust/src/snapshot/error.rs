//! Why there is no snapshot.

use std::io;
use std::path::{Path, PathBuf};

use lillux::Digest;
use rye_item::FilesError;

use super::requires::RequireError;
use crate::{DocumentError, LeftOutReason, NameCollision};

/// A snapshot that cannot be taken.
#[derive(Debug, thiserror::Error)]
#[error("cannot take a snapshot of `{tool}`")]
pub struct SnapshotError {
    tool: String,
    #[source]
    kind: SnapshotErrorKind,
}

/// Why a snapshot cannot be taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotErrorKind {
    /// The tool's path is none, or is not below the anchor.
    #[error("the tool is not below `{folder}`")]
    Outside {
        /// The folder that it should be in.
        folder: String,
    },
    /// The files cannot be listed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The manifest cannot be read.
    #[error("cannot read `{}`", path.display())]
    UnreadableManifest {
        /// The manifest.
        path: PathBuf,
        #[source]
        /// Why.
        source: io::Error,
    },
    /// The manifest does not count.
    #[error("the manifest `{}` does not count", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        #[source]
        /// Why.
        source: DocumentError,
    },
    /// Files are not as the manifest says.
    #[error("{}", list(files))]
    DependencyUnverified {
        /// The folder that the manifest is about.
        folder: PathBuf,
        /// Every such file.
        files: Vec<Mismatch>,
    },
    /// What the tool asks for cannot be given.
    #[error(transparent)]
    Require(#[from] RequireError),
    /// Two files would be one on another file system.
    #[error(transparent)]
    Collision(#[from] NameCollision),
    /// The store cannot be written or read.
    #[error("cannot use `{}`", path.display())]
    Store {
        /// The file or folder.
        path: PathBuf,
        #[source]
        /// Why.
        source: io::Error,
    },
}

/// A file that is not as the manifest says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Its path below the manifest's folder.
    pub path: String,
    /// The digest that it should have.
    pub expected: Digest,
    /// What there is.
    pub found: Found,
}

/// What there is in place of a listed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Other content.
    Changed(Digest),
    /// Nothing that can be used.
    Unusable(LeftOutReason),
}

/// A folder that cannot hold snapshots.
#[derive(Debug, thiserror::Error)]
#[error("`{}` cannot hold snapshots", path.display())]
pub struct SnapshotStoreError {
    pub(super) path: PathBuf,
    #[source]
    pub(super) refusal: StoreRefusal,
}

/// Why a folder cannot hold snapshots.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreRefusal {
    /// It belongs to somebody else.
    #[error("it belongs to user {owner}, not to user {user}")]
    Owner {
        /// Whom it belongs to.
        owner: u32,
        /// Who wants to use it.
        user: u32,
    },
    /// Others can write there.
    #[error("its mode {mode:04o} lets others write")]
    Writable {
        /// The permission bits found.
        mode: u32,
    },
    /// The file system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl SnapshotError {
    pub(super) fn new(tool: &str, kind: SnapshotErrorKind) -> Self {
        Self { tool: tool.to_owned(), kind }
    }

    /// Why it cannot be taken.
    #[must_use]
    pub fn kind(&self) -> &SnapshotErrorKind {
        &self.kind
    }
}

impl SnapshotErrorKind {
    pub(super) fn store(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Store { path, source }
    }
}

impl SnapshotStoreError {
    /// Why the folder cannot hold snapshots.
    #[must_use]
    pub fn refusal(&self) -> &StoreRefusal {
        &self.refusal
    }
}

fn list(files: &[Mismatch]) -> String {
    let Some(first) = files.first() else { return String::new() };
    let Mismatch { path, expected, found } = first;
    let found = match found {
        Found::Changed(digest) => format!("`{path}` was changed: expected {expected}, found {digest}"),
        Found::Unusable(reason) => format!("`{path}` is not there as it was signed: {reason}"),
    };
    match files.len() - 1 {
        0 => found,
        more => format!("{found}, and {more} more"),
    }
}
