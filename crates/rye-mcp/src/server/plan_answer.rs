//! A plan as an answer, and beside one.

use std::path::Path;

use lillux::clock::SystemClock;
use rye_engine::{Engine, ExecuteRequest};
use rye_plan::Plan;
use rye_run::journal::RunId;
use rye_run::mask::Mask;
use serde_json::Value;

use super::failure::Failure;
use super::handler::Shared;
use super::reply::{BUDGET, Reply};
use super::run_answer::Place;

/// What would run.
pub(super) fn planned(
    engine: &Engine,
    request: &ExecuteRequest,
    server: &Shared,
    project: Option<&Path>,
) -> Result<Reply, Failure> {
    let plan = engine.dry_run(request)?;
    let plan = masked(&plan, &engine.mask(&plan), server.settings.plan_view);
    let text = serde_json::to_string_pretty(&plan).unwrap_or_default();
    let mut reply = Reply::new("planned");
    if text.len() > BUDGET {
        // Nothing has run: the id is a name for what is kept, and for nothing else.
        let place = Place { run: RunId::generate(&SystemClock), outputs: &server.outputs, project };
        place.put_long_text(&mut reply, &text);
    } else {
        reply.text = text;
        reply.put("plan", plan);
    }
    Ok(reply)
}

/// Puts what has run beside what came of it.
pub(super) fn put_plan(reply: &mut Reply, plan: &Plan, mask: &Mask, view: fn(&Plan) -> Value) {
    let plan = masked(plan, mask, view);
    if plan.to_string().len() > BUDGET {
        reply.note("the plan is too long to stand beside the result: `dry_run` shows where it can be read");
    } else {
        reply.put("plan", plan);
    }
}

fn masked(plan: &Plan, mask: &Mask, view: fn(&Plan) -> Value) -> Value {
    let plan = view(plan);
    if mask.is_empty() {
        return plan;
    }
    serde_json::from_str(&mask.mask_text(&plan.to_string())).unwrap_or_default()
}
