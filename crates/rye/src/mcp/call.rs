//! `rye mcp call`: one call of one tool, which is what the runtimes for MCP do.

use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use lillux::interrupt::cancel_on_interrupt;
use rye_engine::EngineSettings;
use rye_mcp::client::{ClientEvent, ServerConfig, Session, SessionOptions, Transport};
use serde_json::{Map, Value};

use super::tool_file::ImportedTool;
use super::{add, connection, drift};
use crate::cli::{McpCallArgs, TransportName};
use crate::command_error::CommandError;
use crate::output::{Output, print_json};
use crate::table::printable;

/// The exit code of a tool that says that it failed.
const FAILED: u8 = 1;

pub(super) fn call(
    settings: &EngineSettings,
    args: &McpCallArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let cancel = cancel_on_interrupt().map_err(|error| CommandError::signals(&error))?;
    let arguments = arguments()?;
    let name = server_name(&args.server_config);
    let config = ServerConfig::parse(&read(&args.server_config)?)
        .map_err(|error| CommandError::server_config(&name, &error))?;
    check_transport(&name, &config, args.transport)?;
    let imported = match &args.tool_file {
        Some(path) => ImportedTool::read(&read(path)?).filter(|tool| tool.pin.is_some()),
        None => None,
    };
    let server = config
        .resolve(&connection::variables(settings))
        .map_err(|error| CommandError::server_config(&name, &error))?;
    let mut options = SessionOptions::new(&name).cancel(cancel).listener(tell);
    if let Some(folder) = &args.project_path {
        options = options.folder(folder);
    }
    if let Some(seconds) = args.timeout {
        options = options.timeout(add::seconds(seconds)?);
    }
    let mut session = Session::open(&server, options)?;
    if let Some(imported) = &imported {
        let current = session.tool(&args.tool)?;
        if let Some(difference) = drift::drift(imported, &current) {
            session.close();
            return Err(CommandError::drifted(&name, &args.tool, &difference));
        }
    }
    let answer = session.call(&args.tool, arguments)?;
    session.close();
    print_json(&answer.data)?;
    match answer.failure {
        None => Ok(ExitCode::SUCCESS),
        Some(message) => {
            output.note(crate::output::Tone::Bad, "error", message);
            Ok(ExitCode::from(FAILED))
        }
    }
}

/// The parameters, as JSON on standard input.
fn arguments() -> Result<Map<String, Value>, CommandError> {
    let mut sent = Vec::new();
    io::stdin().lock().read_to_end(&mut sent).map_err(|error| CommandError::data("standard input", error))?;
    if sent.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_slice(&sent).map_err(|error| CommandError::data("the parameters", error))
}

/// Passes on what a server says while it works.
fn tell(event: ClientEvent) {
    let line = match event {
        ClientEvent::Progress { done, total, message } => {
            let total = total.map(|total| format!("/{total}")).unwrap_or_default();
            let message = message.map(|message| format!(" {message}")).unwrap_or_default();
            format!("progress: {done}{total}{message}")
        }
        ClientEvent::Log { level, message } => format!("{level}: {message}"),
        _ => return,
    };
    // If nobody listens, nothing is lost that matters.
    let _ = writeln!(io::stderr(), "{}", printable(&line));
}

fn check_transport(
    name: &str,
    config: &ServerConfig,
    wanted: Option<TransportName>,
) -> Result<(), CommandError> {
    let is = match config.transport() {
        Transport::Stdio { .. } => TransportName::Stdio,
        Transport::Http { .. } => TransportName::Http,
    };
    match wanted {
        Some(wanted) if wanted != is => Err(CommandError::other_transport(name, is == TransportName::Http)),
        _ => Ok(()),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    std::fs::read(path).map_err(|error| CommandError::input(&path.display().to_string(), &error))
}

/// What the server is called by its file.
fn server_name(path: &Path) -> String {
    path.file_stem().map_or_else(|| "server".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
