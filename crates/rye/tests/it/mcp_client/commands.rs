//! `rye mcp add`, `list`, `refresh` and `remove`.

use insta::assert_snapshot;
use serde_json::json;

use super::workspace::{add, with_server, with_tools, write_server};
use crate::space::TestSpace;

#[test]
fn a_server_becomes_files_that_are_signed() {
    let space = with_server();
    let server = space.path("elsewhere/server.py");
    let command = ["mcp", "add", "demo", "--yes", "--", "/usr/bin/python3", server.to_str().unwrap()];
    assert_snapshot!(space.rye(command).show(), @"
    $ rye mcp add demo --yes -- /usr/bin/python3 [SPACE]/elsewhere/server.py
    exit code: 0
    --- stdout
    demo: demo 1.0, MCP 2025-11-25, 1 tool
    mcp/demo/add  reads  Adds two numbers
    --- stderr
    signed: 2 files with the key [KEY]
    ");
    assert_snapshot!(without_signature(&space, "servers/demo"), @r#"
    version: "1.0.0"
    tool_type: "mcp_server"
    category: "mcp/servers"
    description: "The MCP server demo"
    config:
      command: "/usr/bin/python3"
      args: ["[SPACE]/elsewhere/server.py"]
    "#);
    assert_snapshot!(without_signature(&space, "demo/add"), @r#"
    version: "1.0.0"
    tool_type: "mcp"
    executor_id: "rye/core/runtimes/mcp/stdio"
    category: "mcp/demo"
    description: "Adds two numbers"
    tags: ["mcp", "demo"]
    server: "mcp/servers/demo"
    tool_name: "add"
    annotations:
      title: "Sum"
      read_only: true
    config:
      pin: "c67e3429[…]"
    config_schema:
      type: "object"
      properties:
        a:
          type: "number"
        b:
          type: "number"
      required: ["a", "b"]
    "#);
    let report = space.rye(["execute", "mcp/demo/add", "--a", "1", "--b", "2.5"]).json();
    assert_eq!((&report["status"], &report["data"]), (&json!("success"), &json!({ "sum": 3.5 })), "{report}");
    assert_eq!(report["server"]["id"], "mcp/servers/demo");
    assert_eq!(report["server"]["signer"], report["attestation"][0]["signer"]);
    let wrong = space.rye(["execute", "mcp/demo/add", "--params", r#"{"a": "x", "b": 1}"#]).output();
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("[PARAMS_INVALID]"), "{wrong:?}");
}

fn without_signature(space: &TestSpace, name: &str) -> String {
    let text = space.read(&format!("project/.ai/tools/mcp/{name}.yaml"));
    let (line, rest) = text.split_once('\n').unwrap();
    assert!(line.starts_with("# rye:signed:v1:"), "{line}");
    rest.to_owned()
}

#[test]
fn a_tool_of_a_server_is_found_like_any_other() {
    let space = with_tools();
    assert_eq!(space.found(["adds", "numbers", "kind:tool"]), ["mcp/demo/add"]);
    let loaded = space.rye(["load", "mcp/demo/add", "--part", "metadata"]).json();
    assert_eq!(loaded["annotations"], json!({ "title": "Sum", "readOnlyHint": true }));
}

#[test]
fn nothing_is_written_without_a_yes() {
    let space = with_server();
    let server = space.path("elsewhere/server.py");
    let command = ["mcp", "add", "demo", "--", "/usr/bin/python3", server.to_str().unwrap()];
    let output = space.rye(command).output();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("[CONFIRMATION_NEEDED]"));
    assert!(!space.path("project/.ai/tools/mcp").exists());
    let typed = format!("mcp add demo -- /usr/bin/python3 {}", server.display());
    assert!(space.on_terminal(&typed, "n\n").contains("nothing was done"));
    assert!(!space.path("project/.ai/tools/mcp").exists());
    assert!(space.on_terminal(&typed, "y\n").contains("signed: 2 files"));
}

#[test]
fn servers_are_listed_and_removed() {
    let space = with_server();
    assert_snapshot!(space.rye(["mcp", "list"]).show(), @"
    $ rye mcp list
    exit code: 1
    --- stderr
    note: no server is there; `rye mcp add` imports one
    ");
    add(&space, "demo");
    add(&space, "other");
    assert_snapshot!(space.rye(["mcp", "list"]).show(), @"
    $ rye mcp list
    exit code: 0
    --- stdout
    demo   project  1 tool  /usr/bin/python3 [SPACE]/elsewhere/server.py
    other  project  1 tool  /usr/bin/python3 [SPACE]/elsewhere/server.py
    ");
    assert_snapshot!(space.rye(["mcp", "remove", "demo", "--yes"]).show(), @"
    $ rye mcp remove demo --yes
    exit code: 0
    --- stdout
    removed demo and 1 tool
    ");
    assert_snapshot!(space.rye(["mcp", "remove", "demo", "--yes"]).show(), @"
    $ rye mcp remove demo --yes
    exit code: 3
    --- stderr
    error: no MCP server `demo` was imported into the project space [ITEM_NOT_FOUND]
    hint: there is `other`
    ");
    assert!(!space.path("project/.ai/tools/mcp/demo").exists());
    assert!(space.path("project/.ai/tools/mcp/other/add.yaml").exists());
}

#[test]
fn a_name_is_taken_once() {
    let space = with_tools();
    assert_snapshot!(space.rye(["mcp", "add", "demo", "--yes", "--", "true"]).show(), @"
    $ rye mcp add demo --yes -- true
    exit code: 3
    --- stderr
    error: there is an MCP server `demo` already [ALREADY_EXISTS]
    hint: run `rye mcp refresh demo`, or take its place with `--force`
    ");
    assert_snapshot!(space.rye(["mcp", "add", "../x", "--yes", "--", "true"]).show(), @"
    $ rye mcp add ../x --yes -- true
    exit code: 3
    --- stderr
    error: `mcp/servers/../x` cannot be the id of an item: `..` would leave the folder [INVALID_ID]
    hint: an id looks like `demo/greet`; run `rye search` to see which there are
    ");
    assert_snapshot!(space.rye(["mcp", "add", "servers", "--yes", "--", "true"]).show(), @"
    $ rye mcp add servers --yes -- true
    exit code: 3
    --- stderr
    error: `servers` cannot be the name of a server [INVALID_ID]
    hint: use a single word that is not `servers`
    ");
}

#[test]
fn the_user_space_has_servers_too() {
    let space = with_server();
    let server = space.path("elsewhere/server.py");
    space.run(["mcp", "add", "mine", "--user", "--yes", "--", "/usr/bin/python3", server.to_str().unwrap()]);
    let report = space.rye(["execute", "mcp/mine/add", "--a", "1", "--b", "1"]).json();
    assert_eq!(report["data"], json!({ "sum": 2 }), "{report}");
    assert_eq!(report["server"]["space"], "user");
}

#[test]
fn variables_are_filled_from_the_environment_and_from_secrets() {
    let space = TestSpace::with_key();
    write_server(
        &space,
        r#"
def call(message, arguments):
    answer(message, {"content": [{"type": "text", "text": os.environ.get("OUT", "?") + " " + sys.argv[1]}]})
"#,
    );
    let server = space.path("elsewhere/server.py");
    let command = [
        "mcp",
        "add",
        "demo",
        "--yes",
        "--env",
        "OUT=<${WORD}>",
        "--",
        "/usr/bin/python3",
        server.to_str().unwrap(),
        "${MISSING:-default}",
    ];
    assert_snapshot!(space.rye(command).show(), @"
    $ rye mcp add demo --yes --env 'OUT=<${WORD}>' -- /usr/bin/python3 [SPACE]/elsewhere/server.py '${MISSING:-default}'
    exit code: 3
    --- stderr
    error: cannot use the MCP server `demo`: the description of the server needs `WORD` [SECRET_MISSING]
    hint: set the variable, or run `rye secret set WORD`
    ");
    let output = space.rye(command).set("WORD", "from-environment").output();
    assert!(output.status.success(), "{output:?}");
    let text = space.read("project/.ai/tools/mcp/servers/demo.yaml");
    assert!(text.contains("<${WORD}>") && !text.contains("from-environment"), "{text}");
    let run = ["execute", "mcp/demo/add", "--a", "1", "--b", "1"];
    assert_eq!(space.rye(run).set("WORD", "one").json()["data"], "<one> default");
    space.rye(["secret", "set", "WORD"]).read("secret-word-1234");
    let report = space.rye(run).set("WORD", "one").json();
    assert_eq!(report["data"], "<***> default", "{report}");
}
