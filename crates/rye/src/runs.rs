//! `rye runs`: what has run, what runs, and how to end it.

mod description;
mod follow;

use std::process::ExitCode;
use std::time::Duration;

use lillux::CancelToken;
use lillux::process::Channel;
use rye_engine::{Cancellation, Engine};
use rye_item::{ItemKind, ItemRef};
use rye_run::journal::{RunFilter, RunIdPrefix, RunStatus};
use serde_json::json;

use crate::cli::{PruneArgs, RunsArgs, RunsCommand, RunsListArgs, SuperviseArgs};
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::table::Table;
use description::{as_json, as_text, row};

/// What an answer has when nothing was found, or a run did not succeed.
const NOTHING_FOUND: u8 = 1;

pub(crate) fn runs(engine: &Engine, args: &RunsArgs, output: Output) -> Result<ExitCode, CommandError> {
    match &args.command {
        None => list(engine, &args.list, output),
        Some(RunsCommand::List(args)) => list(engine, args, output),
        Some(RunsCommand::Show { id }) => show(engine, id, output),
        Some(RunsCommand::Wait { id, timeout }) => wait(engine, id, *timeout, output),
        Some(RunsCommand::Logs { id, stderr, follow }) => {
            let channel = if *stderr { Channel::Stderr } else { Channel::Stdout };
            follow::logs(engine, engine.resolve_run(id)?, channel, *follow, output)
        }
        Some(RunsCommand::Cancel { id }) => cancel(engine, id, output),
        Some(RunsCommand::Prune(args)) => prune(engine, args, output),
    }
}

/// Watches over one run.
pub(crate) fn supervise(engine: &Engine, args: &SuperviseArgs) -> Result<ExitCode, CommandError> {
    let cancel = lillux::interrupt::cancel_on_interrupt().map_err(|error| CommandError::signals(&error))?;
    engine.supervise(&args.request, &cancel)?;
    Ok(ExitCode::SUCCESS)
}

fn list(engine: &Engine, args: &RunsListArgs, output: Output) -> Result<ExitCode, CommandError> {
    let item = args.item.clone().map(|id| ItemRef::new(ItemKind::Tool, id));
    let filter = RunFilter { item, status: args.state, before: None, limit: args.limit };
    let runs = engine.runs(&filter)?;
    if output.is_json() {
        let runs: Vec<_> = runs.iter().map(|run| as_json(run, None)).collect();
        print_json(&json!({ "runs": runs }))?;
    } else if runs.is_empty() {
        output.note(Tone::Faint, "note", "there are no such runs");
    } else {
        let mut table = Table::default();
        for run in &runs {
            table.row(row(run));
        }
        print_bytes(table.render(output).as_bytes())?;
    }
    Ok(ExitCode::from(if runs.is_empty() { NOTHING_FOUND } else { 0 }))
}

fn show(engine: &Engine, id: &RunIdPrefix, output: Output) -> Result<ExitCode, CommandError> {
    let (record, folder) = engine.find_run(engine.resolve_run(id)?)?;
    if output.is_json() {
        print_json(&as_json(&record, Some(&folder)))?;
    } else {
        print_bytes(as_text(&record, &folder, output).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn wait(
    engine: &Engine,
    id: &RunIdPrefix,
    timeout: Option<Duration>,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let id = engine.resolve_run(id)?;
    // Nothing is lost if we are interrupted, so the signal may end us.
    let never = CancelToken::new().map_err(|error| CommandError::signals(&error))?;
    let record = engine.wait_for_run(id, timeout, &never)?;
    if record.status() == RunStatus::Running {
        return Err(CommandError::still_running(id));
    }
    let (record, folder) = engine.find_run(id)?;
    if output.is_json() {
        print_json(&as_json(&record, Some(&folder)))?;
    } else {
        print_bytes(as_text(&record, &folder, output).as_bytes())?;
    }
    Ok(ExitCode::from(if record.status() == RunStatus::Succeeded { 0 } else { NOTHING_FOUND }))
}

fn cancel(engine: &Engine, id: &RunIdPrefix, output: Output) -> Result<ExitCode, CommandError> {
    let (record, was_running) = match engine.cancel_run(engine.resolve_run(id)?)? {
        Cancellation::Ended(record) => (record, true),
        Cancellation::WasOver(record) => (record, false),
    };
    if output.is_json() {
        print_json(&json!({ "id": record.id(), "was_running": was_running, "state": record.status() }))?;
    } else if was_running {
        print_bytes(format!("run {} is over: {}\n", record.id(), record.status()).as_bytes())?;
    } else {
        let text = format!("run {} was over already: {}", record.id(), record.status());
        output.note(Tone::Faint, "note", text);
    }
    Ok(ExitCode::from(if was_running { 0 } else { NOTHING_FOUND }))
}

fn prune(engine: &Engine, args: &PruneArgs, output: Output) -> Result<ExitCode, CommandError> {
    let pruned = engine.prune_runs(&args.retention())?;
    let count: usize = pruned.iter().map(|pruned| pruned.runs).sum();
    let kept: Vec<_> = pruned.iter().flat_map(|pruned| &pruned.kept).collect();
    for (id, error) in &kept {
        output.note(Tone::Warning, "warning", format_args!("cannot remove the output of run {id}: {error}"));
    }
    if output.is_json() {
        let kept: Vec<_> = kept.iter().map(|(id, _)| id).collect();
        print_json(&json!({ "removed": count, "kept": kept }))?;
    } else {
        let word = if count == 1 { "run" } else { "runs" };
        print_bytes(format!("{count} {word} forgotten\n").as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}
