//! `rye mcp`: agents that call us, and tools of MCP servers as items.

mod add;
mod call;
mod client_file;
mod connection;
mod drift;
mod entry_edit;
mod foreign_config;
mod import;
mod install;
mod json_entry;
mod known_beginning;
mod list;
mod login;
mod login_store;
mod prepared_call;
mod refresh;
mod remove;
mod serve;
mod server_folder;
mod server_identity;
mod sessions;
mod toml_entry;
mod tool_file;
mod yaml_text;

use std::process::ExitCode;

use rye_engine::EngineSettings;

pub(crate) use install::{ClientState, client_states};
pub(crate) use tool_file::ServerFileError;

use crate::cli::{McpArgs, McpCommand};
use crate::command_error::CommandError;
use crate::output::Output;

pub(crate) fn mcp(
    settings: EngineSettings,
    args: &McpArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    match &args.command {
        McpCommand::Serve(args) => serve::serve(settings, args),
        McpCommand::Install(args) => install::install(&settings, args, output),
        McpCommand::Add(args) => add::add(&settings, args, output),
        McpCommand::Login(args) => login::login(&settings, args, output),
        McpCommand::Logout(args) => login::logout(&settings, args, output),
        McpCommand::List => list::list(&settings, output),
        McpCommand::Refresh(args) => refresh::refresh(&settings, args, output),
        McpCommand::Remove(args) => remove::remove(&settings, args, output),
        McpCommand::Import(args) => import::import(&settings, args, output),
        McpCommand::Call(args) => call::call(&settings, args),
    }
}

fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}
