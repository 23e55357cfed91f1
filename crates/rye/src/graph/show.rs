//! `rye graph show`: a drawing.

use std::process::ExitCode;

use rye_engine::{Engine, EngineError};
use rye_graph::draw;

use crate::cli::GraphShowArgs;
use crate::command_error::CommandError;
use crate::output::print_bytes;

pub(super) fn show(engine: &Engine, args: &GraphShowArgs) -> Result<ExitCode, CommandError> {
    if let (Some(run), true) = (&args.run, args.events) {
        return events(engine, run);
    }
    let (graph, view) = match (&args.run, &args.id) {
        (Some(run), _) => {
            let (graph, loaded) = engine.look_at_graph_run(run)?;
            (graph.graph, Some(loaded.walker.view()))
        }
        (None, id) => {
            let check = engine.check_graph(id.as_deref().unwrap_or_default())?;
            let (item, problems) = (check.item, check.problems);
            let graph = check.graph.ok_or(EngineError::GraphInvalid { item, problems })?;
            (graph.into(), None)
        }
    };
    let drawing = if args.svg {
        draw::svg(&graph, view.as_ref())
    } else if args.mermaid {
        draw::mermaid(&graph, view.as_ref())
    } else {
        draw::terminal(&graph, view.as_ref())
    };
    print_bytes(format!("{}\n", drawing.trim_end_matches('\n')).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The journal of a run, as lines of JSON.
fn events(engine: &Engine, run: &str) -> Result<ExitCode, CommandError> {
    let (folder, summary) = engine.find_graph_run(run)?;
    let journal = folder.open(&summary.header.id).map_err(EngineError::from)?;
    let mut printed = Ok(());
    let read = journal.history(&mut |past| {
        let line = serde_json::to_string(&past).map_err(|error| CommandError::output(&error.into()));
        printed = line.and_then(|line| print_bytes(format!("{line}\n").as_bytes()));
        printed.is_ok()
    });
    read.map_err(EngineError::from)?;
    printed.map(|()| ExitCode::SUCCESS)
}
