//! Printing what a run has written, and what it goes on to write.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use lillux::process::Channel;
use rye_engine::Engine;
use rye_run::journal::{RunId, RunState, RunStatus};
use serde_json::json;

use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};

const PAUSE: Duration = Duration::from_millis(50);

pub(super) fn logs(
    engine: &Engine,
    id: RunId,
    channel: Channel,
    follow: bool,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let Some(mut log) = open(engine, id, channel, follow)? else {
        return without_log(engine, id, channel, output);
    };
    let mut printer = Printer { collected: output.is_json().then(Vec::new) };
    loop {
        // Whether it has ended is asked first: what it wrote before that is there now.
        let goes_on = follow && is_running(engine, id)?;
        if !printer.print_rest(&mut log)? || !goes_on {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    if let Some(bytes) = printer.collected {
        print_json(&json!({ "id": id, "stream": name(channel), "text": String::from_utf8_lossy(&bytes) }))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The log of a run. One that has just been started has none yet.
fn open(engine: &Engine, id: RunId, channel: Channel, wait: bool) -> Result<Option<File>, CommandError> {
    loop {
        let is_running = is_running(engine, id)?;
        let log = engine.open_run_log(id, channel)?;
        if log.is_some() || !wait || !is_running {
            return Ok(log);
        }
        std::thread::sleep(PAUSE);
    }
}

fn is_running(engine: &Engine, id: RunId) -> Result<bool, CommandError> {
    Ok(engine.find_run(id)?.0.status() == RunStatus::Running)
}

/// A run that somebody waited for has given its output to them. What its record has of it is all that there is.
fn without_log(
    engine: &Engine,
    id: RunId,
    channel: Channel,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let (record, _) = engine.find_run(id)?;
    let (preview, bytes) = match (&record.state, channel) {
        (RunState::Ended(end), Channel::Stdout) => (end.preview.as_ref(), end.stdout.bytes),
        (RunState::Ended(end), Channel::Stderr) => (None, end.stderr.bytes),
        (RunState::Running | RunState::Lost, _) => (None, 0),
    };
    let text = preview.map(|preview| preview.text.as_str()).unwrap_or_default();
    if (text.len() as u64) < bytes || record.status() == RunStatus::Running {
        let note = "its output went to whoever started it; only runs that nobody waits for keep all of it";
        output.note(Tone::Warning, "warning", note);
    }
    if output.is_json() {
        print_json(&json!({ "id": id, "stream": name(channel), "text": text }))?;
    } else {
        print_bytes(text.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn name(channel: Channel) -> &'static str {
    match channel {
        Channel::Stdout => "stdout",
        Channel::Stderr => "stderr",
    }
}

/// Prints at once, or collects for one answer.
struct Printer {
    collected: Option<Vec<u8>>,
}

impl Printer {
    /// Prints all that is there, and tells whether anybody reads it.
    fn print_rest(&mut self, log: &mut File) -> Result<bool, CommandError> {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = log.read(&mut buffer).map_err(|error| CommandError::input("the output", &error))?;
            match &mut self.collected {
                _ if count == 0 => return Ok(true),
                Some(collected) => collected.extend_from_slice(&buffer[..count]),
                None => {
                    let mut stdout = io::stdout().lock();
                    match stdout.write_all(&buffer[..count]).and_then(|()| stdout.flush()) {
                        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(false),
                        Err(error) => return Err(CommandError::output(&error)),
                        Ok(()) => {}
                    }
                }
            }
        }
    }
}
