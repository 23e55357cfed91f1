//! From a plan to what came of it: the one part that acts.

mod error;
mod http;
mod outcome;
mod process;
mod progress;
mod session;

use std::path::PathBuf;
use std::time::Duration;

use lillux::http::HttpClient;
use lillux::process::{Channel, Standby};
use lillux::{CancelToken, Overflow, StreamLimit};
use rye_plan::{Action, Plan};

pub use error::RunnerError;
pub use outcome::{Failure, HttpAnswer, Outcome, OutputData, Start, Stream};
pub use progress::Progress;

use self::process::Conditions;
use crate::mask::Mask;
use crate::secrets::SecretValues;
use crate::sessions::Sessions;
use crate::workers::{Borrower, Stillness, WorkerPool};

/// What a run has beside its plan.
#[derive(Debug)]
pub struct RunContext<'a> {
    /// The secrets that the plan names.
    pub secrets: &'a SecretValues,
    /// What takes them out of everything that is shown or kept.
    pub mask: &'a Mask,
    /// What stops the run.
    pub cancel: Option<&'a CancelToken>,
    /// Where output goes that is too long to be kept in memory; it is made if it is needed.
    pub output_folder: PathBuf,
    /// How many bytes of each stream are kept in memory.
    pub memory: usize,
    /// What sends requests; made when the first one is sent.
    pub http: &'a HttpSender,
    /// Who has processes ready, if anybody does.
    pub workers: Option<WarmSource<'a>>,
    /// Who has a guard ready, if this process makes many runs.
    pub standby: Option<&'a Standby>,
    /// What keeps connections, if anything does.
    pub sessions: Option<&'a dyn Sessions>,
}

/// Who has processes ready.
#[derive(Debug, Clone, Copy)]
pub enum WarmSource<'a> {
    /// We have; and somebody may know whether what they depend on is what it was.
    Own(&'a WorkerPool, Option<&'a dyn Stillness>),
    /// Others may have.
    Others(&'a Borrower),
}

/// A run that takes no longer than this is short.
pub const SHORT_RUN: Duration = Duration::from_millis(50);

/// Something that happens during a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunEvent<'a> {
    /// The program has been started.
    Started {
        /// Its process id.
        pid: u32,
    },
    /// It has gone on for so long, and goes on. Short runs end before that is told.
    GoesOn {
        /// How long.
        since: Duration,
    },
    /// The program has written something. Secrets are masked in it.
    Output {
        /// Where.
        channel: Channel,
        /// What.
        bytes: &'a [u8],
    },
    /// It tells how far it is, by such a line on its standard error: `progress: 3/10 copying`.
    Progress(Progress<'a>),
}

/// An HTTP client that is made when it is needed for the first time.
#[derive(Debug, Default)]
pub struct HttpSender(std::sync::OnceLock<HttpClient>);

impl RunContext<'_> {
    fn stream_limit(&self) -> StreamLimit {
        StreamLimit { memory: self.memory, overflow: Overflow::Spool(self.output_folder.clone()) }
    }
}

/// Carries out a plan.
///
/// # Errors
/// If nothing came about at all: the program could not be started, or there was no answer. A program that fails has an
/// outcome.
pub fn run(
    plan: &mut Plan,
    context: &RunContext<'_>,
    events: &mut dyn FnMut(RunEvent<'_>),
) -> Result<Outcome, RunnerError> {
    let Plan { action, environment, secrets, timeout, worker, copy, server_copy, .. } = plan;
    match action {
        Action::Process(program) => {
            let (timeout, worker) = (*timeout, worker.as_mut());
            let copies = [copy.as_ref(), server_copy.as_ref()];
            let conditions = Conditions { environment, secrets, timeout, worker, copies };
            process::run(program, conditions, context, events)
        }
        Action::Http(request) => {
            // What is said to somebody else takes its time.
            events(RunEvent::GoesOn { since: Duration::ZERO });
            http::send(request, *timeout, context)
        }
    }
}
