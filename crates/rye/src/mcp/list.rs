//! `rye mcp list`: the servers whose tools were imported.

use std::process::ExitCode;

use rye_engine::EngineSettings;
use rye_mcp::client::Transport;
use serde_json::json;

use super::count;
use super::server_folder::ServerFolder;
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::table::Table;

/// What an answer has when nothing was found.
const NOTHING_FOUND: u8 = 1;

pub(super) fn list(settings: &EngineSettings, output: Output) -> Result<ExitCode, CommandError> {
    let mut table = Table::default();
    let mut servers = Vec::new();
    for folder in ServerFolder::all(settings) {
        for name in folder.servers() {
            let (how, is_usable) = match folder.server(&name).map(|config| config.transport().clone()) {
                Ok(Transport::Stdio { command, args, .. }) => {
                    let words = std::iter::once(command).chain(args).collect::<Vec<_>>();
                    (words.join(" "), true)
                }
                Ok(Transport::Http { url, .. }) => (url, true),
                Err(_) => ("its file cannot be read".to_owned(), false),
            };
            let tools = folder.tools_of(&name);
            table.row([
                (Tone::Strong, name.clone()),
                (Tone::Faint, folder.space().to_string()),
                (Tone::Plain, count(tools.len(), "tool")),
                (if is_usable { Tone::Plain } else { Tone::Bad }, how.clone()),
            ]);
            servers.push(json!({
                "name": name,
                "space": folder.space(),
                "path": folder.server_path(&name).to_string_lossy(),
                "server": how,
                "tools": tools.iter().map(|tool| &tool.id).collect::<Vec<_>>(),
            }));
        }
    }
    let is_empty = servers.is_empty();
    if output.is_json() {
        print_json(&json!({ "servers": servers }))?;
    } else if is_empty {
        output.note(Tone::Faint, "note", "no server is there; `rye mcp add` imports one");
    } else {
        print_bytes(table.render(output).as_bytes())?;
    }
    Ok(ExitCode::from(if is_empty { NOTHING_FOUND } else { 0 }))
}
