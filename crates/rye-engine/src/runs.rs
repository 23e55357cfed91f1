//! The records of runs.

use std::path::PathBuf;
use std::time::Duration;

use lillux::CancelToken;
use lillux::clock::{Clock as _, SystemClock};
use lillux::process::ProcessHandle;
use rye_item::Space;
use rye_plan::{Plan, PlanElement};
use rye_run::journal::{
    ChainEntry, Ending, Journal, JournalError, OutputFile, Pruned, RequestSummary, ResultPreview, Retention,
    RunEnd, RunFilter, RunId, RunRecord, RunStart, StreamRecord,
};
use rye_run::mask::Mask;
use rye_run::runner::{Failure, Outcome, Stream};
use rye_trust::Signer;

use crate::engine::Call;
use crate::{Engine, EngineError, ErrorCode, ExecuteRequest};

/// The record of a run that is written after its answer was given. If it is dropped, nothing is written.
#[derive(Debug)]
pub struct PendingRecord {
    folders: Vec<PathBuf>,
    start: Option<RunStart>,
    end: Option<RunEnd>,
    id: RunId,
}

impl PendingRecord {
    pub(crate) fn new(engine: &Engine, call: &Call, id: RunId, _request: &ExecuteRequest) -> Self {
        Self { folders: engine.state_folders(call), start: None, end: None, id }
    }

    /// The id of the run.
    #[must_use]
    pub fn run_id(&self) -> RunId {
        self.id
    }

    pub(crate) fn of(mut self, plan: &Plan, mask: &Mask) -> Self {
        let Ok(supervisor) = ProcessHandle::current() else { return self };
        self.start = Some(RunStart {
            id: self.id,
            item: plan.chain[0].item.clone(),
            supervisor,
            chain: plan.chain.iter().map(chain_entry).collect(),
            request: RequestSummary::of(&mask.mask_text(&plan.parameters.to_json())),
        });
        self
    }

    /// Where long output of the run goes.
    pub(crate) fn output_folder(&self) -> PathBuf {
        let base = self.folders.first().cloned().unwrap_or_else(std::env::temp_dir);
        base.join("output").join(self.id.to_string())
    }

    pub(crate) fn ended(mut self, outcome: &Outcome) -> Self {
        self.end = Some(RunEnd {
            ended: SystemClock.now(),
            duration: outcome.duration,
            ending: ending(outcome),
            stdout: stream(&outcome.output),
            stderr: stream(&outcome.errors),
            preview: Some(ResultPreview::of(&String::from_utf8_lossy(&outcome.output.bytes))),
        });
        self
    }

    /// Writes down that the run did not come about, and gives the error back.
    pub(crate) fn failed(mut self, error: EngineError) -> EngineError {
        self.end = Some(RunEnd {
            ended: SystemClock.now(),
            duration: Duration::ZERO,
            ending: Ending::Failed { exit_code: None, error: error.code().as_str().to_owned() },
            stdout: StreamRecord::default(),
            stderr: StreamRecord::default(),
            preview: None,
        });
        // The error of the run is the one to tell.
        let _ = self.write();
        error
    }

    /// Writes the record.
    ///
    /// # Errors
    /// If it cannot be written. That is no reason for the run to have failed.
    pub fn write(self) -> Result<(), JournalError> {
        let (Some(start), Some(end)) = (self.start, self.end) else { return Ok(()) };
        if self.folders.is_empty() {
            return Ok(());
        }
        Journal::open_first(&self.folders)?.record(&start, &end)
    }
}

fn chain_entry(element: &PlanElement) -> ChainEntry {
    ChainEntry {
        item: element.item.clone(),
        space: element.space,
        digest: element.digest,
        signer: match &element.signer {
            Signer::Key { key, .. } => Some(key.to_string()),
            Signer::Program => Some("program".to_owned()),
            Signer::Waived { .. } => None,
        },
    }
}

fn ending(outcome: &Outcome) -> Ending {
    match outcome.failure {
        None => Ending::Succeeded { exit_code: outcome.exit_code },
        Some(Failure::TimedOut { .. }) => Ending::TimedOut,
        Some(Failure::Cancelled) => Ending::Cancelled,
        Some(failure) => Ending::Failed {
            exit_code: outcome.exit_code,
            error: ErrorCode::of_failure(failure).as_str().to_owned(),
        },
    }
}

fn stream(stream: &Stream) -> StreamRecord {
    StreamRecord {
        bytes: stream.total,
        file: stream.file.as_ref().map(|(path, digest)| OutputFile { path: path.clone(), digest: *digest }),
    }
}

impl Engine {
    /// Where records go: the project's own folder if it can be written, else the user's.
    pub(crate) fn state_folders(&self, call: &Call) -> Vec<PathBuf> {
        let project = call.spaces.get(Space::Project).map(|root| root.path().join("state"));
        project.into_iter().chain(self.settings.state.clone()).collect()
    }

    fn journals(&self) -> Result<Vec<Journal>, EngineError> {
        let call = self.call()?;
        let folders = self.state_folders(&call);
        let existing = folders.iter().filter(|folder| folder.is_dir());
        Ok(existing.map(|folder| Journal::open(folder)).collect::<Result<_, _>>()?)
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

    /// One run, and the folder of its output.
    ///
    /// # Errors
    /// If there is none of this id.
    pub fn find_run(&self, id: RunId) -> Result<(RunRecord, PathBuf), EngineError> {
        let journal = self.journal_of(id)?;
        Ok((journal.get(id)?, journal.output_folder(id)))
    }

    /// Waits until a run has ended.
    ///
    /// # Errors
    /// If there is none of this id, or the time is over.
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

    fn journal_of(&self, id: RunId) -> Result<Journal, EngineError> {
        for journal in self.journals()? {
            if journal.get(id).is_ok() {
                return Ok(journal);
            }
        }
        Err(EngineError::RunNotFound { id })
    }
}
