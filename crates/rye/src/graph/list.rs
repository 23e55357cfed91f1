//! `rye graph runs`: what has run, and how it stands.

use std::process::ExitCode;

use lillux::clock::Timestamp;
use rye_engine::{Engine, with_sources};
use rye_graph::driver::{ListedRun, RunStatus, RunSummary};
use serde_json::{Value, json};

use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::table::Table;

pub(super) fn runs(engine: &Engine, limit: usize, output: Output) -> Result<ExitCode, CommandError> {
    let runs = engine.list_graph_runs(limit)?;
    let shown = runs.iter();
    if output.is_json() {
        let runs: Vec<_> = shown
            .map(|ListedRun { id, summary }| match summary {
                Ok(run) => as_json(run),
                Err(error) => json!({ "id": id, "error": with_sources(error) }),
            })
            .collect();
        print_json(&json!({ "runs": runs }))?;
    } else if runs.is_empty() {
        output.note(Tone::Faint, "note", "no graph has run yet");
    } else {
        let mut table = Table::default();
        for ListedRun { id, summary } in shown {
            table.row(match summary {
                Ok(run) => row(run),
                Err(error) => [
                    (Tone::Strong, id.clone()),
                    (Tone::Bad, "unreadable".to_owned()),
                    (Tone::Plain, with_sources(error)),
                    (Tone::Plain, String::new()),
                ],
            });
        }
        print_bytes(table.render(output).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How a run stands, in one word. One that nobody drives has been left by a process that is gone.
pub(super) fn word(run: &RunSummary) -> &'static str {
    match run.status {
        RunStatus::Running if !run.driven => "interrupted",
        status => status.as_str(),
    }
}

fn row(run: &RunSummary) -> [(Tone, String); 4] {
    let tone = match run.status {
        RunStatus::Completed => Tone::Good,
        RunStatus::Failed | RunStatus::Cancelled => Tone::Bad,
        _ => Tone::Warning,
    };
    let node = run.header.node.as_ref().map(|node| format!(" (only {node})")).unwrap_or_default();
    [
        (Tone::Strong, run.header.id.clone()),
        (tone, word(run).to_owned()),
        (Tone::Plain, format!("{}{node}", run.header.item)),
        (Tone::Faint, time(Some(run.header.started)).unwrap_or_default()),
    ]
}

fn as_json(run: &RunSummary) -> Value {
    json!({
        "id": run.header.id,
        "item": run.header.item,
        "state": word(run),
        "node": run.header.node,
        "driven": run.driven,
        "started": time(Some(run.header.started)),
        "ended": time(run.ended),
    })
}

fn time(micros: Option<i64>) -> Option<String> {
    Some(Timestamp::from_unix_micros(micros?)?.whole_seconds().to_string())
}
