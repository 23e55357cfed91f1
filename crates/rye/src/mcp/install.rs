//! `rye mcp install`: telling a client about this server.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum as _;
use rye_engine::EngineSettings;
use serde_json::{Map, Value, json};

use super::client_file::ClientFile;
use super::entry_edit::{EntryEdit, NAME};
use super::json_entry::{self, Dialect};
use super::toml_entry::TomlEntry;
use crate::cli::{Client, InstallArgs};
use crate::command_error::CommandError;
use crate::environment;
use crate::output::{Output, Tone, print_bytes, print_json};

/// How this program is called by a client.
const ARGS: [&str; 2] = ["mcp", "serve"];
const CLIENTS: [Client; 5] =
    [Client::ClaudeCode, Client::ClaudeDesktop, Client::Codex, Client::Vscode, Client::Cursor];

/// Where a client keeps its servers, and what it has to be told.
struct Configuration {
    path: PathBuf,
    form: Form,
}

enum Form {
    /// A member of a member of a JSON object.
    Json { dialect: Dialect, member: &'static str, entry: Map<String, Value> },
    /// A table of a TOML file.
    Toml(TomlEntry),
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
            configuration.tell(output)?;
        }
    } else if output.is_json() {
        let list: Vec<_> = known
            .iter()
            .map(|one| json!({ "path": one.path.to_string_lossy(), "text": one.text() }))
            .collect();
        print_json(&json!({ "configurations": list }))?;
    } else {
        let parts: Vec<_> = known.iter().map(Configuration::shown).collect();
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
    let program = settings.program.to_string_lossy();
    let json = |path: PathBuf, dialect: Dialect, member: &'static str, more: &[(&str, Value)]| {
        let ours = [("command", json!(program)), ("args", json!(ARGS))];
        let entry = more.iter().chain(&ours).map(|(name, value)| ((*name).to_owned(), value.clone()));
        Configuration { path, form: Form::Json { dialect, member, entry: entry.collect() } }
    };
    let stdio = ("type", json!("stdio"));
    Ok(match client {
        // Five tools are few enough to be there from the beginning.
        Client::ClaudeCode => {
            let more = [stdio, ("alwaysLoad", json!(true))];
            json(project.join(".mcp.json"), Dialect::Plain, "mcpServers", &more)
        }
        Client::ClaudeDesktop => {
            let folder = match environment::config_home() {
                Some(folder) => folder,
                None => home()?.join(".config"),
            };
            let path = folder.join("Claude/claude_desktop_config.json");
            json(path, Dialect::Plain, "mcpServers", &[])
        }
        Client::Vscode => json(project.join(".vscode/mcp.json"), Dialect::Commented, "servers", &[stdio]),
        Client::Cursor => json(project.join(".cursor/mcp.json"), Dialect::Commented, "mcpServers", &[stdio]),
        Client::Codex => {
            let folder = match environment::codex_home() {
                Some(folder) => settings.spaces.start.join(folder),
                None => home()?.join(".codex"),
            };
            Configuration {
                path: folder.join("config.toml"),
                form: Form::Toml(TomlEntry::new(&program, &ARGS)),
            }
        }
    })
}

impl Configuration {
    /// What the client has to be told.
    fn text(&self) -> String {
        match &self.form {
            Form::Json { member, entry, .. } => format!("{:#}", json!({ *member: { NAME: entry } })),
            Form::Toml(entry) => entry.text(),
        }
    }

    /// The same for people, with the place where it belongs.
    fn shown(&self) -> String {
        format!("# {}\n{}\n", self.path.display(), self.text())
    }

    /// What becomes of a file when the client is told.
    fn edit(&self, present: &str) -> Result<EntryEdit, String> {
        match &self.form {
            Form::Json { dialect, member, entry } => json_entry::edit(present, *dialect, member, entry),
            Form::Toml(entry) => entry.edit(present),
        }
    }

    /// Whether the client knows.
    fn state(&self) -> ClientState {
        let edit = match ClientFile::open(&self.path) {
            Ok(ClientFile { text: None, .. }) => return ClientState::Absent,
            Ok(ClientFile { text: Some(text), .. }) => self.edit(&text),
            Err(reason) => Err(reason),
        };
        match edit {
            Ok(EntryEdit::Already) => ClientState::Told,
            Ok(EntryEdit::Changed(_)) => ClientState::ToldOtherwise,
            Ok(EntryEdit::Added(_)) => ClientState::NotTold,
            Err(reason) => ClientState::Unreadable(reason),
        }
    }

    /// Tells the client, and the user what came of it.
    fn tell(&self, output: Output) -> Result<(), CommandError> {
        let path = self.path.display();
        match self.write() {
            Ok(EntryEdit::Added(_)) => {
                output.note(Tone::Good, "done", format_args!("`{NAME}` was added to `{path}`"));
            }
            Ok(EntryEdit::Changed(_)) => {
                let text = format_args!("`{NAME}` was changed in `{path}`: it starts this program now");
                output.note(Tone::Good, "done", text);
            }
            Ok(EntryEdit::Already) => {
                output.note(Tone::Faint, "note", format_args!("`{NAME}` is right already in `{path}`"));
            }
            Err(reason) => {
                // What we cannot write, its owner can.
                if !output.is_json() {
                    print_bytes(self.shown().as_bytes())?;
                }
                return Err(CommandError::configuration(&self.path, &reason));
            }
        }
        Ok(())
    }

    fn write(&self) -> Result<EntryEdit, String> {
        let file = ClientFile::open(&self.path)?;
        let edit = self.edit(file.text.as_deref().unwrap_or_default())?;
        if let EntryEdit::Added(text) | EntryEdit::Changed(text) = &edit {
            file.replace(text).map_err(|error| error.to_string())?;
        }
        Ok(edit)
    }
}
