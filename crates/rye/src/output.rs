//! Where answers go, and how they look.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use rye_run::mask::Mask;
use serde::Serialize;

use crate::command_error::CommandError;
use crate::environment;
use crate::table::printable;

/// The form of an answer: text for people, coloured on a terminal, or JSON for programs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
    colored_stdout: bool,
    colored_stderr: bool,
}

/// What a piece of text means, which decides how it looks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tone {
    Plain,
    Strong,
    Faint,
    Good,
    Warning,
    Bad,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let allowed = !environment::no_color();
        Self {
            json,
            colored_stdout: allowed && io::stdout().is_terminal(),
            colored_stderr: allowed && io::stderr().is_terminal(),
        }
    }

    /// The same, but as JSON for programs.
    pub(crate) fn as_json(self) -> Self {
        Self { json: true, ..self }
    }

    /// The same without colours.
    pub(crate) fn plain(self) -> Self {
        Self { colored_stdout: false, colored_stderr: false, ..self }
    }

    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Text as it looks on standard output.
    pub(crate) fn paint(self, tone: Tone, text: impl Display) -> String {
        paint(self.colored_stdout, tone, text)
    }

    /// Text as it looks on standard error.
    pub(crate) fn paint_error(self, tone: Tone, text: impl Display) -> String {
        paint(self.colored_stderr, tone, text)
    }

    /// Says something beside the answer.
    pub(crate) fn note(self, tone: Tone, word: &str, text: impl Display) {
        // If nobody listens, nothing is lost that matters.
        let _ = io::stderr().write_all(self.note_line(tone, word, text).as_bytes());
    }

    /// What is said beside the answer.
    pub(crate) fn note_line(self, tone: Tone, word: &str, text: impl Display) -> String {
        let word = self.paint_error(tone, format_args!("{word}:"));
        format!("{word} {}\n", printable(&text.to_string()))
    }
}

/// Prints an answer for programs.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), CommandError> {
    print_bytes(&json_line(value)?)
}

/// An answer for programs.
pub(crate) fn json_line(value: &impl Serialize) -> Result<Vec<u8>, CommandError> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|error| CommandError::output(&error.into()))?;
    text.push(b'\n');
    Ok(text)
}

/// Prints an answer for programs, without secrets.
pub(crate) fn print_json_masked(value: &impl Serialize, mask: &Mask) -> Result<(), CommandError> {
    print_bytes(&mask.mask_bytes(&json_line(value)?))
}

/// Prints an answer as it is.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), CommandError> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        // A reader that has gone away has all it wanted.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CommandError::output(&error)),
        _ => Ok(()),
    }
}

fn paint(colored: bool, tone: Tone, text: impl Display) -> String {
    let style = match tone {
        _ if !colored => Style::new(),
        Tone::Plain => Style::new(),
        Tone::Strong => Style::new().bold(),
        Tone::Faint => Style::new().dimmed(),
        Tone::Good => AnsiColor::Green.on_default(),
        Tone::Warning => AnsiColor::Yellow.on_default(),
        Tone::Bad => AnsiColor::Red.on_default().bold(),
    };
    format!("{style}{text}{style:#}")
}
