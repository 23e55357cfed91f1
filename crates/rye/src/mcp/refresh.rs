//! `rye mcp refresh`: looks what servers have changed, and imports their tools again.

use std::process::ExitCode;

use lillux::interrupt::cancel_on_interrupt;
use rye_engine::EngineSettings;
use rye_mcp::client::{ServerConfig, Transport};
use serde_json::{Map, Value, json};

use super::add::{self, Proposal};
use super::drift::drift;
use super::server_folder::{ServerFolder, ToolOnDisk};
use crate::cli::McpRefreshArgs;
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::table::printable;

const FAILED: u8 = 3;

/// What a server has changed.
#[derive(Debug, Default)]
struct Changes {
    text: String,
    new: Vec<String>,
    changed: Vec<String>,
    gone: Vec<String>,
}

pub(super) fn refresh(
    settings: &EngineSettings,
    args: &McpRefreshArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let cancel = cancel_on_interrupt().map_err(|error| CommandError::signals(&error))?;
    let folder = ServerFolder::of(settings, args.place.user)?;
    let names = match &args.name {
        Some(name) => vec![name.clone()],
        None => folder.servers(),
    };
    let mut is_good = true;
    let mut reports = Vec::new();
    for name in &names {
        let described = described(&folder.server(name)?);
        let proposal = match add::propose(settings, name, &described, args.place, &cancel) {
            Err(error) if args.name.is_none() => {
                error.print(output);
                is_good = false;
                continue;
            }
            proposal => proposal?,
        };
        let changes = Changes::find(&folder.tools_of(name), &proposal, output);
        if !output.is_json() {
            print_bytes(changes.in_words(name, output).as_bytes())?;
        }
        let report = if changes.is_none() {
            None
        } else {
            add::confirm(&format!("import the tools of {name} as they are now?"), args.place.yes, output)?;
            let report = proposal.write(settings, &folder)?;
            is_good &= report.is_good();
            Some(report)
        };
        match &report {
            Some(report) if !output.is_json() => add::print_written(report, output),
            _ => {}
        }
        reports.push(json!({
            "name": name, "new": changes.new, "changed": changes.changed, "gone": changes.gone, "diff": changes.text,
        }));
    }
    if output.is_json() {
        print_json(&json!({ "servers": reports }))?;
    }
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// The description of a server as it stands in its file.
fn described(config: &ServerConfig) -> Value {
    let map = |variables: &rye_mcp::client::Variables| -> Map<String, Value> {
        variables.iter().map(|(name, value)| (name.clone(), json!(value))).collect()
    };
    match config.transport() {
        Transport::Stdio { command, args, env, cwd } => {
            let mut described = json!({ "command": command });
            if !args.is_empty() {
                described["args"] = json!(args);
            }
            if let Some(cwd) = cwd {
                described["cwd"] = json!(cwd);
            }
            add::with_filled(described, "env", map(env))
        }
        Transport::Http { url, headers, auth } => {
            let described = add::with_filled(json!({ "url": url }), "headers", map(headers));
            match auth {
                Some(auth) => add::with_login(described, &auth.scopes, auth.client_id.as_deref()),
                None => described,
            }
        }
    }
}

impl Changes {
    fn find(before: &[ToolOnDisk], proposal: &Proposal, output: Output) -> Self {
        let mut changes = Self::default();
        let tools = &proposal.introduction.tools;
        for (tool, file) in tools.iter().zip(proposal.files.iter().skip(1)) {
            let Some(old) = before.iter().find(|old| old.tool.tool_name == tool.name) else {
                changes.new.push(file.id.to_string());
                continue;
            };
            if let Some(difference) = drift(&old.tool, &tool.clone().into()) {
                changes.changed.push(file.id.to_string());
                let heading = output.paint(Tone::Strong, &file.id);
                changes.text.extend([&heading, "\n", &*printable(&difference)]);
            }
        }
        for old in before.iter().filter(|old| !tools.iter().any(|tool| tool.name == old.tool.tool_name)) {
            changes.gone.push(old.id.to_string());
        }
        changes
    }

    fn is_none(&self) -> bool {
        self.new.is_empty() && self.changed.is_empty() && self.gone.is_empty()
    }

    fn in_words(&self, name: &str, output: Output) -> String {
        let mut text = self.text.clone();
        for (ids, word) in [(&self.new, "new"), (&self.gone, "gone")] {
            for id in ids {
                text.extend([&*output.paint(Tone::Warning, word), " ", id, "\n"]);
            }
        }
        let name = output.paint(Tone::Strong, name);
        if self.is_none() {
            return format!("{name}: unchanged\n");
        }
        let counts = [(&self.new, "new"), (&self.changed, "changed"), (&self.gone, "gone")];
        let counts: Vec<_> = counts.iter().map(|(ids, word)| format!("{} {word}", ids.len())).collect();
        format!("{text}{name}: {}\n", counts.join(", "))
    }
}
