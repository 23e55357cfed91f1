//! `lillux exec`: a program run to its end.

use std::ffi::OsString;

use lillux::clock::milliseconds;
use lillux::process::{Channel, Ending, RunOutcome, RunRequest, run_with};
use lillux::{Capture, Overflow, StreamLimit, interrupt};
use serde_json::{Map, Value, json};

use crate::answer::{Answer, put_bytes};
use crate::cli::{EnvAssignment, ExecArgs, ProgramArgs};
use crate::failure::Failure;

pub(crate) fn exec(args: ExecArgs) -> Result<Answer, Failure> {
    // While the input is read there is nothing to wind up, so a signal ends us as it ends any program.
    let request = request(args)?;
    let interrupted =
        interrupt::cancel_on_interrupt().map_err(|error| Failure::io("watch for signals", &error))?;
    let outcome = run_with(&request, Some(&interrupted), &mut |_| {})?;
    let success = outcome.ending.is_success();
    Answer::new(report(outcome), success)
}

/// The variables of a program: ours unless told otherwise, and those on the command line.
pub(crate) fn environment(args: &ProgramArgs) -> Vec<(OsString, OsString)> {
    let mut variables: Vec<_> = if args.clear_env { Vec::new() } else { std::env::vars_os().collect() };
    let given = args.env.iter().map(|EnvAssignment { name, value }| (name.clone(), value.clone()));
    variables.extend(given);
    variables
}

fn request(args: ExecArgs) -> Result<RunRequest, Failure> {
    let environment = environment(&args.program);
    let mut command = args.program.command.into_iter();
    let mut request = RunRequest::new(command.next().unwrap_or_default()).args(command).envs(environment);
    request.cwd = args.program.cwd;
    request.timeout = args.timeout;
    request.grace = args.grace;
    request.stdin = args.stdin_file.map(|input| input.read()).transpose()?.unwrap_or_default();
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
    object.insert("duration_ms".into(), milliseconds(outcome.duration).into());
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
