//! `rye mcp`: agents that call us.

mod install;
mod serve;

use std::process::ExitCode;

use rye_engine::EngineSettings;

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
    }
}
