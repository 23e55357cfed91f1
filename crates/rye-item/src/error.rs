//! Why an item is not found.

use std::io;
use std::path::{Path, PathBuf};

use crate::{ItemId, ItemRef, Space};

/// An item that cannot be found, or not for certain.
#[derive(Debug, thiserror::Error)]
#[error("cannot find {} `{}`", item.kind, item.id)]
pub struct LocateError {
    pub(crate) item: ItemRef,
    #[source]
    pub(crate) kind: LocateErrorKind,
}

/// What stood in the way.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocateErrorKind {
    /// There is no such item.
    #[error("there is none in {}", list(searched))]
    NotFound {
        /// The folders that were searched, in order.
        searched: Vec<PathBuf>,
        /// Ids that look like it. Finding them takes a walk, so it is left to whoever shows the error.
        similar: Vec<ItemId>,
    },
    /// Several files of one space answer to the id.
    #[error("several files of the {space} space answer to that: {}", list(candidates))]
    Ambiguous {
        /// The space.
        space: Space,
        /// The files.
        candidates: Vec<PathBuf>,
    },
    /// The file, or a folder on the way to it, is a symbolic link.
    #[error("`{path}` is, or is reached through, a symbolic link; a space holds real files only")]
    Link {
        /// The file.
        path: PathBuf,
    },
    /// There is something of that name, but it is not a file.
    #[error("`{path}` is not a regular file")]
    NotAFile {
        /// Its path.
        path: PathBuf,
    },
    /// The file system refused.
    #[error("cannot open `{path}`")]
    Open {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
}

/// A space that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the {space} space at `{path}`")]
pub struct SpaceError {
    pub(crate) space: Space,
    pub(crate) path: PathBuf,
    #[source]
    pub(crate) kind: SpaceErrorKind,
}

/// Why not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceErrorKind {
    /// A project's `.ai` is a symbolic link.
    #[error("a project's `.ai` must be a folder, not a symbolic link")]
    Link,
    /// The folder was named by somebody, and is not there.
    #[error("there is no such folder")]
    Missing,
    /// The file system refused.
    #[error("it cannot be opened")]
    Open(#[source] io::Error),
}

impl LocateError {
    /// An error about `item`.
    #[must_use]
    pub fn new(item: ItemRef, kind: LocateErrorKind) -> Self {
        Self { item, kind }
    }

    /// What stood in the way.
    #[must_use]
    pub fn kind(&self) -> &LocateErrorKind {
        &self.kind
    }

    /// What stood in the way, to add to it.
    pub fn kind_mut(&mut self) -> &mut LocateErrorKind {
        &mut self.kind
    }

    /// The item that was looked for.
    #[must_use]
    pub fn item(&self) -> &ItemRef {
        &self.item
    }
}

impl SpaceError {
    /// Which space it is.
    #[must_use]
    pub fn space(&self) -> Space {
        self.space
    }

    /// Its folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why the space cannot be used.
    #[must_use]
    pub fn kind(&self) -> &SpaceErrorKind {
        &self.kind
    }
}

fn list(paths: &[PathBuf]) -> String {
    let quoted: Vec<_> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    if quoted.is_empty() { "any space".to_owned() } else { quoted.join(", ") }
}
