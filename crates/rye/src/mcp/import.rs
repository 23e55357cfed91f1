//! `rye mcp import`: the servers that an agent is configured for.

use std::process::ExitCode;

use lillux::interrupt::cancel_on_interrupt;
use rye_engine::EngineSettings;
use serde_json::json;

use super::server_folder::ServerFolder;
use super::{add, count, foreign_config};
use crate::cli::McpImportArgs;
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};

const FAILED: u8 = 3;

pub(super) fn import(
    settings: &EngineSettings,
    args: &McpImportArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let cancel = cancel_on_interrupt().map_err(|error| CommandError::signals(&error))?;
    let folder = ServerFolder::of(settings, args.place.user)?;
    let file = args.file.display().to_string();
    let text = std::fs::read_to_string(&args.file).map_err(|error| CommandError::input(&file, &error))?;
    let servers = foreign_config::read(&text).map_err(|error| CommandError::data(&file, error))?;
    let is_wanted = |name: &String| args.only.is_empty() || args.only.contains(name);
    let (mut is_good, mut imported) = (true, Vec::new());
    for server in servers.iter().filter(|server| is_wanted(&server.name)) {
        let name = &server.name;
        // Who names a server wants it, whatever the agent does with it.
        if server.is_disabled && args.only.is_empty() {
            let text = format_args!("`{name}` is disabled there; `--only {name}` imports it");
            output.note(Tone::Warning, "skipped", text);
            continue;
        }
        for note in &server.notes {
            output.note(Tone::Warning, "warning", format_args!("`{name}`: {note}"));
        }
        let described = server.described.as_ref().map_err(|reason| CommandError::data(&file, reason));
        let proposal = described.and_then(|described| {
            add::refuse_taken(&folder, name, args.force)?;
            add::propose(settings, name, described, args.place, &cancel)
        });
        // One server that does not answer keeps nobody from having the others.
        let proposal = match proposal {
            Ok(proposal) => proposal,
            Err(error) => {
                error.print(output);
                is_good = false;
                continue;
            }
        };
        if !output.is_json() {
            print_bytes(proposal.as_text(output).as_bytes())?;
        }
        add::confirm(
            &format!("write and sign {}?", count(proposal.files.len(), "file")),
            args.place.yes,
            output,
        )?;
        let report = proposal.write(settings, &folder)?;
        is_good &= report.is_good();
        if !output.is_json() {
            add::print_written(&report, output);
        }
        imported.push(proposal.as_json(&report));
    }
    if output.is_json() {
        print_json(&json!({ "servers": imported }))?;
    }
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}
