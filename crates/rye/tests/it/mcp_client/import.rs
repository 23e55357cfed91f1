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
