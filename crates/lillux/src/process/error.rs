//! Why a program could not be run.

use std::io;
use std::path::PathBuf;

use super::{Mechanism, ProcessHandle};
use crate::CaptureError;

/// A program that could not be started, or whose end could not be observed.
#[derive(Debug, thiserror::Error)]
#[error("cannot run `{program}`")]
pub struct RunError {
    pub(super) program: String,
    #[source]
    pub(super) kind: RunErrorKind,
}

/// What stood in the way.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunErrorKind {
    /// No such program.
    #[error("no such program in {}", places(searched))]
    ProgramNotFound {
        /// Every place that was looked at.
        searched: Vec<PathBuf>,
    },
    /// A bare name, and an environment without `PATH`.
    #[error("the name has no slash and the given environment has no PATH to look it up in")]
    NoSearchPath,
    /// There is such a file, but it is not a program for us.
    #[error("`{path}` is not executable")]
    NotExecutable {
        /// The file.
        path: PathBuf,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
    /// The file is executable, but the interpreter that its first line names, or its loader, is missing.
    #[error("`{path}` exists, but the interpreter or loader that it names does not")]
    InterpreterMissing {
        /// The file.
        path: PathBuf,
    },
    /// The working directory cannot be entered.
    #[error("cannot enter the working directory `{path}`")]
    Cwd {
        /// The folder.
        path: PathBuf,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
    /// An argument, a variable or a path contains a NUL byte.
    #[error("{what} contains a NUL byte")]
    Nul {
        /// Which.
        what: String,
    },
    /// A variable's name is empty or contains `=`.
    #[error("`{name}` cannot be the name of a variable")]
    VariableName {
        /// The name.
        name: String,
    },
    /// Arguments and environment are larger than the kernel takes.
    #[error(
        "the arguments and the environment are too large: {bytes} bytes; pass large data by standard input"
    )]
    TooLarge {
        /// Their size.
        bytes: usize,
    },
    /// None of the allowed mechanisms is to be had.
    #[error("no allowed way to contain the process works here: {}", refusals(tried))]
    NoContainment {
        /// What was tried, and what the kernel said.
        tried: Vec<(Mechanism, io::Error)>,
    },
    /// The process that guards the run was killed by somebody else.
    #[error("the guard of the run was killed; containment was {}", mechanism.name())]
    GuardLost {
        /// What the guard was using.
        mechanism: Mechanism,
    },
    /// The server that had started the program ended before it could tell how the program did.
    #[error("the server that had started the program ended before the program")]
    ServerLost,
    /// The process that had lent us the program ended before it could tell how the program did.
    #[error("the process that had lent the program ended before the program, and took it with it")]
    LenderLost,
    /// The log file of a detached program cannot be opened.
    #[error("cannot open the log file `{path}`")]
    Log {
        /// The file.
        path: PathBuf,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
    /// Output that does not fit into memory could not be written to a file.
    #[error("output is lost")]
    Output(#[from] CaptureError),
    /// The kernel refused something that normally works.
    #[error("cannot {doing}")]
    System {
        /// What we were doing.
        doing: &'static str,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
}

/// A process that could not be looked at or signalled.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} process {handle}")]
pub struct HandleError {
    pub(super) handle: ProcessHandle,
    pub(super) doing: &'static str,
    #[source]
    pub(super) source: io::Error,
}

impl RunError {
    /// What stood in the way.
    #[must_use]
    pub fn kind(&self) -> &RunErrorKind {
        &self.kind
    }
}

impl RunErrorKind {
    /// For use in `map_err`.
    pub(super) fn system<E: Into<io::Error>>(doing: &'static str) -> impl Fn(E) -> Self {
        move |source| Self::System { doing, source: source.into() }
    }
}

fn places(searched: &[PathBuf]) -> String {
    let quoted: Vec<_> = searched.iter().map(|path| format!("`{}`", path.display())).collect();
    quoted.join(", ")
}

fn refusals(tried: &[(Mechanism, io::Error)]) -> String {
    let said: Vec<_> =
        tried.iter().map(|(mechanism, error)| format!("{}: {error}", mechanism.name())).collect();
    said.join("; ")
}
