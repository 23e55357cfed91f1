//! The files that stand for a server and for each of its tools.

use std::collections::{BTreeSet, HashSet};

use rye_item::{InvalidId, ItemId};
use rye_mcp::client::{RemoteTool, ServerConfig, ServerConfigError, ServerIdentity, Transport};
use rye_run::secrets::SecretName;
use serde_json::{Map, Value, json};

use super::yaml_text;

/// Where the files of servers are, below the folder of the tools.
pub(super) const SERVERS: &str = "mcp/servers";
/// What executes tools of servers that are programs, and of those that are reached by HTTP.
const STDIO: &str = "rye/core/runtimes/mcp/stdio";
const HTTP: &str = "rye/core/runtimes/mcp/http";
/// What marks the files of imported tools.
const TOOL_TYPE: &str = "mcp";

/// A file that is about to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NewFile {
    pub(super) id: ItemId,
    pub(super) text: String,
}

/// What the file of an imported tool says about it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ImportedTool {
    pub(super) server: String,
    pub(super) tool_name: String,
    pub(super) description: String,
    pub(super) schema: Value,
    pub(super) hints: Value,
    pub(super) pin: Option<String>,
}

/// The id of the file that describes a server.
pub(super) fn server_id(name: &str) -> Result<ItemId, InvalidId> {
    ItemId::new(format!("{SERVERS}/{name}"))
}

/// The file that describes a server. Its variables may be secrets.
pub(super) fn server_file(
    name: &str,
    described: &Value,
    identity: Option<&ServerIdentity>,
) -> Result<(NewFile, ServerConfig), ServerFileError> {
    let config = ServerConfig::from_value(described)?;
    let mut file = Map::new();
    let mut put = |key: &str, value: Value| file.insert(key.to_owned(), value);
    put("version", json!("1.0.0"));
    put("tool_type", json!("mcp_server"));
    put("category", json!(SERVERS));
    let what = match identity.and_then(|identity| identity.name.as_deref()) {
        Some(own) => format!("The MCP server {own}"),
        None => format!("The MCP server {name}"),
    };
    put("description", json!(what));
    let names = config.variables();
    let secrets: Vec<_> = names
        .iter()
        .filter(|name| SecretName::new(name.as_str()).is_ok())
        .map(|name| json!({ "name": name, "required": false }))
        .collect();
    if !secrets.is_empty() {
        put("secrets", Value::Array(secrets));
    }
    put("config", described.clone());
    Ok((NewFile { id: server_id(name)?, text: yaml_text::write(&file) }, config))
}

/// A file of a server that cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerFileError {
    #[error(transparent)]
    Config(#[from] ServerConfigError),
    #[error(transparent)]
    Id(#[from] InvalidId),
}

/// The files of all tools of a server.
pub(super) fn tool_files(
    name: &str,
    transport: &Transport,
    tools: &[RemoteTool],
) -> Result<Vec<NewFile>, InvalidId> {
    let mut taken = HashSet::new();
    tools.iter().map(|tool| tool_file(name, transport, tool, &mut taken)).collect()
}

fn tool_file(
    name: &str,
    transport: &Transport,
    tool: &RemoteTool,
    taken: &mut HashSet<String>,
) -> Result<NewFile, InvalidId> {
    let mut file = Map::new();
    let mut put = |key: &str, value: Value| file.insert(key.to_owned(), value);
    put("version", json!("1.0.0"));
    put("tool_type", json!(TOOL_TYPE));
    put("executor_id", json!(executor(transport)));
    put("category", json!(format!("mcp/{name}")));
    put("description", json!(tool.description));
    put("tags", json!(["mcp", name]));
    put("server", json!(format!("{SERVERS}/{name}")));
    put("tool_name", json!(tool.name));
    let mut annotations = Map::new();
    if let Some(title) = &tool.title {
        annotations.insert("title".to_owned(), json!(title));
    }
    if let Value::Object(hints) = tool.hints.to_value() {
        annotations.extend(hints);
    }
    if !annotations.is_empty() {
        put("annotations", Value::Object(annotations));
    }
    put("config", json!({ "pin": tool.pin().to_string() }));
    put("config_schema", Value::Object(tool.input_schema.clone()));
    let id = ItemId::new(format!("mcp/{name}/{}", file_stem(&tool.name, taken)))?;
    Ok(NewFile { id, text: yaml_text::write(&file) })
}

fn executor(transport: &Transport) -> &'static str {
    match transport {
        Transport::Stdio { .. } => STDIO,
        Transport::Http { .. } => HTTP,
    }
}

/// A name for a file that says which tool it is, and that no other has.
fn file_stem(tool: &str, taken: &mut HashSet<String>) -> String {
    let plain: String =
        tool.chars().take(100).map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let plain = if plain.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        plain
    } else {
        format!("_{plain}")
    };
    let mut stem = plain.clone();
    let mut number = 2;
    // Some file systems do not tell capitals from small letters.
    while !taken.insert(stem.to_ascii_lowercase()) {
        stem = format!("{plain}_{number}");
        number += 1;
    }
    stem
}

impl ImportedTool {
    /// What a file says, if it is that of an imported tool.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let file = rye_metadata::read_data_file("tool.yaml", bytes)?.ok()?;
        let text = |key: &str| file.get(key).and_then(Value::as_str).map(str::to_owned);
        let mut hints = file.get("annotations").cloned().unwrap_or_else(|| json!({}));
        if let Value::Object(hints) = &mut hints {
            hints.shift_remove("title");
        }
        Some(Self {
            server: text("server").unwrap_or_default(),
            tool_name: text("tool_name")?,
            description: text("description").unwrap_or_default(),
            schema: file.get("config_schema").cloned().unwrap_or_default(),
            hints,
            pin: file.pointer("/config/pin").and_then(Value::as_str).map(str::to_owned),
        })
    }

    /// Whether it was imported from this server.
    pub(super) fn is_of(&self, name: &str) -> bool {
        self.pin.is_some() && self.server == format!("{SERVERS}/{name}")
    }
}

/// The names of tools that are there twice.
pub(super) fn doubles(tools: &[RemoteTool]) -> BTreeSet<String> {
    let mut seen = HashSet::new();
    tools.iter().filter(|tool| !seen.insert(&tool.name)).map(|tool| tool.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_becomes_a_file_of_its_own() {
        let mut taken = HashSet::new();
        let mut check = |tool: &str, expect: &str| assert_eq!(file_stem(tool, &mut taken), expect);
        check("get_time", "get_time");
        check("Get_time", "Get_time_2");
        check("a.b/c", "a_b_c");
        check("../../x", "______x");
        check("-x", "_-x");
        check("", "_");
        check("é", "__2");
    }
}
