//! How a run stands when its driver has stopped, for people and for programs.

use std::process::ExitCode;

use rye_graph::driver::Stop;
use rye_graph::{Finish, Question, QuestionKind};
use serde_json::{Value, json};

use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_json};

const FAILED: u8 = 1;
const WAITS: u8 = 4;
const INTERRUPTED: u8 = 130;

/// Prints the answer.
pub(super) fn print(id: &str, stop: &Stop, output: Output) -> Result<(), CommandError> {
    match stop {
        _ if output.is_json() => print_json(&as_json(id, stop)),
        Stop::Finished(Finish::Completed { output }) => print_json(output),
        Stop::Finished(_) | Stop::Waiting(_) | Stop::Paused | Stop::Interrupted => Ok(()),
    }
}

/// Says why there is no answer, and what to do about it.
pub(super) fn explain(id: &str, stop: &Stop, output: Output) {
    if output.is_json() {
        return;
    }
    let go_on = || output.note(Tone::Good, "hint", format!("`rye graph resume {id}` goes on"));
    match stop {
        Stop::Finished(Finish::Completed { .. }) => {}
        Stop::Finished(Finish::Failed { failure }) => {
            let place = failure.step.as_ref().map_or(failure.node.clone(), ToString::to_string);
            let code = failure.code.as_ref().map(|code| format!(" [{code}]")).unwrap_or_default();
            output.note(Tone::Bad, "error", format!("`{place}` failed: {}{code}", failure.message));
            output.note(Tone::Good, "hint", format!("`rye graph show --run {id}` shows how far it came"));
        }
        Stop::Finished(Finish::Cancelled { reason }) => {
            output.note(Tone::Bad, "error", format!("run {id} was cancelled: {reason}"));
        }
        Stop::Waiting(questions) => {
            for question in questions {
                output.note(Tone::Warning, "waiting", in_words(question));
            }
            output.note(Tone::Good, "hint", answer_hint(id, questions));
            go_on();
        }
        Stop::Paused => {
            output.note(Tone::Warning, "paused", format!("run {id} starts no more steps"));
            go_on();
        }
        Stop::Interrupted => {
            output.note(Tone::Warning, "interrupted", format!("run {id} was stopped"));
            go_on();
        }
    }
}

pub(super) fn code(stop: &Stop) -> ExitCode {
    match stop {
        Stop::Finished(Finish::Completed { .. }) => ExitCode::SUCCESS,
        Stop::Finished(_) => ExitCode::from(FAILED),
        Stop::Waiting(_) | Stop::Paused => ExitCode::from(WAITS),
        Stop::Interrupted => ExitCode::from(INTERRUPTED),
    }
}

pub(super) fn as_json(id: &str, stop: &Stop) -> Value {
    let mut object = match stop {
        Stop::Finished(finish) => serde_json::to_value(finish).unwrap_or_default(),
        Stop::Waiting(questions) => json!({ "status": "waiting", "questions": questions }),
        Stop::Paused => json!({ "status": "paused" }),
        Stop::Interrupted => json!({ "status": "interrupted" }),
    };
    object["run_id"] = json!(id);
    object
}

pub(super) fn in_words(question: &Question) -> String {
    match &question.kind {
        QuestionKind::Approval { message } if message.is_empty() => {
            format!("`{}` has to be approved", question.step)
        }
        QuestionKind::Approval { message } => format!("`{}` has to be approved: {message}", question.step),
        QuestionKind::Interrupted => {
            format!("nobody knows how `{}` ended, because the run was interrupted", question.step)
        }
    }
}

fn answer_hint(id: &str, questions: &[Question]) -> String {
    let node = match questions {
        [only] => only.step.node().map(|node| format!(" {node}")).unwrap_or_default(),
        _ => " STEP".to_owned(),
    };
    match questions.first().map(|question| &question.kind) {
        Some(QuestionKind::Interrupted) => format!(
            "`rye graph approve {id}{node} --retry` makes it again, `--fail` takes it for failed, `--done RESULT` for done"
        ),
        _ => format!("`rye graph approve {id}{node}` opens the gate, and `--refuse` keeps it shut"),
    }
}
