//! `rye mcp add`: asks a server for its tools, shows them, and writes a signed file for each.

use std::process::ExitCode;
use std::time::Duration;

use lillux::CancelToken;
use lillux::interrupt::cancel_on_interrupt;
use rye_engine::{Engine, EngineError, EngineSettings, SignReport};
use rye_mcp::client::RemoteTool;
use serde_json::{Map, Value, json};

use super::connection::{Introduction, Visit};
use super::server_folder::ServerFolder;
use super::tool_file::{self, NewFile};
use super::{count, login};
use crate::cli::{McpAddArgs, McpPlaceArgs};
use crate::command_error::CommandError;
use crate::confirmation;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::table::{Table, one_line};

const FAILED: u8 = 3;
/// So much of a description is shown in a list.
const SHOWN: usize = 100;

/// The files of a server, before they are written.
#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) name: String,
    pub(super) introduction: Introduction,
    pub(super) files: Vec<NewFile>,
}

pub(super) fn add(
    settings: &EngineSettings,
    args: &McpAddArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let cancel = cancel_on_interrupt().map_err(|error| CommandError::signals(&error))?;
    let folder = ServerFolder::of(settings, args.place.user)?;
    refuse_taken(&folder, &args.name, args.force)?;
    let described = described(args)?;
    let (_, config) = tool_file::server_file(&args.name, &described, None)?;
    login::make_sure(settings, &args.name, &config, &args.login, &cancel, output)?;
    let proposal = propose(settings, &args.name, &described, args.place, &cancel)?;
    if !output.is_json() {
        print_bytes(proposal.as_text(output).as_bytes())?;
    }
    confirm(&format!("write and sign {}?", count(proposal.files.len(), "file")), args.place.yes, output)?;
    let report = proposal.write(settings, &folder)?;
    if output.is_json() {
        print_json(&proposal.as_json(&report))?;
    } else {
        print_written(&report, output);
    }
    Ok(if report.is_good() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// Asks a server for its tools, and makes the files for them.
pub(super) fn propose(
    settings: &EngineSettings,
    name: &str,
    described: &Value,
    place: McpPlaceArgs,
    cancel: &CancelToken,
) -> Result<Proposal, CommandError> {
    let (_, config) = tool_file::server_file(name, described, None)?;
    // A server works in the same folder as when one of its tools runs.
    let project = Engine::new(settings.clone()).project_path();
    let folder = project.unwrap_or_else(|_| settings.spaces.start.clone());
    let visit = Visit { settings, folder: &folder, timeout: seconds(place.timeout)?, cancel };
    let introduction = visit.introduce(name, &config)?;
    let (server, _) = tool_file::server_file(name, described, introduction.identity.as_ref())?;
    let tools =
        tool_file::tool_files(name, config.transport(), &introduction.tools).map_err(EngineError::from)?;
    let files = std::iter::once(server).chain(tools).collect();
    Ok(Proposal { name: name.to_owned(), introduction, files })
}

pub(super) fn refuse_taken(folder: &ServerFolder, name: &str, force: bool) -> Result<(), CommandError> {
    tool_file::server_id(name).map_err(EngineError::from)?;
    if name.contains('/') || name == "servers" {
        return Err(CommandError::server_name(name));
    }
    if folder.has_server(name) && !force {
        return Err(CommandError::server_exists(name));
    }
    Ok(())
}

/// Asks whether to go on. Without anybody to ask, the answer has to be there already.
pub(super) fn confirm(question: &str, yes: bool, output: Output) -> Result<(), CommandError> {
    if yes {
        return Ok(());
    }
    if output.is_json() || !confirmation::is_possible() {
        return Err(CommandError::import_without_yes());
    }
    if confirmation::ask(question)? { Ok(()) } else { Err(CommandError::cancelled()) }
}

pub(super) fn seconds(seconds: f64) -> Result<Duration, CommandError> {
    let duration = Duration::try_from_secs_f64(seconds).ok().filter(|duration| !duration.is_zero());
    duration.ok_or_else(|| CommandError::seconds(seconds))
}

/// Tells what was not signed, and how much was.
pub(super) fn print_written(report: &SignReport, output: Output) {
    let mut signed = 0;
    for item in &report.items {
        match &item.result {
            Ok(_) => signed += 1,
            Err(refusal) => output.note(Tone::Bad, "not signed", format_args!("{}: {refusal}", item.item)),
        }
    }
    output.note(Tone::Good, "signed", format_args!("{} with the key {}", count(signed, "file"), report.key));
}

fn described(args: &McpAddArgs) -> Result<Value, CommandError> {
    if let Some(url) = &args.url {
        let mut headers = Map::new();
        for header in &args.header {
            let (name, value) = header
                .split_once(':')
                .ok_or_else(|| CommandError::pair("--header", "NAME: VALUE", header))?;
            headers.insert(name.trim().to_owned(), json!(value.trim()));
        }
        let described = with_filled(json!({ "url": url }), "headers", headers);
        let login = &args.login;
        return Ok(if args.oauth {
            with_login(described, &login.scope, login.client_id.as_deref())
        } else {
            described
        });
    }
    let (command, rest) = args.command.split_first().ok_or_else(CommandError::no_server_command)?;
    let mut env = Map::new();
    for pair in &args.env {
        let (name, value) =
            pair.split_once('=').ok_or_else(|| CommandError::pair("--env", "NAME=VALUE", pair))?;
        env.insert(name.to_owned(), json!(value));
    }
    let mut described = json!({ "command": command });
    if !rest.is_empty() {
        described["args"] = json!(rest);
    }
    Ok(with_filled(described, "env", env))
}

pub(super) fn with_filled(mut described: Value, key: &str, map: Map<String, Value>) -> Value {
    if !map.is_empty() {
        described[key] = Value::Object(map);
    }
    described
}

/// What the file of a server says about logging in there.
pub(super) fn with_login(mut described: Value, scopes: &[String], client_id: Option<&str>) -> Value {
    described["auth"] = json!("oauth");
    if !scopes.is_empty() {
        described["scopes"] = json!(scopes);
    }
    if let Some(client_id) = client_id {
        described["client_id"] = json!(client_id);
    }
    described
}

impl Proposal {
    pub(super) fn as_text(&self, output: Output) -> String {
        let name = output.paint(Tone::Strong, &self.name);
        let who = match &self.introduction.identity {
            Some(identity) => {
                let own = identity.name.as_deref().unwrap_or("a server without a name");
                let version = identity.version.as_deref().unwrap_or_default();
                one_line(&format!("{own} {version}, MCP {}", identity.protocol))
            }
            None => "a server".to_owned(),
        };
        let tools = &self.introduction.tools;
        let mut table = Table::default();
        for (tool, file) in tools.iter().zip(self.files.iter().skip(1)) {
            table.row([
                (Tone::Strong, file.id.to_string()),
                (Tone::Warning, effects(tool).to_owned()),
                (Tone::Plain, shortened(&tool.description)),
            ]);
        }
        format!("{name}: {who}, {}\n{}", count(tools.len(), "tool"), table.render(output))
    }

    /// Writes and signs the files. What the server has not any more is removed.
    pub(super) fn write(
        &self,
        settings: &EngineSettings,
        folder: &ServerFolder,
    ) -> Result<SignReport, CommandError> {
        let before = folder.tools_of(&self.name);
        let report = folder.write_and_sign(settings, &self.files)?;
        for old in before.iter().filter(|old| !self.files.iter().any(|file| file.id == old.id)) {
            ServerFolder::remove(&old.path)?;
        }
        Ok(report)
    }

    pub(super) fn as_json(&self, report: &SignReport) -> Value {
        let tools = self.introduction.tools.iter().zip(self.files.iter().skip(1)).map(
            |(tool, file)| json!({ "id": file.id, "tool_name": tool.name, "pin": tool.pin().to_string() }),
        );
        let refused = report.items.iter().filter_map(|item| {
            let refusal = item.result.as_ref().err()?;
            Some(json!({ "id": item.item.id, "reason": refusal.to_string() }))
        });
        let identity = self.introduction.identity.as_ref();
        json!({
            "name": self.name,
            "server": self.files.first().map(|file| &file.id),
            "protocol": identity.map(|identity| &identity.protocol),
            "tools": tools.collect::<Vec<_>>(),
            "key": report.key,
            "refused": refused.collect::<Vec<_>>(),
        })
    }
}

/// What a tool says about its effects, in a word.
fn effects(tool: &RemoteTool) -> &'static str {
    match (tool.hints.read_only, tool.hints.destructive) {
        (Some(true), _) => "reads",
        (_, Some(false)) => "adds",
        (_, Some(true)) => "destroys",
        _ => "",
    }
}

fn shortened(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
