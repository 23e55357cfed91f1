//! The record of one run, from its plan to its end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lillux::CancelToken;
use lillux::clock::{Clock as _, SystemClock};
use lillux::process::{ProcessHandle, Remains, Standby};
use rustix::fs::{Access, access};
use rustix::io::Errno;
use rye_plan::{Plan, PlanElement};
use rye_run::journal::{
    ChainEntry, Ending, Journal, JournalError, JournalErrorKind, OutputFile, RequestSummary, ResultPreview,
    RunEnd, RunId, RunStart, RunStatus, Spool, StreamRecord,
};
use rye_run::mask::Mask;
use rye_run::runner::{Failure, Outcome, Start, Stream};
use rye_run::workers::WorkerPool;
use rye_trust::Signer;

use crate::engine::Call;
use crate::late_begin::Watched;
use crate::run_log::LoggedOutput;
use crate::{Engine, EngineError, ErrorCode, Warm};

/// The record of a run that is written after its answer was given.
///
/// If it is dropped, it is written as well, and nobody hears of it if that fails.
#[derive(Debug)]
pub struct PendingRecord {
    id: RunId,
    folders: Vec<PathBuf>,
    facts: Option<Arc<RunFacts>>,
    end: Option<RunEnd>,
    watched: Option<Arc<Watched>>,
    /// Where it is written if it is the only one of this process.
    spool: Option<Spool>,
    /// Whether somebody else has written down its begin.
    is_begun: bool,
    /// What is left of its processes: nobody waits for them before the answer.
    remains: Option<Remains>,
    /// Who buries them, if not we.
    pool: Option<Arc<WorkerPool>>,
    /// What has a guard ready for the next run, if this process lives for more than one.
    standby: Option<Arc<Standby>>,
}

/// What is known of a run before it begins.
#[derive(Debug)]
pub(crate) struct RunFacts {
    id: RunId,
    chain: Arc<[PlanElement]>,
    request: RequestSummary,
}

impl RunFacts {
    /// What is kept of a plan. The parameters are masked here.
    pub(crate) fn new(id: RunId, plan: &Plan, mask: &Mask) -> Self {
        Self {
            id,
            chain: Arc::clone(&plan.chain),
            request: RequestSummary::of(&mask.mask_text(&plan.parameters.to_json())),
        }
    }

    /// The begin of the run, if this process watches over it.
    pub(crate) fn start(&self, supervisor: ProcessHandle) -> RunStart {
        let Self { id, chain, request } = self;
        RunStart {
            id: *id,
            item: chain[0].item.clone(),
            supervisor,
            chain: chain.iter().map(chain_entry).collect(),
            request: request.clone(),
        }
    }
}

impl PendingRecord {
    pub(crate) fn new(engine: &Engine, call: &Call, id: RunId) -> Self {
        let folders = engine.state_folders(call);
        let pool = match &engine.settings.warm {
            Warm::Pool(pool) => Some(Arc::clone(pool)),
            Warm::Cold | Warm::Borrow => None,
        };
        Self {
            id,
            folders,
            facts: None,
            end: None,
            watched: None,
            spool: None,
            is_begun: false,
            remains: None,
            pool,
            standby: engine.standby.clone(),
        }
    }

    /// Somebody else has written down the begin of the run.
    pub(crate) fn begun(mut self) -> Self {
        self.is_begun = true;
        self
    }

    /// The id of the run.
    #[must_use]
    pub fn run_id(&self) -> RunId {
        self.id
    }

    /// The record of this plan, which is about to run.
    pub(crate) fn of(mut self, plan: &Plan, mask: &Mask) -> Self {
        self.facts = Some(Arc::new(RunFacts::new(self.id, plan, mask)));
        self
    }

    /// The program has been started. While it runs there is time for what its record needs, if the process ends with the run.
    pub(crate) fn prepare(&mut self) {
        if self.pool.is_none() {
            self.spool = self.open_spool();
        }
    }

    /// Where the record goes without a database, unless somebody has written down the begin of the run there.
    fn open_spool(&self) -> Option<Spool> {
        let facts = self.facts.as_ref().filter(|_| !self.is_begun)?;
        Spool::open(self.folders.first()?, &facts.start(ProcessHandle::current().ok()?))
    }

    /// The run goes on, and has for so long. Its begin is written down meanwhile, and whoever asks for its end cancels
    /// `cancel`.
    pub(crate) fn goes_on(&mut self, engine: &Engine, cancel: &CancelToken, since: Duration) {
        // It may be told more than once: when a server has to be started for it, and when that takes its time.
        let is_new = self.watched.is_none() && !self.folders.is_empty();
        if let (Some(facts), true) = (&self.facts, is_new) {
            let run = Watched::new(Arc::clone(facts), self.folders.clone(), cancel);
            self.watched = Some(engine.late_begins.watch(run, since));
        }
    }

    /// Where long output of the run goes.
    pub(crate) fn output_folder(&self) -> PathBuf {
        let folder = match self.folders.as_slice() {
            [only] => Some(only),
            several => several.iter().find(|folder| can_be_written(folder)).or(several.first()),
        };
        let base = folder.cloned().unwrap_or_else(std::env::temp_dir);
        base.join("output").join(self.id.to_string())
    }

    pub(crate) fn ended(mut self, outcome: &mut Outcome) -> Self {
        self.remains = outcome.remains.take();
        self.pool.take_if(|_| outcome.start != Start::Warm);
        if self.standby.is_none() {
            // Whoever has called waits for our end, and in the meantime another processor sees to this one's.
            self.let_go();
        }
        self.end_with(RunEnd {
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
        self.end_with(failure(&error));
        // The error of the run is the one to tell.
        let _ = self.write();
        error
    }

    /// All output is in these files, and was written there while it came.
    pub(crate) fn logged(&mut self, [stdout, stderr]: [LoggedOutput; 2]) {
        if let Some(end) = &mut self.end {
            for (stream, log) in [(&mut end.stdout, stdout), (&mut end.stderr, stderr)] {
                if let Some(spool) = stream.file.take() {
                    // What is in it is in the log too.
                    let _ = std::fs::remove_file(spool.path);
                }
                *stream = log.into();
            }
        }
    }

    /// How the run ended, if it has.
    pub(crate) fn status(&self) -> RunStatus {
        self.end.as_ref().map_or(RunStatus::Running, |end| end.ending.status())
    }

    /// Writes the record.
    ///
    /// # Errors
    /// If it cannot be written. That is no reason for the run to have failed.
    pub fn write(mut self) -> Result<(), JournalError> {
        self.write_once()
    }

    fn end_with(&mut self, end: RunEnd) {
        if let Some(folder) = self.watched.take().as_deref().and_then(Watched::has_ended) {
            // Where its begin is, its end belongs.
            (self.folders, self.spool) = (vec![folder.to_owned()], None);
        }
        self.end = Some(end);
    }

    /// Lets what is left of the run go while its record is written.
    fn let_go(&mut self) {
        match &self.pool {
            Some(pool) => self.remains.take().into_iter().for_each(|remains| pool.bury(remains)),
            None => self.remains.iter().for_each(Remains::let_go),
        }
    }

    fn write_once(&mut self) -> Result<(), JournalError> {
        let Some(mut end) = self.end.take() else { return Ok(()) };
        self.let_go();
        let spool = self.spool.take().or_else(|| self.open_spool());
        let (Some(facts), Ok(supervisor)) = (self.facts.take(), ProcessHandle::current()) else {
            return Ok(());
        };
        if self.folders.is_empty() {
            return Ok(());
        }
        if let Some(spool) = spool
            && spool.append(&end)?
        {
            return Ok(());
        }
        let journal = Journal::open_first(&self.folders)?;
        for stream in [&mut end.stdout, &mut end.stderr] {
            resolve_links(stream);
        }
        let start = facts.start(supervisor);
        match journal.record(&start, &end) {
            // Whoever had to end it has said so already.
            Err(error) if matches!(error.kind(), JournalErrorKind::AlreadyEnded { .. }) => Ok(()),
            Err(error) if matches!(error.kind(), JournalErrorKind::ForeignOutput { .. }) => {
                (end.stdout.file, end.stderr.file) = (None, None);
                journal.record(&start, &end)
            }
            written => written,
        }
    }
}

impl Drop for PendingRecord {
    fn drop(&mut self) {
        if let Some(watched) = self.watched.take() {
            watched.has_ended();
        }
        let _ = self.write_once();
        if let Some(standby) = &self.standby {
            standby.refill();
        }
    }
}

/// A run that did not come about.
pub(crate) fn failure(error: &EngineError) -> RunEnd {
    RunEnd {
        ended: SystemClock.now(),
        duration: Duration::ZERO,
        ending: Ending::Failed { exit_code: None, error: error.code().as_str().to_owned() },
        stdout: StreamRecord::default(),
        stderr: StreamRecord::default(),
        preview: None,
    }
}

/// Whether a folder can be written, or else be made. It may turn out to be wrong, and then the record says so.
fn can_be_written(folder: &Path) -> bool {
    let permitted = |folder: &Path| access(folder, Access::WRITE_OK | Access::EXEC_OK);
    let mut answers = folder.ancestors().map(permitted);
    answers.find(|answer| *answer != Err(Errno::NOENT)).is_some_and(|answer| answer.is_ok())
}

fn resolve_links(stream: &mut StreamRecord) {
    if let Some(file) = &mut stream.file
        && let Ok(path) = file.path.canonicalize()
    {
        file.path = path;
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
