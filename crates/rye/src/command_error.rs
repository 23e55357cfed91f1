//! The one place that turns errors into words, hints and exit codes.

mod data;
mod execute;
mod keys;
mod mcp;
mod mcp_client;
mod new;
mod runs;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use rye_engine::{EngineError, with_sources};
use rye_trust::shell_word;
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
    /// The same, with something better to do about it.
    pub(crate) fn with_hint(self, hint: String) -> Self {
        Self { hint: Some(hint), ..self }
    }

    /// What is wrong.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    pub(crate) fn output(error: &io::Error) -> Self {
        let hint = Some("see whether the disk is full, and whether what reads it is still there".to_owned());
        Self { code: "IO", message: format!("cannot write the answer: {error}"), hint }
    }

    pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Self {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let hint =
            Some(format!("name another place, or run `ls -la {}` to see what is there", shell_word(folder)));
        Self { code: "IO", message: format!("cannot write `{}`: {error}", path.display()), hint }
    }

    #[expect(clippy::needless_pass_by_value, reason = "for use in `map_err`")]
    pub(crate) fn no_working_directory(error: io::Error) -> Self {
        let message = format!("there is no working directory: {error}");
        Self { code: "IO", message, hint: Some("change to a folder that exists".to_owned()) }
    }

    /// Prints the error in the form that was asked for.
    pub(crate) fn print(&self, output: Output) -> ExitCode {
        // If nobody reads our errors, the exit code still tells.
        let _ = io::stderr().write_all(self.render(output).as_bytes());
        ExitCode::from(self.exit_code())
    }

    /// The error in the form that was asked for.
    pub(crate) fn render(&self, output: Output) -> String {
        if output.is_json() {
            let text = json!({ "error": { "code": self.code, "message": self.message, "hint": self.hint } });
            return format!("{text:#}\n");
        }
        let error = output.note_line(Tone::Bad, "error", format_args!("{} [{}]", self.message, self.code));
        let hint = self.hint.as_ref().map(|hint| output.note_line(Tone::Good, "hint", hint));
        error + &hint.unwrap_or_default()
    }

    /// The exit code of a command that failed this way.
    pub(crate) fn exit_code(&self) -> u8 {
        if self.code == WRONG_COMMAND_LINE { USAGE } else { FAILED }
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
