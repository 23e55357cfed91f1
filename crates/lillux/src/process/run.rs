//! Running a program to its end.

use std::io;
use std::os::fd::RawFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::cgroup::Cgroup;
use super::contained::{Contained, GroupLeader};
use super::containment::{remember_refusal, was_refused};
use super::guard::{Guard, Role, StartError, wait};
use super::image::{ExecImage, Program};
use super::launch::{Launch, Step, start_child};
use super::stdio::{Pipes, Stdio};
use super::supervise::Supervision;
use super::{Mechanism, ProcessEvent, Remains, RunError, RunErrorKind, RunOutcome, RunRequest, Standby};
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
    run_leaving(request, None, cancel, events).map(|(outcome, _)| outcome)
}

/// As [`run_with`], but with a guard that may be ready, and the caller waits for what is left of the run, which is better done
/// after its answer was given.
///
/// # Errors
/// If the program cannot be started as asked. What it does afterwards is an outcome.
pub fn run_leaving(
    request: &RunRequest,
    standby: Option<&Standby>,
    cancel: Option<&CancelToken>,
    events: &mut dyn FnMut(ProcessEvent<'_>),
) -> Result<(RunOutcome, Remains), RunError> {
    let started = Instant::now();
    let result = start(request, standby).and_then(|(mut process, Stdio { ours, theirs })| {
        let outcome = see_through(&mut process, ours, request, started, cancel, events)?;
        // When the last holder closes its end, the kernel wakes us to say so, and a program that ends would wait for us on its
        // own processor, once for each stream. As long as we hold them too, all that wakes us is its output and its end.
        Ok((outcome, Remains::new(process, Some(theirs))))
    });
    result.map_err(|kind| RunError { program: request.program.display().to_string(), kind })
}

/// Stays with a program that has been started until it is over.
pub(super) fn see_through(
    process: &mut Contained,
    pipes: Pipes,
    request: &RunRequest,
    started: Instant,
    cancel: Option<&CancelToken>,
    events: &mut dyn FnMut(ProcessEvent<'_>),
) -> Result<RunOutcome, RunErrorKind> {
    let containment = process.mechanism();
    events(ProcessEvent::Started { pid: process.pid(), containment });
    let supervision = Supervision::new(request, cancel, started, pipes, events);
    let (ending, stdout, stderr) = supervision.attend(process)?;
    events(ProcessEvent::Exited { ending: &ending });
    Ok(RunOutcome { ending, stdout, stderr, duration: started.elapsed(), containment })
}

/// Starts the program with the first mechanism that the kernel allows.
fn start(request: &RunRequest, standby: Option<&Standby>) -> Result<(Contained, Stdio), RunErrorKind> {
    let image = ExecImage::new(&Program {
        name: &request.program,
        args: &request.args,
        cwd: request.cwd.as_deref(),
        env: &request.env,
    })?;
    let stdio = Stdio::open(&request.stdin).map_err(RunErrorKind::system("make pipes"))?;
    let descriptors = Descriptors { stdio: stdio.descriptors(), fourth: -1 };
    let cwd = request.cwd.as_deref();
    let ready = standby.and_then(|standby| start_ready(&image, descriptors, request, standby));
    let process = match ready {
        Some(started) => started?,
        None => start_contained(&image, descriptors, &request.containment, cwd)?,
    };
    Ok((process, stdio))
}

/// Starts the program by a guard that is ready, if there is one that will do. The folder that we are in may have been another one
/// when it was made.
fn start_ready(
    image: &ExecImage,
    descriptors: Descriptors,
    request: &RunRequest,
    standby: &Standby,
) -> Option<Result<Contained, RunErrorKind>> {
    let mechanism = *request.containment.first()?;
    let cwd = request.cwd.as_deref().filter(|cwd| cwd.is_absolute())?;
    if mechanism != Mechanism::PidNamespace {
        return None;
    }
    match standby.take()?.launch(Launch::new(image, descriptors.stdio)) {
        Ok(guard) => Some(Ok(Contained::Guarded(guard, mechanism))),
        // Starting it anew takes its time, or another mechanism.
        Err(StartError::Refused(_)) => None,
        Err(StartError::Launch(Step::Execute, error)) if error.raw_os_error() == Some(libc::ETXTBSY) => None,
        Err(StartError::Lost) => Some(Err(RunErrorKind::GuardLost { mechanism })),
        Err(error) => Some(Err(explain(error, image, Some(cwd)))),
    }
}

/// What a program has from its first moment on.
#[derive(Clone, Copy)]
pub(super) struct Descriptors {
    pub(super) stdio: [RawFd; 3],
    /// Its fourth descriptor, or -1.
    pub(super) fourth: RawFd,
}

/// Starts a program with the first of some mechanisms that the kernel allows.
pub(super) fn start_contained(
    image: &ExecImage,
    descriptors: Descriptors,
    mechanisms: &[Mechanism],
    cwd: Option<&Path>,
) -> Result<Contained, RunErrorKind> {
    let mut tried = Vec::new();
    for &mechanism in mechanisms {
        match allowed(mechanism, || start_patiently(image, descriptors, mechanism)) {
            Ok(process) => return Ok(process),
            Err(StartError::Refused(error)) => tried.push((mechanism, error)),
            Err(StartError::Lost) => return Err(RunErrorKind::GuardLost { mechanism }),
            Err(error) => return Err(explain(error, image, cwd)),
        }
    }
    Err(RunErrorKind::NoContainment { tried })
}

/// Does something with a mechanism, unless the kernel has refused it before.
pub(super) fn allowed<T>(
    mechanism: Mechanism,
    start: impl FnOnce() -> Result<T, StartError>,
) -> Result<T, StartError> {
    if was_refused(mechanism) {
        return Err(StartError::Refused(io::ErrorKind::PermissionDenied.into()));
    }
    let started = start();
    if let Err(StartError::Refused(error)) = &started {
        // A limit that is reached now may have room later; everything else is for good.
        if error.raw_os_error() != Some(libc::ENOSPC) {
            remember_refusal(mechanism);
        }
    }
    started
}

/// Starts the program, and tries again for a moment if its file is still open for writing: any process that is
/// being started elsewhere in ours holds a copy of that descriptor until it has executed.
fn start_patiently(
    image: &ExecImage,
    descriptors: Descriptors,
    mechanism: Mechanism,
) -> Result<Contained, StartError> {
    let mut attempts = 0;
    loop {
        match start_with(image, descriptors, mechanism) {
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

fn start_with(
    image: &ExecImage,
    descriptors: Descriptors,
    mechanism: Mechanism,
) -> Result<Contained, StartError> {
    let mut launch = Launch::new(image, descriptors.stdio);
    launch.fourth = descriptors.fourth;
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
        None => Ok(GroupLeader::new(group, pidfd)),
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
