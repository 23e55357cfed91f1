//! The reference of graph files, from their JSON Schema.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::errors::cell;
use super::page::Page;
use crate::error::TaskError;

const SCHEMA: &str = "crates/rye-graph/graph.schema.json";

pub(super) fn page(root: &Path) -> Result<Page, TaskError> {
    let schema = super::read(root, SCHEMA)?;
    let schema: Value = serde_json::from_str(&schema).map_err(|error| TaskError::Violations {
        check: "graph schema",
        violations: vec![format!("{SCHEMA} is no JSON: {error}")],
    })?;
    Ok(Page::new("reference/graphs.md", SCHEMA, &text(&schema)))
}

fn text(schema: &Value) -> String {
    let mut text = format!(
        "# Files of state graphs\n\n{}. Fields that every tool has are in [Fields of a tool](fields.md).\n",
        string(&schema["description"]),
    );
    table(
        &mut text,
        "The file",
        &json!({ "properties": schema["properties"], "required": schema["required"] }),
    );
    for (name, part) in schema["$defs"].as_object().into_iter().flatten() {
        table(&mut text, &title(name), part);
    }
    text
}

/// A chapter for whatever has fields of its own, or says what it is.
fn table(text: &mut String, title: &str, part: &Value) {
    let fields: Vec<_> =
        part["properties"].as_object().into_iter().flatten().filter(|(_, field)| *field != true).collect();
    let alternatives = kind(part);
    if fields.is_empty() && alternatives.is_empty() {
        return;
    }
    let _ = write!(text, "\n## {title}\n\n");
    if let Some(words) = part.get("description") {
        let _ = write!(text, "{}.\n\n", string(words).trim_end_matches('.'));
    }
    if fields.is_empty() {
        let _ = writeln!(text, "{alternatives}");
        return;
    }
    let required = part["required"].as_array().cloned().unwrap_or_default();
    text.push_str("| field | value | what it is |\n|---|---|---|\n");
    for (name, field) in fields {
        let needed = if required.iter().any(|one| one == name) { "**required** " } else { "" };
        let mut words = format!("{needed}{}", field.get("description").map_or_else(String::new, string));
        if let Some(default) = field.get("default") {
            let end = if words.is_empty() || words.ends_with([' ', '.']) { "" } else { "." };
            let _ = write!(words, "{end} Default: `{}`.", string(default));
        }
        let _ = writeln!(text, "| `{name}` | {} | {} |", cell(&kind(field)), cell(words.trim()));
    }
}

/// What a value may be, in a few words.
fn kind(schema: &Value) -> String {
    if let Some(target) = schema["$ref"].as_str() {
        let name = title(target.trim_start_matches("#/$defs/"));
        return format!("[{name}](#{})", name.replace('`', "").replace(' ', "-").to_lowercase());
    }
    for several in ["anyOf", "oneOf"] {
        if let Some(parts) = schema[several].as_array() {
            let kinds: Vec<_> = parts.iter().map(kind).filter(|words| !words.is_empty()).collect();
            return kinds.join(", or ");
        }
    }
    if let Some(value) = schema.get("const") {
        return format!("`{}`", string(value));
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(|value| format!("`{}`", string(value))).collect::<Vec<_>>().join(", ");
    }
    let Some(name) = schema["type"].as_str() else { return String::new() };
    let mut words = name.to_owned();
    if name == "array" {
        let of = kind(&schema["items"]);
        if !of.is_empty() {
            let _ = write!(words, " of {of}");
        }
    }
    if name == "object" {
        let of = kind(&schema["additionalProperties"]);
        if !of.is_empty() {
            let _ = write!(words, " of {of}");
        }
        let fields: Vec<_> = schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        if !fields.is_empty() {
            let _ = write!(words, " with {}", fields.join(", "));
        }
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        let _ = write!(words, " like `{pattern}`");
    }
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(least), Some(most)) => words + &format!(", {least} to {most}"),
        (Some(least), None) => words + &format!(", at least {least}"),
        (None, Some(most)) => words + &format!(", at most {most}"),
        (None, None) => words,
    }
}

/// `node_foreach` is a node of the type `foreach`.
fn title(name: &str) -> String {
    match name.strip_prefix("node_") {
        Some(kind) => format!("Node `{kind}`"),
        None => format!("`{name}`"),
    }
}

fn string(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_its_kind_and_whether_it_must_be_there() {
        let schema = json!({
            "description": "A graph",
            "required": ["n"],
            "properties": {
                "n": { "type": "integer", "minimum": 1, "maximum": 9, "default": 2, "description": "How many." },
                "to": { "anyOf": [{ "$ref": "#/$defs/node_gate" }, { "enum": ["a", "b"] }] },
                "any": true,
            },
            "$defs": { "node_gate": { "properties": { "x": { "type": "array", "items": { "type": "string" } } } } },
        });
        let text = text(&schema);
        assert!(text.contains("| `n` | integer, 1 to 9 | **required** How many. Default: `2`. |"), "{text}");
        assert!(text.contains("| `to` | [Node `gate`](#node-gate), or `a`, `b` |  |"), "{text}");
        assert!(
            text.contains(
                "## Node `gate`\n\n| field | value | what it is |\n|---|---|---|\n| `x` | array of string |"
            ),
            "{text}"
        );
        assert!(!text.contains("`any`"), "{text}");
    }
}
