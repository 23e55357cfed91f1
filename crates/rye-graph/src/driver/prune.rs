//! Forgetting runs that are over. What is not over, or cannot be read, is never removed.

use std::fmt;
use std::io;
use std::path::Path;

use super::{GraphJournalError, GraphJournalErrorKind as Kind, GraphRuns, RunSummary};

/// Which runs are kept. One that is not over is kept in any case, and so is one that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphRetention {
    /// So many of the newest runs are kept.
    pub newest: usize,
    /// Runs that began at this time or later are kept too, in microseconds since 1970.
    pub since: Option<i64>,
}

/// What became of a run that was to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// It is gone, with everything that belonged to it.
    Removed,
    /// It is still there.
    Kept(WhyKept),
}

/// Why a run is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhyKept {
    /// It is not over.
    Unfinished,
    /// A process has a hand on it.
    Driven,
    /// It is a step of that run, which is not over, and would be made again without it.
    StepOf(String),
}

/// What was forgotten.
#[derive(Debug, Default)]
pub struct PrunedRuns {
    /// The runs that are gone.
    pub removed: usize,
    /// Runs that could not be removed, or not even be read, with the reason.
    pub failed: Vec<(String, GraphJournalError)>,
}

/// What is left of a run while it is being removed. It is in no list any more.
const GONE: &str = "gone";

impl GraphRuns {
    /// Removes a run that is over, or never began.
    ///
    /// # Errors
    /// If there is none, its journal cannot be read, or the system refuses.
    pub fn remove(&self, id: &str) -> Result<Removal, GraphJournalError> {
        let path = self.path(id);
        if !path.is_file() {
            return Err(GraphJournalError::new(&path, Kind::NotFound));
        }
        let Some(lock) = self.try_lock(id)? else { return Ok(Removal::Kept(WhyKept::Driven)) };
        let key = match self.open(id).and_then(|journal| journal.summary()) {
            Ok(summary) => {
                if let Some(why) = self.why_kept(&summary)? {
                    return Ok(Removal::Kept(why));
                }
                summary.header.key
            }
            Err(error) if matches!(error.kind(), Kind::NeverBegan) => None,
            Err(error) => return Err(error),
        };
        let remove = || -> io::Result<()> {
            if let Some(key) =
                key.filter(|key| self.find_by_key(key).is_ok_and(|run| run.as_deref() == Some(id)))
            {
                absent_is_fine(std::fs::remove_file(self.key_path(&key)))?;
            }
            // From here on nobody finds it, and whoever prunes next ends what was begun.
            std::fs::rename(&path, path.with_extension(GONE))?;
            remove_rest(&path)
        };
        remove().map_err(|error| GraphJournalError::new(&path, error))?;
        drop(lock);
        Ok(Removal::Removed)
    }

    /// Removes all runs that are over, or never began, and that `retention` does not keep.
    ///
    /// # Errors
    /// If the folder cannot be read. What is wrong with single runs is part of the answer.
    pub fn prune(&self, retention: &GraphRetention) -> Result<PrunedRuns, GraphJournalError> {
        let mut pruned = PrunedRuns::default();
        let ids = self.ids()?;
        for id in ids.iter().skip(retention.newest) {
            let removed = match retention.since {
                Some(since) if self.has_begun_since(id, since) => continue,
                _ => self.remove(id),
            };
            match removed {
                Ok(Removal::Removed) => pruned.removed += 1,
                Ok(Removal::Kept(_)) => {}
                // Somebody else was faster.
                Err(error) if matches!(error.kind(), Kind::NotFound) => {}
                Err(error) => pruned.failed.push((id.clone(), error)),
            }
        }
        self.end_removals()?;
        Ok(pruned)
    }

    fn why_kept(&self, run: &RunSummary) -> Result<Option<WhyKept>, GraphJournalError> {
        if !run.status.is_over() {
            return Ok(Some(WhyKept::Unfinished));
        }
        // The key of a step begins with its run. If that run is interrupted before it has heard how the step ended, it
        // asks for the same step again, and must find it done.
        let Some((parent, _)) = run.header.key.as_deref().and_then(|key| key.split_once('/')) else {
            return Ok(None);
        };
        match self.open(parent).and_then(|journal| journal.status()) {
            Ok(status) if status.is_over() => Ok(None),
            Ok(_) => Ok(Some(WhyKept::StepOf(parent.to_owned()))),
            Err(error) if matches!(error.kind(), Kind::NotFound | Kind::NeverBegan) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn has_begun_since(&self, id: &str, since: i64) -> bool {
        // One that cannot be read fails where it is to be removed.
        self.open(id).is_ok_and(|journal| journal.header().started >= since)
    }

    /// Ends removals that were interrupted.
    fn end_removals(&self) -> Result<(), GraphJournalError> {
        let failed = |error| GraphJournalError::new(self.folder(), Kind::Io(error));
        let entries = match self.folder().read_dir() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(failed)?,
        };
        for entry in entries.filter_map(Result::ok) {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == GONE) {
                // What cannot be removed now may be at another time.
                let _ = remove_rest(&path);
            }
        }
        Ok(())
    }
}

/// Removes what belongs to a run whose journal is out of the way, and the journal at last.
fn remove_rest(path: &Path) -> io::Result<()> {
    for extension in ["sqlite3-wal", "sqlite3-shm", "lock", "key-draft"] {
        absent_is_fine(std::fs::remove_file(path.with_extension(extension)))?;
    }
    absent_is_fine(std::fs::remove_dir_all(path.with_extension("values")))?;
    absent_is_fine(std::fs::remove_file(path.with_extension(GONE)))
}

fn absent_is_fine(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

impl fmt::Display for WhyKept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfinished => f.write_str("it is not over"),
            Self::Driven => f.write_str("a process drives it"),
            Self::StepOf(run) => write!(f, "it is a step of run `{run}`, which is not over"),
        }
    }
}
