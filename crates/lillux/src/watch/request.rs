//! What is asked of a watch, and what it tells.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// What to watch, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchRequest {
    /// Files and folders, which must exist. A file is watched by its name, so it can be replaced meanwhile.
    pub paths: Vec<PathBuf>,
    /// How far below the folders.
    pub depth: Depth,
    /// The longest that the watch may take.
    pub timeout: Option<Duration>,
    /// When it has seen enough.
    pub until: Until,
}

/// How far below a folder changes count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The folder's own entries.
    Shallow,
    /// Everything below it, folders that come into being included. Links are not followed.
    Recursive,
}

/// When a watch has seen enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// After one change.
    First,
    /// After this many changes.
    Count(NonZeroUsize),
    /// Never.
    Forever,
}

/// Something that a watch tells. Paths begin with the path as it was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchEvent {
    /// Every change from now on is seen. It comes first, once, and does not count as a change.
    Ready,
    /// A file or folder has come into being, or was moved here from a place that is not watched, maybe in place
    /// of another.
    Created(PathBuf),
    /// The content of a file has changed, or the permissions or times of a file or folder.
    Modified(PathBuf),
    /// A file or folder is gone, or was moved to a place that is not watched.
    Removed(PathBuf),
    /// A file or folder was moved within what is watched.
    Renamed {
        /// Its path before.
        from: PathBuf,
        /// Its path now.
        to: PathBuf,
    },
    /// Changes came faster than the system could keep them; some are lost. Whoever must know has to look.
    Overflowed,
}

/// Why a watch has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchOutcome {
    /// It has seen as many changes as were wanted.
    Satisfied,
    /// Its time was up.
    TimedOut,
    /// It was cancelled.
    Cancelled,
}

impl Until {
    pub(super) fn is_reached(self, changes: usize) -> bool {
        match self {
            Self::First => changes >= 1,
            Self::Count(count) => changes >= count.get(),
            Self::Forever => false,
        }
    }
}
