//! Running a program to its end.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::cgroup::Cgroup;
use super::containment::{remember_refusal, was_refused};
use super::guard::{Collected, Guard, Role, StartError, wait};
use super::image::{ExecImage, Program};
use super::launch::{Launch, Step, start_child};
use super::stdio::{Pipes, Stdio};
use super::supervise::Supervision;
use super::{Mechanism, ProcessEvent, RunError, RunErrorKind, RunOutcome, RunRequest};
use crate::CancelToken;

/// Runs a program to its end.
///
/// ```
/// use lillux::process::{Ending, RunRequest, run};
///
/// let outcome = run(&RunRequest::new("/bin/sh").args(["-c", "cat; exit 3"]).stdin("hello"))?;
/// assert_eq!(outcome.stdout.bytes, b"hello");
/// assert_eq!(outcome.ending, Ending::Exited { code: 3 });
/// # Ok::<(), lillux::process::RunError>(())
/// ```
///
/// # Errors
/// If the program cannot be started as asked. What it does afterwards is an outcome.
pub fn run(request: &RunRequest) -> Result<RunOutcome, RunError> {
    run_with(request, None, &mut |_| {})
}

/// Runs a program to its end, unless it is cancelled before, and tells what happens.
///
/// # Errors
/// If the program cannot be started as asked. What it does afterwards is an outcome.
pub fn run_with(
    request: &RunRequest,
    cancel: Option<&CancelToken>,
    events: &mut dyn FnMut(ProcessEvent<'_>),
) -> Result<RunOutcome, RunError> {
    let started = Instant::now();
    let result = start(request).and_then(|(process, pipes)| {
        let containment = process.mechanism();
        events(ProcessEvent::Started { pid: process.pid(), containment });
        let supervision = Supervision::new(request, cancel, started, pipes, events);
        let (ending, stdout, stderr) = supervision.attend(process)?;
        events(ProcessEvent::Exited { ending: &ending });
        Ok(RunOutcome { ending, stdout, stderr, duration: started.elapsed(), containment })
    });
    result.map_err(|kind| RunError { program: request.program.display().to_string(), kind })
}

/// A program that runs, with what keeps its descendants together. Dropping it ends them.
pub(super) enum Contained {
    Guarded(Guard, Mechanism),
    Group(GroupLeader),
}

/// How a program ended, as its parent sees it.
pub(super) enum Exit {
    Code(i32),
    Signal(i32),
    /// It was ended before anybody asked.
    Unknown,
}

/// A child of ours that leads its own process group.
pub(super) struct GroupLeader {
    group: Pid,
    pidfd: OwnedFd,
    collected: bool,
}

impl Contained {
    pub(super) fn mechanism(&self) -> Mechanism {
        match self {
            Self::Guarded(_, mechanism) => *mechanism,
            Self::Group(_) => Mechanism::ProcessGroup,
        }
    }

    fn pid(&self) -> u32 {
        match self {
            Self::Guarded(guard, _) => guard.pid(),
            Self::Group(leader) => leader.group.as_raw_nonzero().get().unsigned_abs(),
        }
    }

    /// Becomes readable when the program is over.
    pub(super) fn descriptor(&self) -> &OwnedFd {
        match self {
            Self::Guarded(guard, _) => guard.descriptor(),
            Self::Group(leader) => &leader.pidfd,
        }
    }

    pub(super) fn terminate(&self) {
        match self {
            Self::Guarded(guard, _) => guard.terminate(),
            Self::Group(leader) => leader.signal(Signal::TERM),
        }
    }

    pub(super) fn kill(&self) {
        match self {
            Self::Guarded(guard, _) => guard.finish(),
            Self::Group(leader) => leader.signal(Signal::KILL),
        }
    }

    /// Collects the program once its descriptor is readable, and ends what is left of its descendants.
    pub(super) fn collect(self) -> Result<Exit, RunErrorKind> {
        match self {
            Self::Guarded(guard, mechanism) => match guard.collect() {
                Collected::Status(status) if libc::WIFEXITED(status) => {
                    Ok(Exit::Code(libc::WEXITSTATUS(status)))
                }
                Collected::Status(status) => Ok(Exit::Signal(libc::WTERMSIG(status))),
                Collected::Unknown => Ok(Exit::Unknown),
                Collected::GuardLost => Err(RunErrorKind::GuardLost { mechanism }),
            },
            Self::Group(mut leader) => Ok(leader.collect()),
        }
    }
}

impl GroupLeader {
    /// Signals the group. The leader has not been collected, so the group's number is still its own.
    fn signal(&self, signal: Signal) {
        // It fails only if nobody is left.
        let _ = kill_process_group(self.group, signal);
    }

    fn collect(&mut self) -> Exit {
        self.signal(Signal::KILL);
        self.collected = true;
        match wait(&self.pidfd, 0) {
            Some((libc::CLD_EXITED, code)) => Exit::Code(code),
            Some((_, signal)) => Exit::Signal(signal),
            None => Exit::Unknown,
        }
    }
}

impl Drop for GroupLeader {
    fn drop(&mut self) {
        if !self.collected {
            self.collect();
        }
    }
}

/// Starts the program with the first mechanism that the kernel allows.
fn start(request: &RunRequest) -> Result<(Contained, Pipes), RunErrorKind> {
    let image = ExecImage::new(&Program {
        name: &request.program,
        args: &request.args,
        cwd: request.cwd.as_deref(),
        env: &request.env,
    })?;
    let stdio = Stdio::open(&request.stdin).map_err(RunErrorKind::system("make pipes"))?;
    let mut tried = Vec::new();
    for &mechanism in &request.containment {
        if was_refused(mechanism) {
            tried.push((mechanism, io::ErrorKind::PermissionDenied.into()));
            continue;
        }
        match start_patiently(&image, &stdio, mechanism) {
            Ok(process) => return Ok((process, stdio.ours)),
            Err(StartError::Refused(error)) => {
                // A limit that is reached now may have room later; everything else is for good.
                if error.raw_os_error() != Some(libc::ENOSPC) {
                    remember_refusal(mechanism);
                }
                tried.push((mechanism, error));
            }
            Err(StartError::Lost) => return Err(RunErrorKind::GuardLost { mechanism }),
            Err(error) => return Err(explain(error, &image, request.cwd.as_deref())),
        }
    }
    Err(RunErrorKind::NoContainment { tried })
}

/// Starts the program, and tries again for a moment if its file is still open for writing: any process that is
/// being started elsewhere in ours holds a copy of that descriptor until it has executed.
fn start_patiently(image: &ExecImage, stdio: &Stdio, mechanism: Mechanism) -> Result<Contained, StartError> {
    let mut attempts = 0;
    loop {
        match start_contained(image, stdio, mechanism) {
            Err(StartError::Launch(Step::Execute, error))
                if error.raw_os_error() == Some(libc::ETXTBSY) && attempts < 20 =>
            {
                attempts += 1;
                std::thread::sleep(Duration::from_millis(attempts));
            }
            other => return other,
        }
    }
}

fn start_contained(image: &ExecImage, stdio: &Stdio, mechanism: Mechanism) -> Result<Contained, StartError> {
    let mut launch = Launch::new(image, stdio.descriptors());
    let role = match mechanism {
        Mechanism::PidNamespace => Role::PidNamespace,
        Mechanism::Cgroup => Role::Cgroup(Cgroup::create().map_err(StartError::Refused)?),
        Mechanism::Subreaper => Role::Subreaper,
        Mechanism::ProcessGroup => {
            launch.dies_with_parent = true;
            return start_group(&launch).map(Contained::Group);
        }
    };
    Ok(Contained::Guarded(Guard::start(launch, role)?, mechanism))
}

fn start_group(launch: &Launch) -> Result<GroupLeader, StartError> {
    let (pid, pidfd) = start_child(launch).map_err(|error| StartError::System("start a process", error))?;
    let group =
        Pid::from_raw(pid).ok_or(StartError::System("start a process", io::ErrorKind::Other.into()))?;
    match launch.failure() {
        Some((step, error)) => {
            wait(&pidfd, 0);
            Err(StartError::Launch(step, error))
        }
        None => Ok(GroupLeader { group, pidfd, collected: false }),
    }
}

/// What the failure to start a program means.
pub(super) fn explain(error: StartError, image: &ExecImage, cwd: Option<&Path>) -> RunErrorKind {
    match error {
        StartError::Launch(Step::Execute, source) => image.explain(source),
        StartError::Launch(Step::Cwd, source) => {
            RunErrorKind::Cwd { path: cwd.unwrap_or(Path::new("")).to_owned(), source }
        }
        StartError::Launch(Step::Stdio | Step::Cgroup, source) => {
            RunErrorKind::System { doing: "connect the standard streams", source }
        }
        StartError::Refused(source) => RunErrorKind::System { doing: "start the guard of the run", source },
        StartError::Lost => {
            let source = io::ErrorKind::Interrupted.into();
            RunErrorKind::System { doing: "learn from the guard how the launch went", source }
        }
        StartError::System(doing, source) => RunErrorKind::System { doing, source },
    }
}
