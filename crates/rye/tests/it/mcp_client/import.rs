//! `rye mcp import`.

use insta::assert_snapshot;
use serde_json::json;

use super::workspace::with_server;

#[test]
fn the_configuration_of_an_agent_is_taken_over() {
    let space = with_server();
    let server = space.path("elsewhere/server.py");
    let servers = json!({"one": {"command": "/usr/bin/python3", "args": [server]}, "dead": {"command": "no-such-program"}});
    space.write("project/.mcp.json", json!({ "mcpServers": servers }).to_string());
    assert_snapshot!(space.rye(["mcp", "import", ".mcp.json", "--yes"]).show(), @"
    $ rye mcp import .mcp.json --yes
    exit code: 3
    --- stdout
    one: demo 1.0, MCP 2025-11-25, 1 tool
    mcp/one/add  reads  Adds two numbers
    --- stderr
    signed: 2 files with the key [KEY]
    error: the MCP server `dead` failed: it cannot be started: cannot run `no-such-program`: no such program in `/usr/bin/no-such-program`, `/bin/no-such-program` [SPAWN_FAILED]
    hint: install the program, or name it by its whole path
    ");
    assert_eq!(space.rye(["execute", "mcp/one/add", "--a", "1", "--b", "2"]).json()["data"]["sum"], 3);

    let code = format!(
        "{{\n// servers\n\"servers\": {{\"two\": {{\"type\": \"stdio\", \"command\": \"${{env:PYTHON}}\", \"args\": [\"{}\"],}}}}}}",
        server.display()
    );
    space.write("project/.vscode/mcp.json", code);
    let import = ["mcp", "import", ".vscode/mcp.json", "--yes"];
    let output = space.rye(import).set("PYTHON", "/usr/bin/python3").output();
    assert!(output.status.success(), "{output:?}");
    let run = ["execute", "mcp/two/add", "--a", "1", "--b", "2"];
    assert_eq!(space.rye(run).set("PYTHON", "/usr/bin/python3").json()["data"]["sum"], 3);
    assert_snapshot!(space.rye(run).show(), @"
    $ rye execute mcp/two/add --a 1 --b 2
    exit code: 1
    --- stderr
    error: cannot use the MCP server `two`: the description of the server needs `PYTHON` [SECRET_MISSING]
    hint: set the variable, or run `rye secret set PYTHON`
    error: tool:mcp/two/add failed with exit code 3 [TOOL_FAILED]
    ");

    space.write("project/other.json", "{}");
    assert_snapshot!(space.rye(["mcp", "import", "other.json", "--yes"]).show(), @"
    $ rye mcp import other.json --yes
    exit code: 3
    --- stderr
    error: cannot read `other.json`: it has neither `mcpServers` nor `servers` [PARAMS_INVALID]
    hint: see whether it is there and has the right format
    ");
}

#[test]
fn what_is_wrong_with_one_server_keeps_nobody_from_the_others() {
    let space = with_server();
    let server = space.path("elsewhere/server.py");
    let good = json!({"command": "/usr/bin/python3", "args": [server]});
    let servers = json!({
        "none": {},
        "text": {"command": "/usr/bin/python3", "args": "srv.py"},
        "list": {"command": ["/usr/bin/python3"]},
        "off": {"command": "/usr/bin/python3", "args": [server], "disabled": true},
        "one": good,
    });
    space.write("project/.mcp.json", json!({ "mcpServers": servers }).to_string());
    assert_snapshot!(space.rye(["mcp", "import", ".mcp.json", "--yes", "--only", "one"]).show(), @"
    $ rye mcp import .mcp.json --yes --only one
    exit code: 0
    --- stdout
    one: demo 1.0, MCP 2025-11-25, 1 tool
    mcp/one/add  reads  Adds two numbers
    --- stderr
    signed: 2 files with the key [KEY]
    ");
    assert_snapshot!(space.rye(["mcp", "import", ".mcp.json", "--yes", "--force"]).show(), @"
    $ rye mcp import .mcp.json --yes --force
    exit code: 3
    --- stdout
    one: demo 1.0, MCP 2025-11-25, 1 tool
    mcp/one/add  reads  Adds two numbers
    --- stderr
    error: cannot read `.mcp.json`: the server `none` has neither `command` nor `url` [PARAMS_INVALID]
    hint: see whether it is there and has the right format
    error: cannot read `.mcp.json`: the server `text` has `args` that are not a list [PARAMS_INVALID]
    hint: see whether it is there and has the right format
    error: cannot read `.mcp.json`: the server `list` has a `command` that is not a string [PARAMS_INVALID]
    hint: see whether it is there and has the right format
    skipped: `off` is disabled there; `--only off` imports it
    signed: 2 files with the key [KEY]
    ");
    assert_snapshot!(space.rye(["mcp", "import", ".mcp.json", "--yes", "--only", "off"]).show(), @"
    $ rye mcp import .mcp.json --yes --only off
    exit code: 0
    --- stdout
    off: demo 1.0, MCP 2025-11-25, 1 tool
    mcp/off/add  reads  Adds two numbers
    --- stderr
    signed: 2 files with the key [KEY]
    ");
    space.write("project/twice.json", r#"{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}"#);
    assert_snapshot!(space.rye(["mcp", "import", "twice.json", "--yes"]).show(), @"
    $ rye mcp import twice.json --yes
    exit code: 3
    --- stderr
    error: cannot read `twice.json`: it has more than one `a` [PARAMS_INVALID]
    hint: see whether it is there and has the right format
    ");
}

#[test]
fn a_person_is_warned_of_what_is_written_and_what_is_not_read() {
    let space = with_server();
    let server = space.path("elsewhere/server.py");
    let one = json!({
        "type": "stdio",
        "command": "/usr/bin/python3",
        "args": [server],
        "env": {"API_TOKEN": "abc", "LANG": "C"},
        "envFile": "${workspaceFolder}/.env",
    });
    space.write("project/.vscode/mcp.json", json!({ "servers": { "one": one } }).to_string());
    assert_snapshot!(space.rye(["mcp", "import", ".vscode/mcp.json", "--yes"]).show(), @"
    $ rye mcp import .vscode/mcp.json --yes
    exit code: 0
    --- stdout
    one: demo 1.0, MCP 2025-11-25, 1 tool
    mcp/one/add  reads  Adds two numbers
    --- stderr
    warning: `one`: `API_TOKEN` is written in clear text: better run `rye secret set API_TOKEN`, have `${API_TOKEN}` in the place of its value, and import that
    warning: `one`: its `envFile` is not read: `rye secret set` what it needs from there
    signed: 2 files with the key [KEY]
    ");
}
