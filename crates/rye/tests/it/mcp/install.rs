//! `rye mcp install`.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::space::{Call, RYE, TestSpace};

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

/// What a person sees, wherever the program is.
fn shown(call: Call<'_>) -> String {
    call.show().replace(RYE, "[RYE]")
}

#[test]
fn a_person_is_told_what_came_of_it() {
    let space = TestSpace::new();
    let write = || shown(space.rye(["mcp", "install", "cursor", "--write"]));
    let before = "{\n    // mine\n    \"mcpServers\": {},\n}\n";
    space.write("project/.cursor/mcp.json", before);
    assert_snapshot!(write(), @"
    $ rye mcp install cursor --write
    exit code: 0
    --- stderr
    done: `rye` was added to `[SPACE]/project/.cursor/mcp.json`
    ");
    assert_snapshot!(space.read("project/.cursor/mcp.json").replace(RYE, "[RYE]"), @r#"
    {
        // mine
        "mcpServers": {
            "rye": {
                "type": "stdio",
                "command": "[RYE]",
                "args": [
                    "mcp",
                    "serve"
                ]
            }
        },
    }
    "#);
    assert_snapshot!(write(), @"
    $ rye mcp install cursor --write
    exit code: 0
    --- stderr
    note: `rye` is right already in `[SPACE]/project/.cursor/mcp.json`
    ");
    let old = r#"{"mcpServers": {"rye": {"command": "old", "env": {"RYE_PASSPHRASE": "x"}}}}"#;
    space.write("project/.cursor/mcp.json", old);
    assert_snapshot!(write(), @"
    $ rye mcp install cursor --write
    exit code: 0
    --- stderr
    done: `rye` was changed in `[SPACE]/project/.cursor/mcp.json`: it starts this program now
    ");
    assert_snapshot!(space.read("project/.cursor/mcp.json").replace(RYE, "[RYE]"), @r#"{"mcpServers": {"rye": {"command": "[RYE]", "env": {"RYE_PASSPHRASE": "x"}, "type": "stdio", "args": ["mcp", "serve"]}}}"#);
}

#[test]
fn what_is_refused_is_shown_for_a_person_to_add() {
    let space = TestSpace::new();
    let file = "home/.codex/config.toml";
    space.write(file, "mcp_servers = 5\n");
    assert_snapshot!(shown(space.rye(["mcp", "install", "codex", "--write"])), @r#"
    $ rye mcp install codex --write
    exit code: 3
    --- stdout
    # [SPACE]/home/.codex/config.toml
    [mcp_servers.rye]
    command = "[RYE]"
    args = ["mcp", "serve"]
    --- stderr
    error: `[SPACE]/home/.codex/config.toml` was not changed: its `mcp_servers` is not a table but an integer [IO]
    hint: run the command without `--write`, and put what it prints there
    "#);
    assert_eq!(space.read(file), "mcp_servers = 5\n");
    let broken = "model = \"x\n";
    space.write(file, broken);
    assert_eq!(space.rye(["mcp", "install", "codex", "--write"]).output().status.code(), Some(3));
    assert_eq!(space.read(file), broken);
}

#[test]
fn a_link_stays_and_the_file_it_leads_to_is_changed() {
    let space = TestSpace::new();
    let real = space.write("elsewhere/codex.toml", "model = \"x\"\n");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).unwrap();
    space.folder("home/.codex");
    let link = space.path("home/.codex/config.toml");
    symlink("../../elsewhere/codex.toml", &link).unwrap();
    space.run(["mcp", "install", "codex", "--write"]);
    assert_eq!(std::fs::read_link(&link).unwrap(), Path::new("../../elsewhere/codex.toml"));
    assert!(space.read("elsewhere/codex.toml").starts_with("model = \"x\"\n\n[mcp_servers.rye]\n"));
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let beside = std::fs::read_dir(space.path("elsewhere")).unwrap();
    assert_eq!(beside.count(), 1, "nothing is left behind");

    std::fs::remove_file(&real).unwrap();
    assert_snapshot!(shown(space.rye(["mcp", "install", "codex", "--write"])), @r#"
    $ rye mcp install codex --write
    exit code: 3
    --- stdout
    # [SPACE]/home/.codex/config.toml
    [mcp_servers.rye]
    command = "[RYE]"
    args = ["mcp", "serve"]
    --- stderr
    error: `[SPACE]/home/.codex/config.toml` was not changed: it is a symbolic link to `../../elsewhere/codex.toml`, which is not there [IO]
    hint: run the command without `--write`, and put what it prints there
    "#);
    assert!(link.is_symlink() && !real.exists());
}

#[test]
fn the_folders_of_the_environment_count() {
    let space = TestSpace::new();
    let write = |client: &str| space.rye(["mcp", "install", client, "--write"]);
    let folder = space.path("elsewhere/config");
    write("codex").set("CODEX_HOME", &folder).output();
    assert!(space.path("elsewhere/config/config.toml").exists());
    write("claude-desktop").set("XDG_CONFIG_HOME", &folder).output();
    assert!(space.path("elsewhere/config/Claude/claude_desktop_config.json").exists());
    // A relative one is none.
    write("claude-desktop").set("XDG_CONFIG_HOME", "config").output();
    assert!(space.path("home/.config/Claude/claude_desktop_config.json").exists());
    assert!(!space.path("home/.codex").exists());
}
