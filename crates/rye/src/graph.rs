//! `rye graph`: running graphs, looking at them, and answering them.

mod answer;
mod list;
mod progress;
mod remove;
mod run;
mod show;
mod stop;
mod validate;
mod walk;

use std::process::ExitCode;

use rye_engine::{Engine, EngineSettings, Lifetime};

use crate::cli::{GraphArgs, GraphCommand};
use crate::command_error::CommandError;
use crate::output::{Output, print_bytes};

pub(crate) fn graph(
    mut settings: EngineSettings,
    args: &GraphArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    match &args.command {
        GraphCommand::Run(_)
        | GraphCommand::Resume { .. }
        | GraphCommand::Step(_)
        | GraphCommand::Walk(_) => {
            // What was found out for one step is worth something for the next.
            settings.lifetime = Lifetime::Long;
        }
        _ => {}
    }
    let engine = Engine::new(settings);
    match &args.command {
        GraphCommand::Run(args) => run::run(&engine, args, output),
        GraphCommand::Resume { run, options } => run::resume(&engine, run, options, output),
        GraphCommand::Step(args) => run::step(&engine, args, output),
        GraphCommand::Validate { id } => validate::validate(&engine, id, output),
        GraphCommand::Show(args) => show::show(&engine, args),
        GraphCommand::Runs { limit } => list::runs(&engine, *limit, output),
        GraphCommand::Cancel { run, reason } => answer::cancel(&engine, run, reason, output),
        GraphCommand::Pause { run } => answer::pause(&engine, run, output),
        GraphCommand::Approve(args) => answer::approve(&engine, args, output),
        GraphCommand::Remove { run } => remove::remove(&engine, run, output),
        GraphCommand::Prune(args) => remove::prune(&engine, args, output),
        GraphCommand::Schema => {
            print_bytes(rye_graph::schema::GRAPH_SCHEMA.as_bytes()).map(|()| ExitCode::SUCCESS)
        }
        GraphCommand::Walk(args) => walk::walk(&engine, args, output),
    }
}
