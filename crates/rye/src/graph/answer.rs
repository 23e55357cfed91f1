//! `rye graph approve`, `cancel` and `pause`: what people have to say to a run.

use std::process::ExitCode;

use rye_engine::Engine;
use rye_graph::Answer;
use rye_graph::driver::RunStatus;
use serde_json::json;

use crate::cli::GraphAnswerArgs;
use crate::command_error::CommandError;
use crate::environment;
use crate::output::{Output, Tone, print_bytes, print_json};

pub(super) fn approve(
    engine: &Engine,
    args: &GraphAnswerArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let (by, comment) = (environment::user_name(), args.comment.clone());
    let answer = match &args.done {
        Some(json) => {
            let result =
                serde_json::from_str(json).map_err(|error| CommandError::data("the result", error))?;
            Answer::Done { result }
        }
        None if args.refuse => Answer::Reject { by, comment },
        None if args.retry => Answer::Retry,
        None if args.fail => Answer::Fail,
        None => Answer::Approve { by, comment },
    };
    let (question, _) = engine.answer_graph_run(&args.run, args.node.as_deref(), answer)?;
    let (_, run) = engine.find_graph_run(&args.run)?;
    if output.is_json() {
        print_json(&json!({ "run_id": run.header.id, "step": question.step, "driven": run.driven }))?;
    } else {
        print_bytes(format!("answered: {}\n", question.step).as_bytes())?;
        if !run.driven {
            let hint = format!("`rye graph resume {}` goes on", run.header.id);
            output.note(Tone::Good, "hint", hint);
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn cancel(
    engine: &Engine,
    id: &str,
    reason: &str,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let status = engine.cancel_graph_run(id, reason)?;
    tell(id, status, "is being cancelled", output)
}

pub(super) fn pause(engine: &Engine, id: &str, output: Output) -> Result<ExitCode, CommandError> {
    let status = engine.pause_graph_run(id)?;
    tell(id, status, "is being paused", output)
}

fn tell(id: &str, status: RunStatus, meanwhile: &str, output: Output) -> Result<ExitCode, CommandError> {
    if output.is_json() {
        print_json(&json!({ "run_id": id, "state": status }))?;
    } else {
        let how = match status {
            RunStatus::Cancelled | RunStatus::Paused => format!("is {status}"),
            _ => meanwhile.to_owned(),
        };
        print_bytes(format!("run {id} {how}\n").as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}
