//! Which interpreters and environment variables a runtime needs.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::node::{Node, NodeKind, entries_to_map};
use crate::reading::{Reading, join};

/// Interpreters to find and variables to set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EnvConfig {
    /// What to find, in declared order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interpreters: Vec<Interpreter>,
    /// What to set, in declared order: a value may use the ones before it.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub env: IndexMap<String, String>,
    /// Whether `.env` files are read.
    pub include_dotenv: bool,
}

/// One interpreter to find.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Interpreter {
    /// The entry's name: `interpreter`, `mcp_runner` …
    pub name: String,
    /// How to find it: `venv_python`, `local_binary`, `system_binary` …
    #[serde(rename = "type")]
    pub resolver: String,
    /// The variable that gets the path.
    pub var: String,
    /// What to take from `PATH` if nothing was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// Whether a run goes on without it. Its variable is empty then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// Everything else, which the resolver understands.
    #[serde(flatten)]
    pub options: Map<String, Value>,
}

impl EnvConfig {
    /// Any entry that has a `type` declares an interpreter.
    pub(super) fn read(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Self> {
        let entries = reading.entries(path, node)?;
        let mut config = Self { interpreters: Vec::new(), env: IndexMap::new(), include_dotenv: true };
        for entry in entries {
            let (path_of_entry, value) = (join(path, &entry.key), &entry.value);
            match entry.key.as_str() {
                _ if value.is_null() => {}
                "env" => config.env = variables(reading, &path_of_entry, value).unwrap_or_default(),
                "include_dotenv" => {
                    config.include_dotenv = reading.bool(&path_of_entry, value).unwrap_or(true);
                }
                name if matches!(value.kind, NodeKind::Map(_)) => {
                    config.interpreters.extend(Interpreter::read(reading, &path_of_entry, name, value));
                }
                _ => reading.unknown(path, entry, &["env", "include_dotenv", "interpreter"]),
            }
        }
        Some(config)
    }
}

impl Interpreter {
    const DEFAULT_VAR: &str = "INTERPRETER";

    fn read(reading: &mut Reading<'_>, path: &str, name: &str, node: &Node) -> Option<Self> {
        let entries = reading.entries(path, node)?;
        let given = |key| node.get(key).filter(|node| !node.is_null());
        let Some(resolver) = given("type") else {
            reading.error(&join(path, "type"), node.at, "is missing: it says how to find the interpreter");
            return None;
        };
        let resolver = reading.filled_text(&join(path, "type"), resolver)?;
        let mut text = |key| given(key).and_then(|node| reading.filled_text(&join(path, key), node));
        let var = text("var").unwrap_or_else(|| Self::DEFAULT_VAR.to_owned());
        let fallback = text("fallback");
        let optional = given("optional").and_then(|node| reading.bool(&join(path, "optional"), node));
        let mut options = entries_to_map(entries);
        options.retain(|key, _| !matches!(key.as_str(), "type" | "var" | "fallback" | "optional"));
        let optional = optional.unwrap_or(false);
        Some(Self { name: name.to_owned(), resolver, var, fallback, optional, options })
    }
}

fn variables(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<IndexMap<String, String>> {
    let entries = reading.entries(path, node)?;
    Some(
        entries
            .iter()
            .filter_map(|entry| {
                let value = reading.text(&join(path, &entry.key), &entry.value)?;
                Some((entry.key.clone(), value))
            })
            .collect(),
    )
}
