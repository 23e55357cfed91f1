//! Processes that are started ahead of the run that they are for.
//!
//! Starting an interpreter often takes longer than what it is then asked to do. A [`Spare`] is a contained process that
//! has got this behind it: its standard streams are pipes of ours, and it waits on its *job socket* for one message that
//! says what to do. [`Spare::offer`] sends that, and if the answer is [`Answer::Taken`], [`Spare::run`] stays with the
//! process until it is over, exactly as [`run_with`](super::run_with) does with a program that it has started itself. A
//! spare has one job in its life.
//!
//! There are two ways to get one. [`Spare::start`] starts a program that becomes the job. A [`SpareServer`] is a program
//! that lives longer, and forks a child for each spare; that child enters a PID namespace of its own, which we have made
//! before (`setns` with the descriptor that the server is sent) and which ends with the run.
//!
//! A spare can be lent to another process ([`Spare::lend`], [`Spare::borrow`]), which then has it like one of its own.
//!
//! What the messages say is between the caller and the program.

mod job_socket;
mod lease;
mod server;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

pub use super::guard_process::{FAREWELL, READY};
pub use job_socket::Answer;
pub(super) use lease::Lease;
pub use lease::Verdict;
pub use server::SpareServer;

use self::job_socket::JobSocket;
use super::contained::Contained;
use super::enclosed::is_readable_within;
use super::image::{ExecImage, Program};
use super::launch::FOURTH;
use super::promptness::be_prompt;
use super::run::{Descriptors, see_through, start_contained};
use super::stdio::{Pipes, Stdio, above_stdio};
use super::{Mechanism, ProcessEvent, Remains, RunError, RunErrorKind, RunOutcome, RunRequest};
use crate::CancelToken;

/// The number of the descriptor at which a program that is started here finds its socket.
pub const SOCKET: RawFd = FOURTH;

/// The longest that we wait for what the kernel has killed.
const DYING: Duration = Duration::from_secs(10);

/// A program to start ahead. Its environment is exactly what is given here.
#[derive(Debug, Clone)]
pub struct SpareRequest {
    /// A path, or a name that is looked up in the `PATH` of [`env`](Self::env).
    pub program: OsString,
    /// The arguments after the program's name.
    pub args: Vec<OsString>,
    /// The working directory; ours if there is none.
    pub cwd: Option<PathBuf>,
    /// The whole environment.
    pub env: BTreeMap<OsString, OsString>,
}

/// A process that waits for its one job. Dropping it ends it.
pub struct Spare {
    process: Contained,
    pipes: Pipes,
    /// The program's ends of them, if we have made them.
    theirs: Option<[OwnedFd; 3]>,
    job: JobSocket,
    /// When its job was offered to it.
    offered: Option<Instant>,
    told: Vec<u8>,
    name: String,
}

impl Spare {
    /// Starts a program that waits for its job at [`SOCKET`], in a PID namespace.
    ///
    /// # Errors
    /// If it cannot be started, or the kernel allows no PID namespace.
    pub fn start(request: &SpareRequest) -> Result<Self, RunError> {
        Self::start_program(request).map_err(|kind| request.failed(kind))
    }

    fn start_program(request: &SpareRequest) -> Result<Self, RunErrorKind> {
        let image = request.image()?;
        let stdio = Stdio::open_ahead().map_err(RunErrorKind::system("make pipes"))?;
        let (ours, theirs) = socket_pair(SocketType::STREAM)?;
        let descriptors = Descriptors { stdio: stdio.descriptors(), fourth: theirs.as_raw_fd() };
        let process =
            start_contained(&image, descriptors, &[Mechanism::PidNamespace], request.cwd.as_deref())?;
        let name = request.program.display().to_string();
        let Stdio { ours: pipes, theirs } = stdio;
        Ok(Self::new(process, pipes, Some(theirs), JobSocket::new(ours)?, name))
    }

    fn new(
        process: Contained,
        pipes: Pipes,
        theirs: Option<[OwnedFd; 3]>,
        job: JobSocket,
        name: String,
    ) -> Self {
        Self { process, pipes, theirs, job, offered: None, told: Vec::new(), name }
    }

    /// Sends the job: four bytes that say its length, the most significant first, and then the job itself. What the pipe
    /// takes of the input is there before, so that the process need not wait for it. Waits for the answer, but for no
    /// longer than `patience`, and not after a cancellation.
    ///
    /// Only after [`Answer::Taken`] has anything of the job been done; after any other answer nothing has and nothing
    /// will be, because the process is then ended.
    pub fn offer(
        &mut self,
        job: &[u8],
        input: &[u8],
        patience: Duration,
        cancel: Option<&CancelToken>,
    ) -> Answer {
        be_prompt();
        self.offered = Some(Instant::now());
        self.pipes.begin(input);
        let over = self.process.descriptor();
        let ends = [over, self.process.farewell().unwrap_or(over)];
        let (answer, told) = self.job.offer(job, patience, cancel, ends);
        self.told = told;
        if matches!(answer, Answer::Taken) {
            return answer;
        }
        // The process could have begun after we had stopped to listen. Once it is dead, we know.
        let patience = self.process.kill();
        let is_over_within = |limit| is_readable_within(self.process.descriptor(), limit);
        if !is_over_within(patience.unwrap_or(DYING)) {
            self.process.kill();
            is_over_within(DYING);
        }
        if matches!(answer, Answer::Silent) && self.job.has_been_taken() { Answer::Taken } else { answer }
    }

    /// Stays with the process from the moment in which it has taken its job. Time counts since it was offered.
    ///
    /// A program may *take its leave*: it sends the signal [`FAREWELL`] to the init process of its namespace, with its exit
    /// code as the value, when there is nothing left for it to do but to exit. If it has never made another process or
    /// thread, or none since it sent [`READY`], its run is over then, and the kernel frees its memory while its answer is
    /// on its way. Everything in the namespace has been stopped, and is killed in a moment; dropping the [`Remains`] waits
    /// until it is gone.
    ///
    /// Of `request`, the input, which must be that of the offer, the time and the limits are used: the program itself,
    /// which runs already, was the job.
    ///
    /// # Errors
    /// If how it ended cannot be found out.
    pub fn run(
        self,
        request: &RunRequest,
        cancel: Option<&CancelToken>,
        events: &mut dyn FnMut(ProcessEvent<'_>),
    ) -> Result<(RunOutcome, Remains), RunError> {
        let Self { mut process, pipes, theirs, name, offered, .. } = self;
        let started = offered.unwrap_or_else(Instant::now);
        match see_through(&mut process, pipes, request, started, cancel, events) {
            // As in a run that starts its program: until here nothing but output and the end of the program wakes us.
            Ok(outcome) => Ok((outcome, Remains::new(process, theirs))),
            Err(kind) => Err(RunError { program: name, kind }),
        }
    }

    /// What it said when it took its job, behind the `+`.
    #[must_use]
    pub fn told(&self) -> &[u8] {
        &self.told
    }

    /// The process id of the process, or, if a server has made it, of the init process of its namespace.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Whether the process has ended before it got a job.
    #[must_use]
    pub fn is_over(&self) -> bool {
        is_readable_within(self.process.descriptor(), Duration::ZERO) || self.job.is_closed()
    }
}

impl SpareRequest {
    fn image(&self) -> Result<ExecImage, RunErrorKind> {
        ExecImage::new(&Program {
            name: &self.program,
            args: &self.args,
            cwd: self.cwd.as_deref(),
            env: &self.env,
        })
    }

    fn failed(&self, kind: RunErrorKind) -> RunError {
        RunError { program: self.program.display().to_string(), kind }
    }
}

impl std::fmt::Debug for Spare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Spare")
            .field("name", &self.name)
            .field("pid", &self.process.pid())
            .finish_non_exhaustive()
    }
}

/// Two sockets that are connected, both out of the way of the descriptors that a program has.
fn socket_pair(kind: SocketType) -> Result<(OwnedFd, OwnedFd), RunErrorKind> {
    let make = || -> std::io::Result<_> {
        let (ours, theirs) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
        Ok((above_stdio(ours)?, above_stdio(theirs)?))
    };
    make().map_err(RunErrorKind::system("make a pair of sockets"))
}
