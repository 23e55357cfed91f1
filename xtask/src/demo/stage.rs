//! Commands as a person would type them, in the demo's own project and home.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::scratch::Scratch;
use crate::error::TaskError;

/// Where the demo takes place.
#[derive(Debug)]
pub(super) struct Stage<'a> {
    rye: &'a Path,
    scratch: &'a Scratch,
}

/// What a command has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expect {
    Success,
    /// It has to be refused with this code.
    Refusal(&'static str),
}

impl<'a> Stage<'a> {
    pub(super) fn new(rye: &'a Path, scratch: &'a Scratch) -> Self {
        Self { rye, scratch }
    }

    pub(super) fn project(&self) -> PathBuf {
        self.scratch.project()
    }

    /// The program with these arguments. Nothing of the caller's environment decides what it does, except where
    /// interpreters are.
    pub(super) fn command<S: AsRef<str>>(&self, args: &[S]) -> Command {
        let mut command = Command::new(self.rye);
        command.args(args.iter().map(AsRef::as_ref)).current_dir(self.scratch.project());
        command.env_clear().env("HOME", self.scratch.home());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdin(Stdio::null());
        command
    }

    /// Shows a command and the first lines of what it prints.
    pub(super) fn show(&self, line: &str, expect: Expect, most: usize) -> Result<String, TaskError> {
        let args: Vec<&str> = line.split(' ').collect();
        let quoted = |arg: &&str| if arg.contains('"') { format!("'{arg}'") } else { (*arg).to_owned() };
        println!("    $ rye {}", args.iter().map(quoted).collect::<Vec<_>>().join(" "));
        let output = self.output(&args)?;
        let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        let is_as_expected = match expect {
            Expect::Success => output.status.success(),
            Expect::Refusal(code) => !output.status.success() && text.contains(code),
        };
        if !is_as_expected {
            return Err(TaskError::Demo {
                what: format!("`rye {line}` ended with {}", output.status),
                said: text,
            });
        }
        show_text(&text, most);
        Ok(text)
    }

    /// Runs a command without a word.
    pub(super) fn output<S: AsRef<str>>(&self, args: &[S]) -> Result<Output, TaskError> {
        self.command(args).output().map_err(|source| self.not_started(source))
    }

    /// The median time of a few runs of a command.
    pub(super) fn time<S: AsRef<str>>(&self, args: &[S], runs: usize) -> Result<Duration, TaskError> {
        let mut times = Vec::new();
        for _ in 0..runs {
            let start = Instant::now();
            let output = self.output(args)?;
            times.push(start.elapsed());
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                return Err(TaskError::Demo { what: format!("a run ended with {}", output.status), said });
            }
        }
        Ok(median(times))
    }

    pub(super) fn not_started(&self, source: std::io::Error) -> TaskError {
        TaskError::Start { program: self.rye.display().to_string(), source }
    }
}

/// Prints the first lines of a text, and says how many there are more.
pub(super) fn show_text(text: &str, most: usize) {
    let lines: Vec<&str> = text.lines().collect();
    for line in lines.iter().take(most) {
        println!("    {line}");
    }
    if lines.len() > most {
        println!("    … and {} more lines", lines.len() - most);
    }
}

/// The value in the middle.
pub(super) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_not_moved_by_one_slow_run() {
        let times = [5, 1, 900, 4, 3].map(Duration::from_millis).to_vec();
        assert_eq!(median(times), Duration::from_millis(4));
    }
}
