//! Ending a run from elsewhere.

use std::time::{Duration, Instant};

use lillux::clock::{Clock as _, SystemClock};
use lillux::process::{ProcessHandle, kill};
use rye_run::journal::{
    Ending, Journal, JournalErrorKind, RunEnd, RunId, RunRecord, RunStatus, StreamRecord,
};

use crate::async_run::SUPERVISE;
use crate::late_begin::{request_cancel, withdraw_cancel};
use crate::{Engine, EngineError};

/// How long a run has to end. Its processes have two seconds of their own before they are killed.
const GRACE: Duration = Duration::from_secs(6);
const PAUSE: Duration = Duration::from_millis(10);

/// What became of a run that somebody wanted to end.
#[derive(Debug)]
pub enum Cancellation {
    /// It was running, and is over now. Its record says how it ended.
    Ended(Box<RunRecord>),
    /// It was over before.
    WasOver(Box<RunRecord>),
}

impl Engine {
    /// Ends a run. When this returns, no process of it is left.
    ///
    /// # Errors
    /// If there is no such run, or it does not end.
    pub fn cancel_run(&self, id: RunId) -> Result<Cancellation, EngineError> {
        let journal = self.journal_of(id)?;
        let record = journal.get(id)?;
        if record.status() != RunStatus::Running {
            return Ok(Cancellation::WasOver(Box::new(record)));
        }
        let supervisor = &record.start.supervisor;
        if watches_over_nothing_else(supervisor, id) {
            kill(supervisor, GRACE)?;
        } else {
            ask_to_cancel(&journal, &record)?;
        }
        let record = journal.get(id)?;
        if record.status() != RunStatus::Lost {
            return Ok(Cancellation::Ended(Box::new(record)));
        }
        match journal.finish(id, &cancelled(&record)) {
            Err(error) if !matches!(error.kind(), JournalErrorKind::AlreadyEnded { .. }) => Err(error.into()),
            _ => Ok(Cancellation::Ended(Box::new(journal.get(id)?))),
        }
    }
}

/// A process that does other things as well is asked, and not ended.
fn ask_to_cancel(journal: &Journal, record: &RunRecord) -> Result<(), EngineError> {
    let (id, folder) = (record.id(), journal.output_folder(record.id()));
    let failed = |source| EngineError::HandOver { folder: folder.clone(), source };
    request_cancel(&folder).map_err(failed)?;
    let until = Instant::now() + GRACE;
    while journal.get(id)?.status() == RunStatus::Running {
        if Instant::now() >= until {
            withdraw_cancel(&folder);
            return Err(EngineError::NotCancelled { id, pid: record.start.supervisor.pid });
        }
        std::thread::sleep(PAUSE);
    }
    withdraw_cancel(&folder);
    Ok(())
}

/// Whether a process is the supervisor of this run and nothing else. A record may come with a project, and must not make
/// us end any other process.
fn watches_over_nothing_else(process: &ProcessHandle, id: RunId) -> bool {
    let id = id.to_string();
    let is_request = |argument: &[u8]| {
        str::from_utf8(argument).is_ok_and(|path| path.split('/').rev().nth(1) == Some(id.as_str()))
    };
    std::fs::read(format!("/proc/{}/cmdline", process.pid)).is_ok_and(|line| {
        let mut arguments = line.split(|byte| *byte == 0).skip(1);
        arguments.next() == Some(SUPERVISE.as_bytes()) && arguments.next().is_some_and(is_request)
    })
}

/// The end of a run whose supervisor could not tell.
fn cancelled(record: &RunRecord) -> RunEnd {
    let ended = SystemClock.now();
    let micros = ended.unix_micros().saturating_sub(record.start.started().unix_micros());
    RunEnd {
        ended,
        duration: Duration::from_micros(u64::try_from(micros).unwrap_or(0)),
        ending: Ending::Cancelled,
        stdout: StreamRecord::default(),
        stderr: StreamRecord::default(),
        preview: None,
    }
}
