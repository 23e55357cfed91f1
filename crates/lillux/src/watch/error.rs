//! What can go wrong with a watch.

use std::io;
use std::path::{Path, PathBuf};

/// Files cannot be watched, or not any longer.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch files")]
pub struct WatchError {
    #[source]
    kind: WatchErrorKind,
}

/// Why files cannot be watched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchErrorKind {
    /// The request names no path.
    #[error("no path is given")]
    NothingToWatch,
    /// The path does not exist.
    #[error("there is no `{}`", path.display())]
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// The system allows no more watched folders; on Linux that is `fs.inotify.max_user_watches`.
    #[error("cannot watch `{}`: the system's limit of watched folders is reached", path.display())]
    LimitReached {
        /// The folder that was one too many.
        path: PathBuf,
    },
    /// The path cannot be watched.
    #[error("cannot watch `{}`", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The system's notifications cannot be had.
    #[error("cannot receive notifications")]
    Notifications(#[source] io::Error),
}

impl WatchError {
    /// Why files cannot be watched.
    #[must_use]
    pub fn kind(&self) -> &WatchErrorKind {
        &self.kind
    }
}

impl From<WatchErrorKind> for WatchError {
    fn from(kind: WatchErrorKind) -> Self {
        Self { kind }
    }
}

impl WatchErrorKind {
    /// The path cannot even be examined.
    pub(super) fn path(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        if source.kind() == io::ErrorKind::NotFound {
            Self::NotFound { path }
        } else {
            Self::Path { path, source }
        }
    }
}

impl From<notify::Error> for WatchErrorKind {
    fn from(error: notify::Error) -> Self {
        let source = match error.kind {
            notify::ErrorKind::PathNotFound => io::ErrorKind::NotFound.into(),
            notify::ErrorKind::MaxFilesWatch => io::ErrorKind::QuotaExceeded.into(),
            notify::ErrorKind::Io(source) => source,
            other => io::Error::other(notify::Error::new(other)),
        };
        match error.paths.into_iter().next() {
            Some(path) if source.kind() == io::ErrorKind::QuotaExceeded => Self::LimitReached { path },
            Some(path) => Self::path(&path, source),
            None => Self::Notifications(source),
        }
    }
}
