//! The one place that turns errors into words, hints and exit codes.

mod data;
mod execute;
mod keys;
mod mcp;
mod mcp_client;
mod runs;

use std::io::{self, Write};
use std::process::ExitCode;

use rye_engine::{EngineError, with_sources};
use serde_json::json;

use crate::output::{Output, Tone};

/// An error as a person or a program sees it.
#[derive(Debug)]
pub(crate) struct CommandError {
    code: &'static str,
    message: String,
    hint: Option<String>,
}

/// The code of errors that the command line itself has.
const WRONG_COMMAND_LINE: &str = "USAGE";
const USAGE: u8 = 2;
const FAILED: u8 = 3;

impl CommandError {
    pub(crate) fn output(error: &io::Error) -> Self {
        Self { code: "IO", message: format!("cannot write the answer: {error}"), hint: None }
    }

    #[expect(clippy::needless_pass_by_value, reason = "for use in `map_err`")]
    pub(crate) fn no_working_directory(error: io::Error) -> Self {
        let message = format!("there is no working directory: {error}");
        Self { code: "IO", message, hint: Some("change to a folder that exists".to_owned()) }
    }

    /// Prints the error in the form that was asked for.
    pub(crate) fn print(&self, output: Output) -> ExitCode {
        if output.is_json() {
            let text = json!({ "error": { "code": self.code, "message": self.message, "hint": self.hint } });
            // If nobody reads our errors, the exit code still tells.
            let _ = writeln!(io::stderr(), "{text:#}");
        } else {
            output.note(Tone::Bad, "error", format_args!("{} [{}]", self.message, self.code));
            if let Some(hint) = &self.hint {
                output.note(Tone::Good, "hint", hint);
            }
        }
        ExitCode::from(if self.code == WRONG_COMMAND_LINE { USAGE } else { FAILED })
    }
}

impl From<EngineError> for CommandError {
    fn from(error: EngineError) -> Self {
        Self { code: error.code().as_str(), message: with_sources(&error), hint: error.hint() }
    }
}

/// Prints what is wrong with the command line, or the help that was asked for.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    // If nobody reads it, the exit code still tells.
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
}
