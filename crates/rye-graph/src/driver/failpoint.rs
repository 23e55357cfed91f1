//! Places at which a process can be made to end at once, so that tests can show what a journal is worth then.

use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};

/// A place, and at which time of getting there the process ends.
#[derive(Debug)]
pub struct Failpoint {
    place: Place,
    left: AtomicU32,
}

/// A text that names no failpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a failpoint, such as `after-commit:3`")]
pub struct ParseFailpointError {
    text: String,
}

/// Where a process can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The result of a step is there, and nothing of it is written.
    BeforeCommit,
    /// It is written, and not committed.
    InCommit,
    /// It is committed, and nothing of it is done.
    AfterCommit,
    /// A step was just started.
    AfterStart,
    /// A snapshot is written, and not committed.
    InSnapshot,
    /// A snapshot is committed.
    AfterSnapshot,
    /// The database is made, and the run is not in it.
    InBegin,
    /// The end of the run is committed, and nobody has heard of it.
    AfterEnd,
}

impl Failpoint {
    const PLACES: [(&'static str, Place); 8] = [
        ("before-commit", Place::BeforeCommit),
        ("in-commit", Place::InCommit),
        ("after-commit", Place::AfterCommit),
        ("after-start", Place::AfterStart),
        ("in-snapshot", Place::InSnapshot),
        ("after-snapshot", Place::AfterSnapshot),
        ("in-begin", Place::InBegin),
        ("after-end", Place::AfterEnd),
    ];

    /// The names of all places.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::PLACES.iter().map(|(name, _)| *name)
    }

    pub(super) fn pass(failpoint: Option<&Self>, place: Place) {
        let Some(failpoint) = failpoint.filter(|failpoint| failpoint.place == place) else { return };
        if failpoint.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            // As if somebody else had done it: nothing is flushed, and nothing is cleaned up.
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
    }
}

impl FromStr for Failpoint {
    type Err = ParseFailpointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = text.split_once(':').and_then(|(name, count)| {
            let place = Self::PLACES.iter().find(|(known, _)| *known == name)?.1;
            let left = count.parse::<u32>().ok().filter(|count| *count > 0)?;
            Some(Self { place, left: AtomicU32::new(left) })
        });
        parsed.ok_or_else(|| ParseFailpointError { text: text.to_owned() })
    }
}
