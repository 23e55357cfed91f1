//! `rye graph remove` and `prune`: runs that nobody needs any more.

use std::process::ExitCode;

use rye_engine::{Engine, with_sources};
use serde_json::json;

use crate::cli::PruneArgs;
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};

pub(super) fn remove(engine: &Engine, run: &str, output: Output) -> Result<ExitCode, CommandError> {
    let id = engine.remove_graph_run(run)?;
    if output.is_json() {
        print_json(&json!({ "removed": id }))?;
    } else {
        print_bytes(format!("run {id} is removed\n").as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn prune(engine: &Engine, args: &PruneArgs, output: Output) -> Result<ExitCode, CommandError> {
    let pruned = engine.prune_graph_runs(&args.retention())?;
    let count: usize = pruned.iter().map(|pruned| pruned.removed).sum();
    let failed: Vec<_> = pruned.iter().flat_map(|pruned| &pruned.failed).collect();
    if output.is_json() {
        let kept: Vec<_> =
            failed.iter().map(|(id, error)| json!({ "id": id, "reason": with_sources(error) })).collect();
        print_json(&json!({ "removed": count, "kept": kept }))?;
    } else {
        for (id, error) in failed {
            let text = format_args!("run {id} is kept: {}", with_sources(error));
            output.note(Tone::Warning, "warning", text);
        }
        let word = if count == 1 { "run" } else { "runs" };
        print_bytes(format!("{count} {word} forgotten\n").as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}
