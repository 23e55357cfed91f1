//! The `rye` command: parse, call, render, exit code.

mod cli;
mod command_error;
mod completions;
mod confirmation;
mod data;
mod doctor;
mod environment;
mod examples;
mod execute;
mod explain;
mod first_steps;
mod graph;
mod help;
mod init;
mod key_input;
mod keys;
mod load;
mod lock;
mod man;
mod mcp;
mod new;
mod output;
mod passphrase;
mod plan_view;
mod problems;
mod progress;
mod project_trust;
mod runs;
mod search;
mod secret;
mod sign;
mod signing_key;
mod table;
mod trust;
mod verify;

use std::process::ExitCode;

use rye_engine::Engine;

use crate::cli::{Cli, Command};
use crate::command_error::CommandError;
use crate::output::Output;

fn main() -> ExitCode {
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) => return command_error::usage(&error),
    };
    let output = Output::new(cli.wants_json());
    match run(&cli, output) {
        Ok(code) => code,
        Err(error) => error.print(output),
    }
}

fn run(cli: &Cli, output: Output) -> Result<ExitCode, CommandError> {
    let settings = environment::settings(&cli.global)?;
    match &cli.command {
        Command::Init(args) => init::init(settings, args, output),
        Command::New(args) => new::new(settings, args, output),
        Command::Search(args) => search::search(&Engine::new(settings), args, output),
        Command::Load(args) => load::load(&Engine::new(settings), args, output),
        Command::Execute(args) => execute::execute(settings, args, output),
        Command::Explain(args) => explain::explain(&Engine::new(settings), args, output),
        Command::Test(args) => examples::test(settings, args, output),
        Command::Keys(args) => keys::keys(&settings.spaces, args, output),
        Command::Trust(args) => project_trust::trust(settings, args, output),
        Command::Sign(args) => sign::sign(settings, args, output),
        Command::Verify(args) => verify::verify(&Engine::new(settings), args, output),
        Command::Lock(args) => lock::lock(settings, args, output),
        Command::Runs(args) => runs::runs(&Engine::new(settings), args, output),
        Command::Graph(args) => graph::graph(settings, args, output),
        Command::Secret(args) => secret::secret(&settings, args, output),
        Command::Mcp(args) => mcp::mcp(settings, args, output),
        Command::Doctor(args) => doctor::doctor(settings, args, output),
        Command::Data(args) => data::data(&settings.spaces, args),
        Command::Completions(args) => completions::completions(args),
        Command::Man(args) => man::man(args, output),
        Command::Help(args) => help::help(&Engine::new(settings), args, output),
        Command::Supervise(args) => runs::supervise(&Engine::new(settings), args),
    }
}
