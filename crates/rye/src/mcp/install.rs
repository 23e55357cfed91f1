//! `rye mcp install`: telling a client about this server.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum as _;
use rye_engine::EngineSettings;
use serde_json::{Map, Value, json};

use crate::cli::{Client, InstallArgs};
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};

/// What clients call this server.
const NAME: &str = "rye";
const CLIENTS: [Client; 5] =
    [Client::ClaudeCode, Client::ClaudeDesktop, Client::Codex, Client::Vscode, Client::Cursor];

/// Where a client keeps its servers, and what it has to be told.
struct Configuration {
    path: PathBuf,
    form: Form,
}

enum Form {
    /// A member of a member of a JSON object.
    Json { member: &'static str, entry: Value },
    /// A table of a TOML file.
    Toml { text: String },
}

pub(super) fn install(
    settings: &EngineSettings,
    args: &InstallArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let clients = args.client.map_or_else(|| CLIENTS.to_vec(), |client| vec![client]);
    let known = clients.into_iter().map(|client| configuration(client, settings));
    let known = known.collect::<Result<Vec<_>, _>>()?;
    if args.write {
        for configuration in &known {
            let path = configuration.path.display();
            if configuration.write()? {
                output.note(Tone::Good, "done", format_args!("`{path}` names this server now"));
            } else {
                output.note(Tone::Faint, "note", format_args!("`{path}` names this server already"));
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    if output.is_json() {
        let list: Vec<_> = known
            .iter()
            .map(|one| json!({ "path": one.path.to_string_lossy(), "text": one.text() }))
            .collect();
        print_json(&json!({ "configurations": list }))?;
    } else {
        let parts: Vec<_> =
            known.iter().map(|one| format!("# {}\n{}\n", one.path.display(), one.text())).collect();
        print_bytes(parts.join("\n").as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a client knows this server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ClientState {
    /// It has no configuration.
    Absent,
    /// Its configuration has no server of our name.
    NotTold,
    /// It is told as we would tell it.
    Told,
    /// Its server of our name is another one, or is started in another way.
    ToldOtherwise,
    /// Nobody can say, for this reason.
    Unreadable(String),
}

/// What each client knows, with its name and the file of its configuration.
pub(crate) fn client_states(settings: &EngineSettings) -> Vec<(String, PathBuf, ClientState)> {
    let state = |client: Client| {
        let configuration = configuration(client, settings).ok()?;
        let name = client.to_possible_value()?.get_name().to_owned();
        let state = configuration.state();
        Some((name, configuration.path, state))
    };
    CLIENTS.into_iter().filter_map(state).collect()
}

fn configuration(client: Client, settings: &EngineSettings) -> Result<Configuration, CommandError> {
    let home = || {
        let home = settings.spaces.home.clone().ok_or(rye_engine::EngineError::NoUserSpace);
        home.map_err(CommandError::from)
    };
    let project = settings.spaces.project.as_ref().unwrap_or(&settings.spaces.start);
    let command = settings.program.to_string_lossy();
    let entry = |extra: Value| {
        let mut entry = Map::new();
        if let Value::Object(extra) = extra {
            entry.extend(extra);
        }
        entry.insert("command".to_owned(), json!(command));
        entry.insert("args".to_owned(), json!(["mcp", "serve"]));
        Value::Object(entry)
    };
    let stdio = || json!({ "type": "stdio" });
    let (path, member, entry) = match client {
        // Five tools are few enough to be there from the beginning.
        Client::ClaudeCode => {
            let entry = entry(json!({ "type": "stdio", "alwaysLoad": true }));
            (project.join(".mcp.json"), "mcpServers", entry)
        }
        Client::ClaudeDesktop => {
            (home()?.join(".config/Claude/claude_desktop_config.json"), "mcpServers", entry(json!({})))
        }
        Client::Vscode => (project.join(".vscode/mcp.json"), "servers", entry(stdio())),
        Client::Cursor => (project.join(".cursor/mcp.json"), "mcpServers", entry(stdio())),
        Client::Codex => {
            let text =
                format!("[mcp_servers.{NAME}]\ncommand = {}\nargs = [\"mcp\", \"serve\"]", json!(command));
            return Ok(Configuration { path: home()?.join(".codex/config.toml"), form: Form::Toml { text } });
        }
    };
    Ok(Configuration { path, form: Form::Json { member, entry } })
}

impl Configuration {
    /// What the client has to be told.
    fn text(&self) -> String {
        match &self.form {
            Form::Json { member, entry } => {
                let whole = json!({ *member: { NAME: entry } });
                serde_json::to_string_pretty(&whole).unwrap_or_default()
            }
            Form::Toml { text } => text.clone(),
        }
    }

    /// Whether the client knows.
    fn state(&self) -> ClientState {
        let present = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return ClientState::Absent,
            Err(error) => return ClientState::Unreadable(error.to_string()),
        };
        let (changed, names_us) = match &self.form {
            Form::Json { member, entry } => {
                let known = serde_json::from_str::<Value>(&present).ok();
                let names_us =
                    known.is_some_and(|known| known.get(*member).is_some_and(|all| all.get(NAME).is_some()));
                (with_entry(&present, member, entry), names_us)
            }
            Form::Toml { text } => {
                let names_us = present.lines().any(|line| line.trim() == format!("[mcp_servers.{NAME}]"));
                (with_table(&present, text), names_us)
            }
        };
        match changed {
            Ok(None) => ClientState::Told,
            _ if names_us => ClientState::ToldOtherwise,
            Ok(Some(_)) => ClientState::NotTold,
            Err(reason) => ClientState::Unreadable(reason),
        }
    }

    /// Tells the client. Says whether there was anything to tell.
    fn write(&self) -> Result<bool, CommandError> {
        let path = &self.path;
        let refuse = |reason: &str| CommandError::configuration(path, reason);
        let present = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(refuse(&error.to_string())),
        };
        let changed = match &self.form {
            Form::Json { member, entry } => with_entry(&present, member, entry),
            Form::Toml { text } => with_table(&present, text),
        };
        match changed.map_err(|reason| refuse(&reason))? {
            None => Ok(false),
            Some(text) => replace(path, &text).map(|()| true).map_err(|error| refuse(&error.to_string())),
        }
    }
}

/// A JSON file with our entry, or nothing if it has it already. Everything else stays as it is.
fn with_entry(present: &str, member: &str, entry: &Value) -> Result<Option<String>, String> {
    let mut whole: Value = match present.trim() {
        "" => json!({}),
        text => serde_json::from_str(text).map_err(|error| format!("it is not plain JSON ({error})"))?,
    };
    let servers = whole.as_object_mut().map(|whole| whole.entry(member).or_insert_with(|| json!({})));
    let servers = servers.and_then(Value::as_object_mut);
    let servers = servers.ok_or_else(|| format!("it has something else where `{member}` belongs"))?;
    if servers.get(NAME) == Some(entry) {
        return Ok(None);
    }
    servers.insert(NAME.to_owned(), entry.clone());
    serde_json::to_string_pretty(&whole).map(|text| Some(text + "\n")).map_err(|error| error.to_string())
}

/// A TOML file with our table, or nothing if it has it already. A table that says something else is not replaced: the
/// file may have comments, and they belong to somebody.
fn with_table(present: &str, table: &str) -> Result<Option<String>, String> {
    if present.contains(table) {
        return Ok(None);
    }
    if present.lines().any(|line| line.trim() == format!("[mcp_servers.{NAME}]")) {
        return Err(format!("it has another `[mcp_servers.{NAME}]` already"));
    }
    let before = present.trim_end();
    Ok(Some(if before.is_empty() { format!("{table}\n") } else { format!("{before}\n\n{table}\n") }))
}

/// Writes a file so that nobody ever sees half of it.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let temporary = path.with_extension(format!("rye-{}", std::process::id()));
    std::fs::write(&temporary, text)?;
    let renamed = match path.metadata() {
        Ok(known) => std::fs::set_permissions(&temporary, known.permissions()),
        Err(_) => Ok(()),
    }
    .and_then(|()| std::fs::rename(&temporary, path));
    if renamed.is_err() {
        // What cannot be put in its place is of no use.
        let _ = std::fs::remove_file(&temporary);
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_servers_stay() {
        let entry = json!({ "command": "rye" });
        let present = r#"{"b": 1, "mcpServers": {"other": {"command": "x"}}, "a": 2}"#;
        let changed = with_entry(present, "mcpServers", &entry).unwrap().unwrap();
        let expect = json!({ "b": 1, "mcpServers": { "other": { "command": "x" }, "rye": entry }, "a": 2 });
        assert_eq!(serde_json::from_str::<Value>(&changed).unwrap(), expect);
        assert_eq!(with_entry(&changed, "mcpServers", &entry).unwrap(), None);
        assert!(with_entry("", "servers", &entry).unwrap().is_some());
        for wrong in ["// comment\n{}", "[]", r#"{"mcpServers": []}"#] {
            assert!(with_entry(wrong, "mcpServers", &entry).is_err(), "{wrong}");
        }
    }

    #[test]
    fn comments_stay() {
        let table = "[mcp_servers.rye]\ncommand = \"rye\"";
        let changed = with_table("# mine\nmodel = \"x\"\n", table).unwrap().unwrap();
        assert_eq!(changed, "# mine\nmodel = \"x\"\n\n[mcp_servers.rye]\ncommand = \"rye\"\n");
        assert_eq!(with_table(&changed, table).unwrap(), None);
        assert!(with_table("[mcp_servers.rye]\ncommand = \"other\"\n", table).is_err());
    }
}
