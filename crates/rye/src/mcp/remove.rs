//! `rye mcp remove`: removes a server and its tools.

use std::process::ExitCode;

use rye_engine::EngineSettings;
use serde_json::json;

use super::server_folder::ServerFolder;
use super::{add, count, login};
use crate::cli::McpRemoveArgs;
use crate::command_error::CommandError;
use crate::output::{Output, print_bytes, print_json};

pub(super) fn remove(
    settings: &EngineSettings,
    args: &McpRemoveArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let folder = ServerFolder::of(settings, args.user)?;
    add::refuse_taken(&folder, &args.name, true)?;
    if !folder.has_server(&args.name) {
        return Err(CommandError::no_such_server(&args.name, folder.space(), &folder.servers()));
    }
    let tools = folder.tools_of(&args.name);
    add::confirm(&format!("remove {} and its {}?", args.name, count(tools.len(), "tool")), args.yes, output)?;
    for tool in &tools {
        ServerFolder::remove(&tool.path)?;
    }
    if let Ok(config) = folder.server(&args.name) {
        login::forget(settings, &args.name, &config);
    }
    folder.remove_empty(&args.name);
    ServerFolder::remove(&folder.server_path(&args.name))?;
    if output.is_json() {
        print_json(
            &json!({ "name": args.name, "removed": tools.iter().map(|tool| &tool.id).collect::<Vec<_>>() }),
        )?;
    } else {
        print_bytes(format!("removed {} and {}\n", args.name, count(tools.len(), "tool")).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}
