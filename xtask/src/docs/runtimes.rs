//! The reference of the runtimes that come with the program, from what the program says about them.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value};

use super::errors::cell;
use super::page::Page;
use crate::error::TaskError;
use crate::invocation::Invocation;

const FOLDER: &str = "rye/core/runtimes";

pub(super) fn page(root: &Path, rye: &Path) -> Result<Page, TaskError> {
    let mut text = String::from(
        "# Runtimes of the program\n\n\
         What `executor_id` of a tool can name without anything being installed. A project and a user can add their own, or \
         shadow these ([Runtimes](../topics/runtimes.md)).\n",
    );
    let listed = ask(
        root,
        rye,
        &["search", "--space", "system", "--category", FOLDER, "--sort", "id", "--limit", "1000"],
    )?;
    for hit in listed["hits"].as_array().into_iter().flatten() {
        let id = hit["id"].as_str().unwrap_or_default();
        let item = ask(root, rye, &["load", id, "--from", "system"])?;
        if item["metadata"]["tool_type"] == "runtime" {
            chapter(&mut text, id, &item["metadata"]);
        }
    }
    Ok(Page::new("reference/runtimes.md", &format!("bundle/.ai/tools/{FOLDER}"), &text))
}

/// What the program prints as JSON, asked where no project has a say.
fn ask(root: &Path, rye: &Path, args: &[&str]) -> Result<Value, TaskError> {
    let empty = root.join("docs");
    let said = Invocation::new(rye)
        .in_folder(&empty)
        .env("USER_SPACE", &empty)
        .args(args)
        .arg("--json")
        .arg("--project")
        .arg(&empty)
        .read()?;
    serde_json::from_str(&said).map_err(|error| TaskError::Violations {
        check: "runtimes",
        violations: vec![format!("`rye {}` did not print JSON: {error}", args.join(" "))],
    })
}

fn chapter(text: &mut String, id: &str, metadata: &Value) {
    let _ = write!(text, "\n## {id}\n\n{}.\n\n", string(&metadata["description"]).trim_end_matches('.'));
    let executor = string(&metadata["executor_id"]);
    let _ = writeln!(text, "- executed by `{executor}`");
    for interpreter in metadata["env_config"]["interpreters"].as_array().into_iter().flatten() {
        let [name, kind, variable] = ["name", "type", "var"].map(|field| string(&interpreter[field]));
        let _ = writeln!(text, "- `{name}` is found by `{kind}` and kept in `{variable}`");
    }
    if let Some(markers) = metadata["anchor"]["markers_any"].as_array() {
        let markers: Vec<_> = markers.iter().map(|marker| format!("`{}`", string(marker))).collect();
        let _ = writeln!(text, "- files belong together below a folder with {}", markers.join(", "));
    }
    if let Some(mode) = metadata["worker"]["mode"].as_str() {
        let _ = writeln!(text, "- starts warm in a server: `{mode}`");
    }
    if let Some(timeout) = metadata["config"].get("timeout") {
        let _ = writeln!(text, "- at most {timeout} s, unless a tool says otherwise");
    }
    let parameters = entries(&metadata["config_schema"]["properties"]);
    if !parameters.is_empty() {
        text.push_str("\nCalled by itself it takes:\n\n| parameter | type | what it is |\n|---|---|---|\n");
        for (name, schema) in parameters {
            let kind = schema.get("type").map_or_else(String::new, string);
            let words = schema.get("description").map_or_else(String::new, string);
            let _ = writeln!(text, "| `{name}` | {kind} | {} |", cell(&words));
        }
    }
}

fn entries(value: &Value) -> Vec<(String, Map<String, Value>)> {
    let all = value.as_object().into_iter().flatten();
    all.filter_map(|(name, entry)| Some((name.clone(), entry.as_object()?.clone()))).collect()
}

fn string(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
