//! `lillux exec`: a program run to its end.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use lillux::process::{Channel, Ending, RunOutcome, RunRequest, run_with};
use lillux::{Capture, Overflow, StreamLimit, interrupt};
use serde_json::{Map, Value, json};

use crate::answer::{Answer, put_bytes};
use crate::cli::{ExecArgs, ProgramArgs};
use crate::duration::millis;
use crate::failure::Failure;

pub(crate) fn exec(args: ExecArgs) -> Result<Answer, Failure> {
    let interrupted =
        interrupt::cancel_on_interrupt().map_err(|error| Failure::io("watch for signals", &error))?;
    let outcome = run_with(&request(args)?, Some(&interrupted), &mut |_| {})?;
    let success = outcome.ending.is_success();
    Answer::new(report(outcome), success)
}

/// The variables of a program: ours unless told otherwise, and those on the command line.
pub(crate) fn environment(args: &ProgramArgs) -> Result<Vec<(OsString, OsString)>, Failure> {
    let mut variables: Vec<_> = if args.clear_env { Vec::new() } else { std::env::vars_os().collect() };
    for assignment in &args.env {
        let bytes = assignment.as_bytes();
        let middle =
            bytes.iter().position(|&byte| byte == b'=').ok_or_else(|| NotAnAssignment(assignment.clone()))?;
        let part = |range: &[u8]| OsString::from_vec(range.to_vec());
        variables.push((part(&bytes[..middle]), part(&bytes[middle + 1..])));
    }
    Ok(variables)
}

/// A `--env` without `=`.
#[derive(Debug, thiserror::Error)]
#[error("`--env {}` is not of the form NAME=VALUE", .0.display())]
struct NotAnAssignment(OsString);

impl From<NotAnAssignment> for Failure {
    fn from(error: NotAnAssignment) -> Self {
        Self::new("ARGUMENT_INVALID", &error)
    }
}

fn request(args: ExecArgs) -> Result<RunRequest, Failure> {
    let environment = environment(&args.program)?;
    let mut command = args.program.command.into_iter();
    let mut request = RunRequest::new(command.next().unwrap_or_default()).args(command).envs(environment);
    request.cwd = args.program.cwd;
    request.timeout = args.timeout;
    request.grace = args.grace;
    request.stdin = args.stdin_file.as_deref().map(read_input).transpose()?.unwrap_or_default();
    let overflow = match (args.spool, args.stop_on_excess) {
        (Some(folder), _) => Overflow::Spool(folder),
        (None, true) => Overflow::Stop,
        (None, false) => Overflow::Truncate,
    };
    request = request.output_limit(StreamLimit { memory: args.max_output, overflow });
    if !args.containment.is_empty() {
        request.containment = args.containment.into_iter().map(|arg| arg.0).collect();
    }
    Ok(request)
}

fn read_input(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = || {
        if path == Path::new("-") {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
        } else {
            std::fs::read(path)
        }
    };
    read().map_err(|error| Failure::io(&format!("read `{}`", path.display()), &error))
}

fn report(outcome: RunOutcome) -> Value {
    let mut object = Map::new();
    let ending = match outcome.ending {
        Ending::Exited { code } => json!({ "status": "exited", "exit_code": code }),
        Ending::Signaled { signal } => json!({ "status": "signaled", "signal": signal }),
        Ending::TimedOut { killed, .. } => json!({ "status": "timed_out", "killed": killed }),
        Ending::Cancelled { killed } => json!({ "status": "cancelled", "killed": killed }),
        Ending::OutputLimit { channel, killed } => {
            json!({ "status": "output_limit", "channel": name(channel), "killed": killed })
        }
    };
    if let Value::Object(fields) = ending {
        object.extend(fields);
    }
    put_capture(&mut object, Channel::Stdout, outcome.stdout);
    put_capture(&mut object, Channel::Stderr, outcome.stderr);
    object.insert("duration_ms".into(), millis(outcome.duration).into());
    object.insert("containment".into(), outcome.containment.name().into());
    Value::Object(object)
}

fn put_capture(object: &mut Map<String, Value>, channel: Channel, capture: Capture) {
    let name = name(channel);
    object.insert(format!("{name}_bytes"), capture.total.into());
    if capture.is_truncated() {
        object.insert(format!("{name}_truncated"), true.into());
    }
    if let Some(spool) = &capture.spool {
        let spool = json!({ "path": spool.path.to_string_lossy(), "sha256": spool.digest });
        object.insert(format!("{name}_file"), spool);
    }
    put_bytes(object, name, capture.bytes);
}

fn name(channel: Channel) -> &'static str {
    match channel {
        Channel::Stdout => "stdout",
        Channel::Stderr => "stderr",
    }
}
