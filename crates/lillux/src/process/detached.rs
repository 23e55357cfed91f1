//! Programs that outlive us, and what can be done with them later.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};
use rustix::time::Timespec;

use super::guard::{Guard, Role};
use super::handle::{boot_id, observe};
use super::image::{ExecImage, Program};
use super::launch::Launch;
use super::run::explain;
use super::{HandleError, ProcessHandle, RunError, RunErrorKind};

/// A program to start and leave alone, in a session of its own.
#[derive(Debug, Clone)]
pub struct SpawnRequest {
    /// A path, or a name that is looked up in the `PATH` of [`env`](Self::env).
    pub program: OsString,
    /// The arguments after the program's name.
    pub args: Vec<OsString>,
    /// The working directory; ours if there is none.
    pub cwd: Option<PathBuf>,
    /// The whole environment.
    pub env: BTreeMap<OsString, OsString>,
    /// The file that its output is appended to; without one it is discarded.
    pub log: Option<PathBuf>,
}

/// What has become of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessStatus {
    /// It runs.
    Running,
    /// It has ended, but its parent has not noticed yet.
    Zombie,
    /// It is gone, whoever has its number now.
    Gone,
}

/// What a [`kill`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillOutcome {
    /// It was gone already.
    AlreadyGone,
    /// It ended within the grace period.
    Terminated,
    /// It had to be killed.
    Killed,
}

/// Starts a program that outlives us. Its standard input is empty.
///
/// # Errors
/// If the program cannot be started as asked, or its log file cannot be opened.
pub fn spawn(request: &SpawnRequest) -> Result<ProcessHandle, RunError> {
    start(request).map_err(|kind| RunError { program: request.program.display().to_string(), kind })
}

/// What has become of a process.
///
/// # Errors
/// If the kernel does not let us look.
pub fn status(handle: &ProcessHandle) -> Result<ProcessStatus, HandleError> {
    let opened = handle.open().map(|opened| opened.map(|(_, seen)| seen));
    let seen = opened.and_then(|seen| seen.map_or_else(|| handle.look_outside(), |seen| Ok(Some(seen))));
    match seen {
        Ok(Some(seen)) if seen.zombie => Ok(ProcessStatus::Zombie),
        Ok(Some(_)) => Ok(ProcessStatus::Running),
        Ok(None) => Ok(ProcessStatus::Gone),
        Err(source) => Err(HandleError { handle: handle.clone(), doing: "look at", source }),
    }
}

/// Ends a process and its process group: SIGTERM, and SIGKILL if it is still there after the grace period.
///
/// # Errors
/// If the process is not ours to signal, or does not die.
pub fn kill(handle: &ProcessHandle, grace: Duration) -> Result<KillOutcome, HandleError> {
    let failed = |doing, source| HandleError { handle: handle.clone(), doing, source };
    let opened = handle.open().map_err(|source| failed("look at", source))?;
    let Some((pidfd, _)) = opened.filter(|(_, seen)| !seen.zombie) else {
        return Ok(KillOutcome::AlreadyGone);
    };
    for (signal, patience, outcome) in [
        (Signal::TERM, grace, KillOutcome::Terminated),
        (Signal::KILL, Duration::from_secs(10), KillOutcome::Killed),
    ] {
        signal_group(handle, &pidfd, signal).map_err(|errno| failed("signal", errno.into()))?;
        if ends_within(&pidfd, patience).map_err(|errno| failed("wait for", errno.into()))? {
            return Ok(outcome);
        }
    }
    Err(failed("kill", io::ErrorKind::TimedOut.into()))
}

fn start(request: &SpawnRequest) -> Result<ProcessHandle, RunErrorKind> {
    let program = Program {
        name: &request.program,
        args: &request.args,
        cwd: request.cwd.as_deref(),
        env: &request.env,
    };
    let image = ExecImage::new(&program)?;
    let null = File::open("/dev/null").map_err(RunErrorKind::system("open the null device"))?;
    let log = request.log.clone().unwrap_or_else(|| PathBuf::from("/dev/null"));
    let output = File::options()
        .append(true)
        .create(true)
        .open(&log)
        .map_err(|source| RunErrorKind::Log { path: log, source })?;
    let stdio = [null.as_raw_fd(), output.as_raw_fd(), output.as_raw_fd()];
    let mut guard = Guard::start(Launch::new(&image, stdio), Role::Detach)
        .map_err(|error| explain(error, &image, request.cwd.as_deref()))?;
    // The guard has not collected the program, so its number is its own, even if it has ended by now.
    let handle = name(guard.child()).map_err(RunErrorKind::system("look at the new process"));
    guard.finish();
    guard.collect();
    handle
}

fn name(pid: i32) -> io::Result<ProcessHandle> {
    let gone = || io::Error::from(io::ErrorKind::NotFound);
    let pidfd = pidfd_open(Pid::from_raw(pid).ok_or_else(gone)?, PidfdFlags::empty())?;
    let seen = observe(&pidfd)?.ok_or_else(gone)?;
    Ok(ProcessHandle {
        pid: pid.unsigned_abs(),
        start_ticks: seen.start_ticks,
        boot_id: boot_id()?.to_owned(),
    })
}

/// Signals the process through its descriptor, and its group if it leads one.
fn signal_group(handle: &ProcessHandle, pidfd: &OwnedFd, signal: Signal) -> Result<(), Errno> {
    let leader = i32::try_from(handle.pid).ok().and_then(Pid::from_raw);
    // While the process exists, so does its number, and a group of that number is led by it.
    if let Some(leader) = leader.filter(|&pid| rustix::process::getpgid(Some(pid)) == Ok(pid)) {
        let signalled = kill_process_group(leader, signal);
        // A program may take a second request to end as an order to do so at once.
        if signalled.is_ok() && signal != Signal::KILL {
            return Ok(());
        }
    }
    match pidfd_send_signal(pidfd, signal) {
        Err(Errno::SRCH) | Ok(()) => Ok(()),
        Err(errno) => Err(errno),
    }
}

fn ends_within(pidfd: &OwnedFd, patience: Duration) -> Result<bool, Errno> {
    let until = std::time::Instant::now() + patience.min(Duration::from_hours(24));
    loop {
        let left = until.saturating_duration_since(std::time::Instant::now());
        let limit = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 0, tv_nsec: 0 });
        match poll(&mut [PollFd::new(pidfd, PollFlags::IN)], Some(&limit)) {
            Err(Errno::INTR) => {}
            Ok(count) => return Ok(count > 0),
            Err(errno) => return Err(errno),
        }
    }
}
