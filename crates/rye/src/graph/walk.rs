//! `rye graph walk`: what the runtime of graphs does.

use std::io::{self, Read as _};
use std::process::ExitCode;

use lillux::interrupt::cancel_on_interrupt;
use rye_engine::{DriveRequest, Engine, GraphStart};
use rye_graph::Finish;
use rye_graph::driver::{Patience, Stop};
use serde_json::Value;

use super::progress::Progress;
use super::stop;
use crate::cli::GraphWalkArgs;
use crate::command_error::CommandError;
use crate::environment;
use crate::output::{Output, print_bytes};

pub(super) fn walk(engine: &Engine, args: &GraphWalkArgs, output: Output) -> Result<ExitCode, CommandError> {
    let cancel = cancel_on_interrupt().map_err(|error| CommandError::signals(&error))?;
    let graph = engine.graph_of_copy(&args.graph, &args.source, inputs()?)?;
    let ancestors = environment::graph_ancestors()?;
    // Only a step has a key that stands for this very call.
    let key = if ancestors.is_empty() { None } else { environment::idempotency_key() };
    // Whoever waits for a step cannot be told to come again.
    let patience = if ancestors.is_empty() { Patience::Stop } else { Patience::Wait };
    let failpoint = environment::graph_failpoint()?;
    let start = GraphStart { run_id: Some(args.run_id), node: None, key, ancestors, failpoint };
    let loaded = engine.begin_graph(&graph, start)?;
    let id = loaded.journal.header().id.clone();
    let mut progress = Progress::new(false, patience, output);
    let stopped =
        engine.drive_graph(loaded, &DriveRequest { cancel, patience }, &mut |told| progress.show(told))?;
    progress.end();
    match &stopped {
        Stop::Finished(Finish::Completed { output }) => print_bytes(format!("{output}\n").as_bytes())?,
        other => print_bytes(format!("{}\n", stop::as_json(&id, other)).as_bytes())?,
    }
    stop::explain(&id, &stopped, output);
    Ok(stop::code(&stopped))
}

/// The parameters, as JSON on standard input.
fn inputs() -> Result<Value, CommandError> {
    let mut sent = Vec::new();
    io::stdin().lock().read_to_end(&mut sent).map_err(|error| CommandError::data("standard input", error))?;
    if sent.trim_ascii().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    serde_json::from_slice(&sent).map_err(|error| CommandError::data("the parameters", error))
}
