//! In what a tool differs from what was imported.

use rye_mcp::client::{PinnedTool, RemoteTool, sorted};
use serde_json::Value;
use similar::TextDiff;

use super::tool_file::ImportedTool;

/// What the server has changed since the tool was imported; nothing if it is as it was pinned.
pub(super) fn drift(imported: &ImportedTool, current: &PinnedTool) -> Option<String> {
    let pin = current.pin.to_string();
    match &imported.pin {
        Some(pinned) if *pinned != pin => Some(difference(imported, &current.tool, &pin)),
        _ => None,
    }
}

fn difference(imported: &ImportedTool, current: &RemoteTool, pin: &str) -> String {
    let schema = Value::Object(current.input_schema.clone());
    let parts = [
        ("description", imported.description.clone(), current.description.clone()),
        ("annotations", pretty(&imported.hints), pretty(&current.hints.to_value())),
        ("config_schema", pretty(&imported.schema), pretty(&schema)),
    ];
    let differences: Vec<_> = parts
        .iter()
        .filter(|(_, old, new)| old != new)
        .map(|(name, old, new)| diff(name, old, new))
        .collect();
    if differences.is_empty() {
        // Whoever edits a pin has changed nothing that could be shown.
        return format!("the pin in its file is not {pin}\n");
    }
    differences.concat()
}

fn diff(name: &str, old: &str, new: &str) -> String {
    let (old, new) = (format!("{old}\n"), format!("{new}\n"));
    let text = TextDiff::from_lines(&old, &new);
    let header = (&*format!("{name} (imported)"), &*format!("{name} (server)"));
    text.unified_diff().context_radius(2).header(header.0, header.1).to_string()
}

/// JSON whose keys have an order, so that only what matters differs.
fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(&sorted(value.clone())).unwrap_or_default()
}
