//! Runs that go on as tasks, for clients that know what tasks are.
//!
//! A call that takes too long to wait for is answered with a task in place of a result. The task is the run: it has the same
//! id, and is asked for and cancelled by it.

use lillux::clock::{Clock as _, SystemClock};
use rmcp::model::{
    CallToolResult, CreateTaskResult, DetailedTask, ErrorData, JsonObject, Task, TaskPayload, TaskStatus,
};
use rye_run::journal::{RunId, RunStatus};
use serde_json::Value;

use super::live_runs::{Ending, LiveRuns};
use super::reply::Reply;

/// How often it is worth while to ask.
const PAUSE_MS: u64 = 500;

/// The task that a run goes on as.
pub(super) fn created(run: RunId) -> CreateTaskResult {
    CreateTaskResult::new(task(run))
}

/// How a task stands.
pub(super) fn get(runs: &LiveRuns, id: &str) -> Result<DetailedTask, ErrorData> {
    let (run, answer) = find(id, |run| runs.answer(run))?;
    let payload = match answer.borrow().as_ref().map(Ending::reply) {
        None => TaskPayload::Working,
        Some(reply) if reply.run_status() == RunStatus::Cancelled => TaskPayload::Cancelled,
        Some(reply) => TaskPayload::Completed { result: result(reply.clone()) },
    };
    Ok(DetailedTask::new(task(run), payload))
}

/// Ends the run of a task. It is over a little later.
pub(super) fn cancel(runs: &LiveRuns, id: &str) -> Result<(), ErrorData> {
    find(id, |run| runs.cancel(run)).map(drop)
}

/// Whether there is such a task. None of ours asks for anything.
pub(super) fn update(runs: &LiveRuns, id: &str) -> Result<(), ErrorData> {
    find(id, |run| runs.answer(run)).map(drop)
}

fn find<T>(id: &str, find: impl Fn(RunId) -> Option<T>) -> Result<(RunId, T), ErrorData> {
    let found = id.parse().ok().and_then(|run| find(run).map(|found| (run, found)));
    found.ok_or_else(|| ErrorData::invalid_params(format!("there is no task `{id}`"), None))
}

fn task(run: RunId) -> Task {
    let (created, now) = (run.started().to_string(), SystemClock.now().to_string());
    Task::new(run.to_string(), TaskStatus::Working, created, now).with_poll_interval_ms(PAUSE_MS)
}

fn result(reply: Reply) -> JsonObject {
    match serde_json::to_value(CallToolResult::from(reply)) {
        Ok(Value::Object(result)) => result,
        _ => JsonObject::new(),
    }
}
