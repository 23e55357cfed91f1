//! The records of runs.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use lillux::CancelToken;
use lillux::clock::{Clock as _, SystemClock};
use lillux::process::Channel;
use rustix::fs::{Mode, OFlags};
use rye_item::Space;
use rye_run::journal::{
    Journal, JournalErrorKind, Pruned, Retention, RunFilter, RunId, RunIdPrefix, RunRecord, RunState,
    STDERR_LOG, STDOUT_LOG,
};

use crate::engine::Call;
use crate::{Engine, EngineError};

/// So many runs are named if one was to be meant.
const NAMED: usize = 5;

impl Engine {
    /// Where records go: the project's own folder if it can be written, else the user's.
    pub(crate) fn state_folders(&self, call: &Call) -> Vec<PathBuf> {
        let project = call.spaces.get(Space::Project).map(|root| root.path().join("state"));
        project.into_iter().chain(self.settings.state.clone()).collect()
    }

    fn journals(&self) -> Result<Vec<Journal>, EngineError> {
        let call = self.call()?;
        let mut journals = Vec::new();
        for folder in self.state_folders(&call).iter().filter(|folder| folder.is_dir()) {
            match Journal::open(folder) {
                // Records go elsewhere then, and are read from there.
                Err(error) if matches!(error.kind(), JournalErrorKind::NotWritable(_)) => {}
                opened => journals.push(opened?),
            }
        }
        Ok(journals)
    }

    /// The runs that a filter lets through, the newest first.
    ///
    /// # Errors
    /// If the records cannot be read.
    pub fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, EngineError> {
        let mut runs = Vec::new();
        for journal in self.journals()? {
            runs.extend(journal.list(filter)?);
        }
        runs.sort_by_key(|run| std::cmp::Reverse(run.id()));
        runs.truncate(filter.limit);
        Ok(runs)
    }

    /// The one run whose id begins so.
    ///
    /// # Errors
    /// If there is none, or there are several.
    pub fn resolve_run(&self, prefix: &RunIdPrefix) -> Result<RunId, EngineError> {
        let mut found = Vec::new();
        for journal in self.journals()? {
            found.extend(journal.with_prefix(prefix, NAMED)?);
        }
        match found.as_slice() {
            [] => Err(EngineError::RunNotFound { id: prefix.to_string() }),
            [only] => Ok(*only),
            _ => Err(EngineError::RunAmbiguous { prefix: prefix.to_string(), runs: found }),
        }
    }

    /// One run, and the folder of its output.
    ///
    /// # Errors
    /// If there is none of this id.
    pub fn find_run(&self, id: RunId) -> Result<(RunRecord, PathBuf), EngineError> {
        let journal = self.journal_of(id)?;
        Ok((journal.get(id)?, journal.output_folder(id)))
    }

    /// The file with what a run has written to a stream up to now, if it is kept.
    ///
    /// # Errors
    /// If there is none of this id, or the file cannot be read.
    pub fn open_run_log(&self, id: RunId, channel: Channel) -> Result<Option<File>, EngineError> {
        let (record, folder) = self.find_run(id)?;
        let name = match channel {
            Channel::Stdout => STDOUT_LOG,
            Channel::Stderr => STDERR_LOG,
        };
        let recorded = match &record.state {
            RunState::Ended(end) => match channel {
                Channel::Stdout => end.stdout.file.as_ref(),
                Channel::Stderr => end.stderr.file.as_ref(),
            },
            RunState::Running | RunState::Lost => None,
        };
        let path = recorded.map_or_else(|| folder.join(name), |file| file.path.clone());
        // The folder may come with a project: neither a link nor a pipe is taken for output.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        match rustix::fs::open(&path, flags, Mode::empty()).map(File::from) {
            Ok(file) if file.metadata().is_ok_and(|metadata| metadata.is_file()) => Ok(Some(file)),
            Ok(_) => Ok(None),
            Err(errno) if io::Error::from(errno).kind() == io::ErrorKind::NotFound => Ok(None),
            Err(errno) => Err(EngineError::RunLog { path, source: errno.into() }),
        }
    }

    /// Waits until a run has ended, but not longer than `timeout`, and gives its record as it is then.
    ///
    /// # Errors
    /// If there is none of this id.
    pub fn wait_for_run(
        &self,
        id: RunId,
        timeout: Option<Duration>,
        cancel: &CancelToken,
    ) -> Result<RunRecord, EngineError> {
        Ok(self.journal_of(id)?.wait(id, timeout, cancel)?)
    }

    /// Forgets old runs.
    ///
    /// # Errors
    /// If the records cannot be changed.
    pub fn prune_runs(&self, retention: &Retention) -> Result<Vec<Pruned>, EngineError> {
        let now = SystemClock.now();
        Ok(self.journals()?.iter().map(|journal| journal.prune(retention, now)).collect::<Result<_, _>>()?)
    }

    pub(crate) fn journal_of(&self, id: RunId) -> Result<Journal, EngineError> {
        for journal in self.journals()? {
            match journal.get(id) {
                Err(error) if matches!(error.kind(), JournalErrorKind::RunNotFound { .. }) => {}
                Err(error) => return Err(error.into()),
                Ok(_) => return Ok(journal),
            }
        }
        Err(EngineError::RunNotFound { id: id.to_string() })
    }
}
