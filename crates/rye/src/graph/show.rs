//! `rye graph show`: a drawing.

use std::process::ExitCode;

use rye_engine::Engine;
use rye_graph::draw;

use crate::cli::GraphShowArgs;
use crate::command_error::CommandError;
use crate::output::print_bytes;

pub(super) fn show(engine: &Engine, args: &GraphShowArgs) -> Result<ExitCode, CommandError> {
    let (graph, view) = match (&args.run, &args.id) {
        (Some(run), _) => {
            let (graph, loaded) = engine.look_at_graph_run(run)?;
            (graph.graph, Some(loaded.walker.view()))
        }
        (None, id) => {
            let check = engine.check_graph(id.as_deref().unwrap_or_default())?;
            let (item, problems) = (check.item, check.problems);
            let graph = check.graph.ok_or(rye_engine::EngineError::GraphInvalid { item, problems })?;
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
