//! The folder with the journals of runs.

use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rye_item::Digest;

use super::effects::Effects;
use super::timers::{Timers, choose, now};
use super::{
    Begin, Failpoint, GraphJournalError, GraphJournalErrorKind as Kind, Loaded, RunJournal, RunSummary,
    database,
};
use crate::{Graph, Walker};

/// The journals of all runs of a folder.
#[derive(Debug, Clone)]
pub struct GraphRuns {
    folder: PathBuf,
}

/// A run of a folder.
#[derive(Debug)]
pub struct ListedRun {
    /// Its id.
    pub id: String,
    /// How it stands, or why nobody can tell.
    pub summary: Result<RunSummary, GraphJournalError>,
}

/// How long a process that was killed may take until everything that it had started is gone. Until then it has the lock.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(5);

impl GraphRuns {
    /// The runs of a folder, which need not be there yet.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Begins a run. When this returns, it is on the disk.
    ///
    /// # Errors
    /// If there is a run of that id already, or the journal cannot be written.
    pub fn begin(
        &self,
        graph: &Arc<Graph>,
        begin: &Begin,
        failpoint: Option<Failpoint>,
    ) -> Result<Loaded, GraphJournalError> {
        let path = self.path(&begin.header.id);
        let failed = |kind: Kind| GraphJournalError::new(&path, kind);
        let mut walker = match &begin.header.node {
            None => Walker::new(Arc::clone(graph), begin.inputs.clone()),
            Some(node) => {
                let (inputs, state) = (begin.inputs.clone(), begin.state.clone());
                Walker::for_single_node(Arc::clone(graph), node, inputs, state)
                    .ok_or_else(|| failed(Kind::NotFound))?
            }
        };
        let pending = walker.commands();
        let chosen = choose(&pending, now());
        let mut timers = Timers::default();
        timers.follow(&pending, &chosen);
        let effects = Effects { starts: Effects::starts_of(&pending), timers: chosen };
        database::make_folder(&self.folder).map_err(failed)?;
        let lock = self.lock(&begin.header.id)?;
        if let Some(key) = &begin.header.key {
            self.remember(key, &begin.header.id).map_err(|error| failed(error.into()))?;
        }
        let connection = database::create(&path).map_err(failed)?;
        let mut journal = RunJournal::new(&path, connection, begin.header.clone());
        journal.lock = Some(lock);
        journal.fail_at(failpoint);
        journal.begin(begin, effects, walker.finish()).map_err(failed)?;
        Ok(Loaded { journal, walker, timers, pending })
    }

    /// Opens the journal of a run, to read it or to leave a message.
    ///
    /// # Errors
    /// If there is none, or it cannot be used.
    pub fn open(&self, id: &str) -> Result<RunJournal, GraphJournalError> {
        let path = self.path(id);
        let failed = |kind: Kind| GraphJournalError::new(&path, kind);
        let connection = database::open(&path).map_err(failed)?;
        let (header, ..) = RunJournal::read_header(&connection).map_err(failed)?;
        Ok(RunJournal::new(&path, connection, header))
    }

    /// Opens the journal of a run, to drive it.
    ///
    /// # Errors
    /// If there is none, it cannot be used, or another process drives the run.
    pub fn open_to_drive(&self, id: &str) -> Result<RunJournal, GraphJournalError> {
        let path = self.path(id);
        if !path.is_file() {
            return Err(GraphJournalError::new(&path, Kind::NotFound));
        }
        let lock = self.lock(id)?;
        let mut journal = self.open(id)?;
        journal.lock = Some(lock);
        Ok(journal)
    }

    /// The run that a key stands for, if there is one.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn find_by_key(&self, key: &str) -> Result<Option<String>, GraphJournalError> {
        let path = self.key_path(key);
        match std::fs::read_to_string(&path) {
            Ok(id) if self.path(&id).is_file() => Ok(Some(id)),
            Ok(_) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(GraphJournalError::new(&path, error)),
        }
    }

    /// The ids of all runs, the newest first. No journal is opened for it.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn ids(&self) -> Result<Vec<String>, GraphJournalError> {
        let entries = match self.folder.read_dir() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| GraphJournalError::new(&self.folder, error))?,
        };
        let mut ids: Vec<String> = entries
            .filter_map(Result::ok)
            .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".sqlite3").map(str::to_owned))
            .collect();
        ids.sort_unstable_by(|one, other| other.cmp(one));
        Ok(ids)
    }

    /// All runs, the newest first. One that cannot be read is there with the reason.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn list(&self) -> Result<Vec<ListedRun>, GraphJournalError> {
        Ok(self.ids()?.into_iter().map(|id| ListedRun { summary: self.summary(&id), id }).collect())
    }

    /// How a run stands.
    ///
    /// # Errors
    /// If its journal cannot be read.
    pub fn summary(&self, id: &str) -> Result<RunSummary, GraphJournalError> {
        let summary = self.open(id)?.summary()?;
        Ok(RunSummary { driven: !summary.status.is_over() && self.is_driven(id), ..summary })
    }

    /// Whether a process drives the run.
    #[must_use]
    pub fn is_driven(&self, id: &str) -> bool {
        let lock = File::open(self.lock_path(id));
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    pub(super) fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.sqlite3"))
    }

    fn lock_path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.lock"))
    }

    pub(super) fn key_path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{}.key", Digest::of(key.as_bytes())))
    }

    /// Takes the lock of a run. It is gone when the last process is that had a part in driving it.
    fn lock(&self, id: &str) -> Result<File, GraphJournalError> {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(lock) = self.try_lock(id)? {
                return Ok(lock);
            }
            if Instant::now() >= until {
                return Err(GraphJournalError::new(&self.lock_path(id), Kind::Driven));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Takes the lock of a run, if nobody has it.
    pub(super) fn try_lock(&self, id: &str) -> Result<Option<File>, GraphJournalError> {
        let path = self.lock_path(id);
        let failed = |error: io::Error| GraphJournalError::new(&path, error);
        let file = database::file_options().create(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    /// Writes down which run a key stands for; the latest one counts.
    fn remember(&self, key: &str, id: &str) -> io::Result<()> {
        let path = self.key_path(key);
        let draft = self.folder.join(format!("{id}.key-draft"));
        database::file_options().create(true).truncate(true).open(&draft)?.write_all(id.as_bytes())?;
        std::fs::rename(draft, path)
    }
}
