//! `lillux spawn`, `status` and `kill`: programs that outlive us.

use lillux::process::{self, KillOutcome, ProcessStatus, SpawnRequest};
use serde_json::json;

use crate::answer::Answer;
use crate::cli::{KillArgs, SpawnArgs, StatusArgs};
use crate::exec::environment;
use crate::failure::Failure;

pub(crate) fn spawn(args: SpawnArgs) -> Result<Answer, Failure> {
    let env = environment(&args.program).into_iter().collect();
    let mut command = args.program.command.into_iter();
    let handle = process::spawn(&SpawnRequest {
        program: command.next().unwrap_or_default(),
        args: command.collect(),
        cwd: args.program.cwd,
        env,
        log: args.log,
    })?;
    Answer::yes(json!({ "handle": handle.to_string(), "pid": handle.pid }))
}

pub(crate) fn status(args: &StatusArgs) -> Result<Answer, Failure> {
    let status = process::status(&args.handle)?;
    let name = match status {
        ProcessStatus::Running => "running",
        ProcessStatus::Zombie => "zombie",
        ProcessStatus::Gone => "gone",
    };
    Answer::new(json!({ "status": name }), status == ProcessStatus::Running)
}

pub(crate) fn kill(args: &KillArgs) -> Result<Answer, Failure> {
    let outcome = process::kill(&args.handle, args.grace)?;
    let name = match outcome {
        KillOutcome::AlreadyGone => "already_gone",
        KillOutcome::Terminated => "terminated",
        KillOutcome::Killed => "killed",
    };
    Answer::new(json!({ "status": name }), outcome != KillOutcome::AlreadyGone)
}
