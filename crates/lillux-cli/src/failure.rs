//! What could not be done, in words.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::json;

use crate::code::Code;

/// An error as the caller sees it.
#[derive(Debug)]
pub(crate) struct Failure {
    code: Code,
    message: String,
}

impl Failure {
    pub(crate) fn new(code: Code, error: &dyn Error) -> Self {
        Self { code, message: with_sources(error) }
    }

    /// A command line that cannot be parsed.
    pub(crate) fn usage(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        Self { code: Code::Usage, message: text.trim_start_matches("error: ").trim_end().to_owned() }
    }

    pub(crate) fn io(doing: &str, error: &io::Error) -> Self {
        let code = match error.kind() {
            io::ErrorKind::NotFound => Code::FileNotFound,
            _ => Code::Io,
        };
        Self { code, message: format!("cannot {doing}: {error}") }
    }

    /// Prints the error as JSON.
    pub(crate) fn print(&self) -> ExitCode {
        let text = json!({ "code": self.code, "message": self.message });
        // If nobody reads our errors, the exit code still tells.
        let _ = writeln!(io::stderr(), "{text}");
        ExitCode::from(self.code.exit_code())
    }
}

/// An error with everything that caused it, in one line.
fn with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        // Some errors say what their cause says, and nothing else.
        let words = cause.to_string();
        if !text.ends_with(&words) {
            text = format!("{text}: {words}");
        }
        source = cause.source();
    }
    text
}
