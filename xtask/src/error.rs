//! What can go wrong, in words that say what to do.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitStatus;

/// Why a task stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TaskError {
    /// The program is not there, or may not be run.
    #[error("cannot start `{program}`")]
    Start {
        program: String,
        #[source]
        source: std::io::Error,
    },
    /// The program ran and said no.
    #[error("`{command}` failed with {status}{}", detail(stderr))]
    Failed { command: String, status: ExitStatus, stderr: String },
    /// A file of ours could not be read, written or made.
    #[error("cannot {action} `{}`", path.display())]
    File {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The answer of `cargo metadata` is not what we know.
    #[error("cannot read what `cargo metadata` says")]
    Metadata(#[source] serde_json::Error),
    /// Programs are missing and we may not install them.
    #[error("these are missing: {missing}; install them, for example with\n\n    {command}\n")]
    Programs { missing: String, command: String },
    /// A program is still missing after its package was installed.
    #[error("`{program}` is installed but does not work: {why}")]
    Unusable { program: &'static str, why: &'static str },
    /// A lock file names a host, which belongs in each user's own configuration.
    #[error("`{}` names a URL in line {line}: a lock file pins digests, not places", path.display())]
    UrlInLock { path: PathBuf, line: usize },
    /// There is no such fuzz target.
    #[error("there is no fuzz target `{target}`; there are {known}")]
    FuzzTarget { target: String, known: String },
    /// The arguments of a task make no sense.
    #[error("{0}")]
    Arguments(String),
    /// A command of the demo, or an answer in it, was not what the demo is there to show.
    #[error("the demo stopped: {what}{}", detail(said))]
    Demo { what: String, said: String },
    /// A check of this project found something.
    #[error("{check}: {} found\n{}", violations.len(), violations.join("\n"))]
    Violations { check: &'static str, violations: Vec<String> },
}

/// The error and everything below it, joined by colons.
pub(crate) fn with_causes(error: &TaskError) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        words = format!("{words}: {source}");
        cause = source.source();
    }
    words
}

fn detail(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!(":\n{}", stderr.trim_end()) }
}
