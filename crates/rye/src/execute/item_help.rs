//! The help of an item, from its own schema.

use std::fmt::Write as _;
use std::process::ExitCode;

use rye_item::ItemRef;
use rye_metadata::Metadata;
use serde_json::Value;

use super::flag_value::Wanted;
use crate::command_error::CommandError;
use crate::help::command_help;
use crate::output::print_bytes;
use crate::table::one_line;

/// Prints the help of `rye execute` itself.
pub(super) fn print_own() -> Result<ExitCode, CommandError> {
    let help = command_help(&["execute"]).unwrap_or_default();
    print_bytes(help.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints what parameters an item takes.
pub(super) fn print(item: &ItemRef, metadata: &Metadata) -> Result<ExitCode, CommandError> {
    let mut text = String::new();
    if let Some(description) = &metadata.description {
        let _ = writeln!(text, "{}\n", one_line(description));
    }
    let _ = writeln!(text, "Usage: rye execute {} [--NAME VALUE]…", item.id);
    let schema = metadata.config_schema.as_ref();
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let required: Vec<&str> = schema
        .and_then(|schema| schema.get("required"))
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let rows: Vec<(String, String)> = properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| (usage(name, schema), about(schema, required.contains(&name.as_str()))))
        .collect();
    text.push_str(if rows.is_empty() { "\nIt says nothing about parameters.\n" } else { "\nParameters:\n" });
    let width = rows.iter().map(|(usage, _)| usage.chars().count()).max().unwrap_or(0).min(40);
    for (usage, about) in &rows {
        let _ = writeln!(text, "  {usage:width$}  {about}");
    }
    print_bytes(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn usage(name: &str, schema: &Value) -> String {
    match Wanted::of(schema).label().as_str() {
        "" => format!("--{name}"),
        label => format!("--{name} {label}"),
    }
}

fn about(schema: &Value, is_required: bool) -> String {
    let mut parts = Vec::new();
    if let Some(description) = schema.get("description").and_then(Value::as_str) {
        parts.push(one_line(description));
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let choices: Vec<String> = choices.iter().map(ToString::to_string).collect();
        parts.push(format!("[one of {}]", choices.join(", ")));
    }
    if let Some(default) = schema.get("default") {
        parts.push(format!("[default: {default}]"));
    } else if is_required {
        parts.push("[required]".to_owned());
    }
    parts.join(" ")
}
