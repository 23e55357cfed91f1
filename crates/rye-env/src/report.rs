//! How an interpreter was found, or was not.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lillux::process::Ending;

/// The whole story of one interpreter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InterpreterReport {
    /// The element that declares it.
    pub element: Arc<str>,
    /// The name of its entry: `interpreter`, `mcp_runner` …
    pub name: String,
    /// How it was to be found.
    pub resolver: String,
    /// The variable that holds its path.
    pub var: String,
    /// Every place that was looked at, in order.
    pub looked_at: Vec<LookedAt>,
    /// What was chosen. Nothing only if a command was left unrun, or if the run can do without it.
    pub chosen: Option<Chosen>,
    /// The command that was run to find it.
    pub command: Option<CommandRun>,
    /// What its author or the operator should know.
    pub warnings: Vec<EnvWarning>,
}

/// The interpreter that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Its path as it was found, with the links that are in it.
    pub path: PathBuf,
    /// Which rule found it.
    pub by: ChosenBy,
    /// Whether it, or the file that it leads to, lies inside the project.
    pub inside_project: bool,
}

/// Which rule found an interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenBy {
    /// Its resolver type.
    Resolver,
    /// The fallback.
    Fallback,
}

/// A place that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedAt {
    /// The place.
    pub place: Place,
    /// What was there.
    pub finding: Finding,
}

/// Where an interpreter can be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A file.
    File(PathBuf),
    /// A folder with whatever is below it.
    Folder(PathBuf),
    /// An entry of `PATH`.
    PathEntry(PathBuf),
    /// `PATH` as a whole.
    SearchPath,
    /// The project.
    Project,
    /// The user's home or space.
    User,
    /// What a command prints.
    Command(Vec<String>),
}

/// What was found at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// The interpreter.
    Chosen,
    /// A stand-in of a version manager for this file, which was chosen in its stead.
    StandsFor(PathBuf),
    /// A stand-in of a version manager for a program of the system, which is looked for further on.
    StandsForSystem,
    /// Nothing.
    Missing,
    /// Something that is not a regular file.
    NotAFile,
    /// A file that may not be executed.
    NotExecutable,
    /// An interpreter that does not count, because the project is not trusted.
    InUntrustedProject,
    /// An entry that is empty or relative, which would mean another folder for each working directory.
    Relative,
    /// There is no such place: no project, no home, no `PATH`.
    NoSuchPlace,
    /// No installed version is the one that was asked for.
    NoVersion {
        /// What was asked for.
        wanted: Option<String>,
    },
    /// The file system refused to say.
    Refused(io::ErrorKind),
    /// The command printed this path, which is looked at next.
    Printed(PathBuf),
    /// The command was left unrun.
    NotRun,
    /// The command could not be started, for this reason.
    CannotRun(String),
    /// The command did not succeed.
    Failed(Ending),
    /// The command printed no absolute path.
    NoPath,
}

/// A command that was run to find an interpreter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRun {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How it ended; nothing if it could not be started.
    pub ending: Option<Ending>,
    /// How long it took.
    pub duration: Duration,
}

/// Something odd that stops nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvWarning {
    /// No resolver is called so, and the fallback was used.
    #[error("no resolver type is called `{resolver}`, so the fallback was used")]
    UnknownResolver {
        /// The type.
        resolver: String,
        /// The one that was probably meant.
        similar: Option<&'static str>,
    },
    /// A version that something asks for is not installed.
    #[error("`{source_name}` asks for version `{wanted}`, which is not installed")]
    VersionNotInstalled {
        /// The file or variable that asks for it.
        source_name: String,
        /// The version.
        wanted: String,
    },
    /// A command was left unrun, so that its interpreter is not known.
    #[error("the command that finds the interpreter was not run")]
    CommandNotRun,
}

impl InterpreterReport {
    /// Whether what was chosen is the fallback.
    #[must_use]
    pub fn is_fallback(&self) -> bool {
        self.chosen.as_ref().is_some_and(|chosen| chosen.by == ChosenBy::Fallback)
    }
}

impl fmt::Display for LookedAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.finding)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "`{}`", path.display()),
            Self::Folder(path) => write!(f, "`{}/`", path.display()),
            Self::PathEntry(path) => write!(f, "entry `{}` of PATH", path.display()),
            Self::SearchPath => f.write_str("PATH"),
            Self::Project => f.write_str("the project"),
            Self::User => f.write_str("the user's home"),
            Self::Command(command) => write!(f, "the command `{}`", command.join(" ")),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen => f.write_str("found"),
            Self::StandsFor(path) => write!(f, "stands for `{}`", path.display()),
            Self::StandsForSystem => f.write_str("stands for a program of the system"),
            Self::Missing => f.write_str("missing"),
            Self::NotAFile => f.write_str("not a regular file"),
            Self::NotExecutable => f.write_str("not executable"),
            Self::InUntrustedProject => f.write_str("in an untrusted project"),
            Self::Relative => f.write_str("not an absolute path, and never used"),
            Self::NoSuchPlace => f.write_str("there is none"),
            Self::NoVersion { wanted: Some(wanted) } => write!(f, "has no version `{wanted}`"),
            Self::NoVersion { wanted: None } => f.write_str("has no versions"),
            Self::Refused(kind) => write!(f, "{kind}"),
            Self::Printed(path) => write!(f, "printed `{}`", path.display()),
            Self::NotRun => f.write_str("not run"),
            Self::CannotRun(reason) => f.write_str(reason),
            Self::Failed(ending) => write!(f, "{}", DisplayEnding(*ending)),
            Self::NoPath => f.write_str("printed no absolute path"),
        }
    }
}

struct DisplayEnding(Ending);

impl fmt::Display for DisplayEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Ending::Exited { code } => write!(f, "exited with {code}"),
            Ending::Signaled { signal } => write!(f, "ended by signal {signal}"),
            Ending::TimedOut { limit, .. } => write!(f, "not done after {} s", limit.as_secs()),
            Ending::Cancelled { .. } => f.write_str("cancelled"),
            Ending::OutputLimit { .. } => f.write_str("printed too much"),
        }
    }
}
