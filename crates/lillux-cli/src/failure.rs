//! What could not be done, in words: the one place that turns errors into codes.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use lillux::process::{RunError, RunErrorKind};
use serde_json::json;

/// An error as the caller sees it.
#[derive(Debug)]
pub(crate) struct Failure {
    code: &'static str,
    message: String,
    exit: u8,
}

const USAGE: u8 = 2;
const FAILED: u8 = 3;

impl Failure {
    pub(crate) fn new(code: &'static str, error: &dyn Error) -> Self {
        Self { code, message: with_sources(error), exit: FAILED }
    }

    pub(crate) fn usage(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        Self { code: "USAGE", message: text.trim_start_matches("error: ").trim_end().to_owned(), exit: USAGE }
    }

    pub(crate) fn io(doing: &str, error: &io::Error) -> Self {
        Self { code: "IO", message: format!("cannot {doing}: {error}"), exit: FAILED }
    }

    /// Prints the error as JSON.
    pub(crate) fn print(&self) -> ExitCode {
        let text = json!({ "code": self.code, "message": self.message });
        // If nobody reads our errors, the exit code still tells.
        let _ = writeln!(io::stderr(), "{text}");
        ExitCode::from(self.exit)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let code = match error.kind() {
            RunErrorKind::ProgramNotFound { .. } | RunErrorKind::NoSearchPath => "PROGRAM_NOT_FOUND",
            RunErrorKind::NotExecutable { .. } | RunErrorKind::InterpreterMissing { .. } => "NOT_EXECUTABLE",
            RunErrorKind::Cwd { .. } => "CWD_INVALID",
            RunErrorKind::Nul { .. } | RunErrorKind::VariableName { .. } => "ARGUMENT_INVALID",
            RunErrorKind::TooLarge { .. } => "ARGUMENTS_TOO_LARGE",
            RunErrorKind::NoContainment { .. } => "NO_CONTAINMENT",
            RunErrorKind::GuardLost { .. } => "GUARD_LOST",
            RunErrorKind::Log { .. } | RunErrorKind::Output(_) => "OUTPUT_NOT_WRITABLE",
            _ => "SYSTEM",
        };
        Self::new(code, &error)
    }
}

/// An error with everything that caused it, in one line.
fn with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
