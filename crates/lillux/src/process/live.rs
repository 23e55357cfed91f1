//! A program that is talked to while it runs: its streams belong to the caller, its processes to its guard.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use rustix::io::Errno;

use super::contained::{Contained, Exit};
use super::enclosed::is_readable_within;
use super::image::{ExecImage, Program};
use super::run::{Descriptors, start_contained};
use super::stdio::Stdio;
use super::{Ending, Mechanism, RunError, RunErrorKind};

/// A program to talk to.
///
/// The environment is exactly what is given here: nothing is inherited.
#[derive(Debug, Clone)]
pub struct LiveRequest {
    /// A path, or a name that is looked up in the `PATH` of [`env`](Self::env).
    pub program: OsString,
    /// The arguments after the program's name.
    pub args: Vec<OsString>,
    /// The working directory; ours if there is none.
    pub cwd: Option<PathBuf>,
    /// The whole environment.
    pub env: BTreeMap<OsString, OsString>,
    /// The mechanisms that may keep its descendants together: the first that the kernel allows is used.
    pub containment: Vec<Mechanism>,
}

/// Our ends of the standard streams of a program. They are pipes.
#[derive(Debug)]
pub struct LiveStreams {
    /// What is written here is the program's input. It does not block.
    pub stdin: OwnedFd,
    /// What the program writes to its standard output.
    pub stdout: OwnedFd,
    /// What the program writes to its standard error.
    pub stderr: OwnedFd,
}

/// A program that runs. Dropping it ends the program and all its descendants at once.
pub struct LiveProcess {
    name: String,
    process: Contained,
}

impl LiveRequest {
    /// Starts `program` without arguments or environment.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: None,
            env: BTreeMap::new(),
            containment: Mechanism::STRONGEST_FIRST.to_vec(),
        }
    }
}

/// Starts a program, and gives the caller its streams.
///
/// ```
/// use std::fs::File;
/// use std::io::{Read, Write};
/// use std::time::Duration;
/// use lillux::process::{Ending, LiveRequest, start_live};
///
/// let (process, streams) = start_live(&LiveRequest::new("/bin/cat"))?;
/// File::from(streams.stdin).write_all(b"hello")?;
/// let mut answer = String::new();
/// File::from(streams.stdout).read_to_string(&mut answer)?;
/// assert_eq!(answer, "hello");
/// assert_eq!(process.end(Duration::from_secs(5))?, Ending::Exited { code: 0 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the program cannot be started as asked.
pub fn start_live(request: &LiveRequest) -> Result<(LiveProcess, LiveStreams), RunError> {
    let name = request.program.display().to_string();
    start(request)
        .map(|(process, streams)| (LiveProcess { name: name.clone(), process }, streams))
        .map_err(|kind| RunError { program: name, kind })
}

fn start(request: &LiveRequest) -> Result<(Contained, LiveStreams), RunErrorKind> {
    let image = ExecImage::new(&Program {
        name: &request.program,
        args: &request.args,
        cwd: request.cwd.as_deref(),
        env: &request.env,
    })?;
    let pipes = Stdio::open_ahead().map_err(RunErrorKind::system("make pipes"))?;
    let descriptors = Descriptors { stdio: pipes.descriptors(), fourth: -1 };
    let process = start_contained(&image, descriptors, &request.containment, request.cwd.as_deref())?;
    let Stdio { ours, .. } = pipes;
    let missing = || RunErrorKind::System { doing: "make pipes", source: Errno::BADF.into() };
    let stdin = ours.stdin.ok_or_else(missing)?.into_pipe();
    Ok((process, LiveStreams { stdin, stdout: ours.stdout, stderr: ours.stderr }))
}

impl LiveProcess {
    /// The process id of the program, as `/proc` numbers it.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// What keeps its descendants together.
    #[must_use]
    pub fn containment(&self) -> Mechanism {
        self.process.mechanism()
    }

    /// Whether the program is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        is_readable_within(self.process.descriptor(), Duration::ZERO)
    }

    /// Ends the program, if it does not end by itself: it has `grace` to exit, and as much after SIGTERM. Whoever wants
    /// it to exit by itself closes its input before.
    ///
    /// # Errors
    /// If how it ended cannot be found out.
    pub fn end(self, grace: Duration) -> Result<Ending, RunError> {
        let Self { name, mut process } = self;
        let is_over_soon = || is_readable_within(process.descriptor(), grace);
        let mut killed = None;
        if !is_over_soon() {
            process.terminate();
            killed = Some(false);
            if !is_over_soon() {
                killed = Some(true);
                process.kill();
            }
        }
        let exit = process.collect().map_err(|kind| RunError { program: name, kind })?;
        Ok(match (killed, exit) {
            (Some(killed), _) => Ending::Cancelled { killed },
            (None, Exit::Code(code)) => Ending::Exited { code },
            (None, Exit::Signal(signal)) => Ending::Signaled { signal },
            (None, Exit::Unknown) => Ending::Signaled { signal: libc::SIGKILL },
        })
    }
}

impl std::fmt::Debug for LiveProcess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiveProcess")
            .field("name", &self.name)
            .field("pid", &self.pid())
            .finish_non_exhaustive()
    }
}
