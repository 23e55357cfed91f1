//! `rye mcp install`.

use serde_json::{Value, json};

use crate::space::{RYE, TestSpace};

fn entry() -> Value {
    json!({ "type": "stdio", "command": RYE, "args": ["mcp", "serve"] })
}

#[test]
fn every_client_is_shown_and_nothing_is_written() {
    let space = TestSpace::new();
    let shown = String::from_utf8(space.rye(["mcp", "install"]).output().stdout).unwrap();
    for name in [
        ".mcp.json",
        "claude_desktop_config.json",
        ".codex/config.toml",
        ".vscode/mcp.json",
        ".cursor/mcp.json",
    ] {
        assert!(shown.contains(name), "{shown}");
    }
    assert!(!space.path("project/.mcp.json").exists());
}

#[test]
fn a_configuration_is_changed_once_and_keeps_what_it_has() {
    let space = TestSpace::new();
    let before = json!({ "servers": { "other": { "command": "x" } }, "inputs": [] });
    space.write("project/.vscode/mcp.json", before.to_string());
    space.run(["mcp", "install", "vscode", "--write"]);
    let written: Value = serde_json::from_str(&space.read("project/.vscode/mcp.json")).unwrap();
    let expect = json!({ "servers": { "other": { "command": "x" }, "rye": entry() }, "inputs": [] });
    assert_eq!(written, expect);
    let text = space.read("project/.vscode/mcp.json");
    space.run(["mcp", "install", "vscode", "--write"]);
    assert_eq!(space.read("project/.vscode/mcp.json"), text);
    space.run(["mcp", "install", "codex", "--write"]);
    let expect = format!("[mcp_servers.rye]\ncommand = \"{RYE}\"\nargs = [\"mcp\", \"serve\"]\n");
    assert_eq!(space.read("home/.codex/config.toml"), expect);
}

#[test]
fn what_cannot_be_understood_is_not_changed() {
    let space = TestSpace::new();
    let text = "{ // mine\n}\n";
    space.write("project/.mcp.json", text);
    let output = space.rye(["mcp", "install", "claude-code", "--write"]).output();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(space.read("project/.mcp.json"), text);
}
