//! `rye graph run`, `resume` and `step`.

use std::process::ExitCode;

use lillux::interrupt::cancel_on_interrupt;
use rye_engine::{DriveRequest, Engine, EngineError, ExecuteRequest, GraphStart, LoadRequest};
use rye_graph::driver::{Loaded, Patience};
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_plan::Parameters;
use serde_json::{Map, Value};

use super::progress::Progress;
use super::stop;
use crate::cli::{GraphRunArgs, GraphRunOptions, GraphStepArgs, RunOptions};
use crate::command_error::CommandError;
use crate::environment;
use crate::execute::{Arguments, read_parameters, read_source};
use crate::output::Output;

pub(super) fn run(engine: &Engine, args: &GraphRunArgs, output: Output) -> Result<ExitCode, CommandError> {
    let Some((id, rest)) = args.rest.split_first() else { return Err(CommandError::no_id()) };
    let mut options = args.options.clone();
    let is_ours = |word: &str, wanted: &mut bool| {
        let found = rest.iter().any(|other| other == word);
        *wanted |= found;
    };
    is_ours("--events", &mut options.events);
    is_ours("--wait", &mut options.wait);
    let rest: Vec<String> =
        rest.iter().filter(|word| *word != "--events" && *word != "--wait").cloned().collect();
    let request = LoadRequest { kind: ItemKind::Tool, id: id.clone(), from: None, to: None };
    let metadata = if rest.is_empty() { None } else { Some(engine.load(&request)?.item.metadata) };
    let schema = metadata.as_ref().and_then(|metadata| metadata.config_schema.as_ref());
    let before = RunOptions { params: args.params.clone(), locked: args.locked, ..RunOptions::default() };
    let item = tool(id)?;
    let wrong = |error| CommandError::arguments(&item, &error);
    let arguments = Arguments::read(id, &rest, schema, &before).map_err(wrong)?;
    let output = if arguments.wants_json { output.as_json() } else { output };
    let mut parameters = arguments.options.params.as_deref().map(read_parameters).transpose()?;
    if arguments.has_values() {
        let json = arguments.parameters(parameters.as_ref()).map_err(wrong)?;
        parameters = Some(Parameters::parse(json).map_err(|error| CommandError::parameters(&error))?);
    }
    let request = ExecuteRequest {
        parameters: parameters.unwrap_or_default(),
        locked: arguments.options.locked,
        ..ExecuteRequest::new(item)
    };
    let graph = engine.graph(&request)?;
    let start = GraphStart {
        ancestors: environment::graph_ancestors()?,
        failpoint: environment::graph_failpoint()?,
        ..GraphStart::default()
    };
    let loaded = engine.begin_graph(&graph, start)?;
    drive(engine, loaded, &options, output)
}

pub(super) fn resume(
    engine: &Engine,
    id: &str,
    options: &GraphRunOptions,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let (_, mut loaded) = engine.resume_graph(id)?;
    loaded.journal.fail_at(environment::graph_failpoint()?);
    drive(engine, loaded, options, output)
}

pub(super) fn step(engine: &Engine, args: &GraphStepArgs, output: Output) -> Result<ExitCode, CommandError> {
    let parameters = args.params.as_deref().map(read_parameters).transpose()?.unwrap_or_default();
    let state: Map<String, Value> = match args.state.as_deref() {
        Some(source) => serde_json::from_slice(&read_source(source)?)
            .map_err(|error| CommandError::data("--state", format!("expected a JSON object: {error}")))?,
        None => Map::new(),
    };
    let request = ExecuteRequest { parameters, ..ExecuteRequest::new(tool(&args.id)?) };
    let graph = engine.graph_without_parameters(&request)?;
    let start = GraphStart { node: Some((args.node.clone(), state)), ..GraphStart::default() };
    let loaded = engine.begin_graph(&graph, start)?;
    drive(engine, loaded, &args.options, output)
}

fn drive(
    engine: &Engine,
    loaded: Loaded,
    options: &GraphRunOptions,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let cancel = cancel_on_interrupt().map_err(|error| CommandError::signals(&error))?;
    let patience = if options.wait { Patience::Wait } else { Patience::Stop };
    let id = loaded.journal.header().id.clone();
    let mut progress = Progress::new(options.events, patience, output);
    let stopped =
        engine.drive_graph(loaded, &DriveRequest { cancel, patience }, &mut |told| progress.show(told));
    progress.end();
    let stopped = stopped?;
    if !options.events {
        stop::print(&id, &stopped, output)?;
    }
    stop::explain(&id, &stopped, output);
    Ok(stop::code(&stopped))
}

fn tool(id: &str) -> Result<ItemRef, CommandError> {
    Ok(ItemRef::new(ItemKind::Tool, ItemId::new(id).map_err(EngineError::from)?))
}
