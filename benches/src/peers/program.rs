//! Running a program as a shell would: with something to read, for what it prints.

use std::ffi::OsString;
use std::io::{Read, Seek, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::deadline::{Deadline, end};
use super::side::Surroundings;
use crate::Result;

/// What all programs of this group find on their standard input: parameters, of which there are none.
const INPUT: &[u8] = b"{}\n";

/// What a program printed, and how long it took from its start to its end.
pub(crate) struct Printed {
    pub(crate) text: String,
    pub(crate) elapsed: Duration,
}

/// Runs a program to its end, and wants it to succeed.
#[expect(clippy::disallowed_methods, reason = "what is measured is the program, not our own way to run it")]
pub(crate) fn run(arguments: &[OsString], surroundings: &Surroundings, limit: Duration) -> Result<Printed> {
    let (program, arguments) = arguments.split_first().ok_or("no program")?;
    let mut complaints = tempfile::tempfile()?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(surroundings.environment.iter().cloned());
    command.current_dir(&surroundings.folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    command.stderr(complaints.try_clone()?);
    let start = Instant::now();
    let deadline = Deadline::after(limit);
    let mut child = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
    let mut output = Vec::new();
    let mut converse = || -> Result<()> {
        // Whoever does not read its input may have closed it.
        let _ = child.stdin.take().ok_or("no input")?.write_all(INPUT);
        let mut stdout = child.stdout.take().ok_or("no output")?;
        let mut buffer = [0; 16 * 1024];
        loop {
            deadline.readable(&stdout)?;
            match stdout.read(&mut buffer)? {
                0 => break deadline.ended(&child),
                count => output.extend_from_slice(&buffer[..count]),
            }
        }
    };
    if let Err(error) = converse() {
        end(&mut child);
        return Err(error);
    }
    let status = child.wait()?;
    let elapsed = start.elapsed();
    let text = String::from_utf8_lossy(&output).into_owned();
    if status.success() {
        return Ok(Printed { text, elapsed });
    }
    let mut said = String::new();
    complaints.rewind()?;
    complaints.read_to_string(&mut said)?;
    Err(format!("{status}: {}", reason(&text, &said)).into())
}

/// What a program says is wrong: in the JSON that it prints, or in the last line of its complaints.
fn reason(printed: &str, complaints: &str) -> String {
    let value: Option<Value> = serde_json::from_str(printed).ok();
    let error = value.as_ref().and_then(|value| value.get("error")).and_then(Value::as_str);
    let mut lines = error.unwrap_or(complaints).lines().map(str::trim);
    lines.rfind(|line| !line.is_empty()).unwrap_or("nothing was said").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<Printed> {
        let surroundings = Surroundings { folder: "/".into(), environment: Vec::new() };
        run(&["/bin/sh", "-c", script].map(OsString::from), &surroundings, limit)
    }

    #[test]
    fn what_is_printed_comes_back() {
        assert_eq!(shell("cat", Duration::from_mins(1)).unwrap().text, "{}\n");
    }

    #[test]
    fn a_failure_says_its_last_line() {
        let error = shell("echo first >&2; echo second >&2; exit 3", Duration::from_mins(1)).err().unwrap();
        assert_eq!(error.to_string(), "exit status: 3: second");
    }

    #[test]
    fn a_failure_in_json_says_its_error() {
        let error = shell(r#"echo '{"error": "no such key", "id": 1}'; exit 1"#, Duration::from_mins(1));
        assert_eq!(error.err().unwrap().to_string(), "exit status: 1: no such key");
    }

    #[test]
    fn nobody_waits_for_ever() {
        let error = shell("exec sleep 600", Duration::ZERO).err().unwrap();
        assert_eq!(error.to_string(), "no answer within 0 s");
    }
}
