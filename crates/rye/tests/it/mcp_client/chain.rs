//! The file of a server is verified, locked and shown like everything else that decides what runs.

use insta::assert_snapshot;

use super::workspace::with_tools;

const SERVER: &str = "project/.ai/tools/mcp/servers/demo.yaml";
const RUN: [&str; 6] = ["execute", "mcp/demo/add", "--a", "1", "--b", "2"];

#[test]
fn a_server_that_was_changed_is_not_started() {
    let space = with_tools();
    let text = space.read(SERVER);
    space.write(SERVER, text.replace("python3", "python3.99"));
    assert_snapshot!(space.rye(RUN).show(), @"
    $ rye execute mcp/demo/add --a 1 --b 2
    exit code: 3
    --- stderr
    error: tool:mcp/demo/add cannot run: tool:mcp/servers/demo (`[SPACE]/project/.ai/tools/mcp/servers/demo.yaml`) is refused: it was changed after it was signed by ada on [TIME] [SIGNATURE_INVALID]
    hint: look at `[SPACE]/project/.ai/tools/mcp/servers/demo.yaml`, and if that is what shall run, run `rye sign mcp/servers/demo`
    ");
    let (_, unsigned) = text.split_once('\n').unwrap();
    space.write(SERVER, unsigned);
    assert_snapshot!(space.rye(RUN).show(), @"
    $ rye execute mcp/demo/add --a 1 --b 2
    exit code: 3
    --- stderr
    error: tool:mcp/demo/add cannot run: tool:mcp/servers/demo (`[SPACE]/project/.ai/tools/mcp/servers/demo.yaml`) is refused: it is not signed [UNSIGNED]
    hint: run `rye sign mcp/servers/demo`
    ");
    space.remove(SERVER);
    assert_snapshot!(space.rye(RUN).show(), @"
    $ rye execute mcp/demo/add --a 1 --b 2
    exit code: 3
    --- stderr
    error: tool:mcp/demo/add cannot run: the server `mcp/servers/demo` of tool:mcp/demo/add cannot be used: cannot find tool `mcp/servers/demo`: there is none in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `<bundle>/tools` [ITEM_NOT_FOUND]
    hint: run `rye search demo` to look for it
    ");
}

#[test]
fn a_server_is_part_of_the_plan_and_of_the_lock() {
    let space = with_tools();
    let plan = space.rye(["explain", "mcp/demo/add"]).json();
    assert_eq!(plan["server"]["id"], "mcp/servers/demo", "{plan}");
    space.run(["lock", "mcp/demo/add"]);
    assert!(space.rye(RUN).output().status.success());
    let text = space.read(SERVER);
    space.write(SERVER, text.replace("The MCP server demo", "Another one"));
    space.run(["sign", "mcp/servers/demo"]);
    let output = space.rye(RUN).output();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        stderr.contains("`mcp/servers/demo`: expected") && stderr.contains("[LOCK_MISMATCH]"),
        "{stderr}"
    );
}

#[test]
fn a_server_is_used_and_not_executed() {
    let space = with_tools();
    assert_snapshot!(space.rye(["execute", "mcp/servers/demo"]).show(), @"
    $ rye execute mcp/servers/demo
    exit code: 3
    --- stderr
    error: tool:mcp/servers/demo cannot run: tool:mcp/servers/demo describes a server: tools are called through it, and nothing executes it [METADATA_INVALID]
    hint: execute one of its tools; `rye mcp list` shows them
    ");
    assert_eq!(space.rye(["verify", "mcp/**"]).json()["good"], true);
    let tool = space.read("project/.ai/tools/mcp/demo/add.yaml");
    space.write("project/.ai/tools/mcp/demo/add.yaml", tool.replace("mcp/servers/demo", "mcp/demo/add"));
    assert_snapshot!(space.rye(["sign", "mcp/demo/add"]).show(), @"
    $ rye sign mcp/demo/add
    exit code: 3
    --- stdout
    refused  project  tool:mcp/demo/add  the server of tool:mcp/demo/add is tool:mcp/demo/add, whose `tool_type` is not `mcp_server`
    0 signed with the key [KEY], 0 unchanged, 1 refused
    ");
}

#[test]
fn a_tool_can_describe_its_server_itself() {
    let space = with_tools();
    let server = space.path("elsewhere/server.py");
    let tool = format!(
        "version: \"1.0.0\"\ntool_type: mcp\nexecutor_id: rye/core/runtimes/mcp/stdio\ndescription: Adds\n\
         server: {{command: /usr/bin/python3, args: [\"{}\"]}}\ntool_name: add\n",
        server.display()
    );
    space.write("project/.ai/tools/my/sum.yaml", &tool);
    space.run(["sign", "my/sum"]);
    let params = r#"{"a": 2, "b": 3}"#;
    assert_eq!(space.rye(["execute", "my/sum", "--params", params]).json()["data"]["sum"], 5);
    let without: Vec<_> = tool.lines().filter(|line| !line.starts_with("server")).collect();
    space.write("project/.ai/tools/my/none.yaml", without.join("\n"));
    space.run(["sign", "my/none"]);
    assert_snapshot!(space.rye(["execute", "my/none", "--params", params]).show(), @r#"
    $ rye execute my/none --params '{"a": 2, "b": 3}'
    exit code: 3
    --- stderr
    error: cannot run tool:my/none: the tool does not say by `server` which item describes its server [TEMPLATE_INVALID]
    hint: run `rye explain my/none` to see everything that has a say
    "#);
    let by_config = tool.replace("server: {command", "config: {server: mcp/servers/demo}\n#");
    space.write("project/.ai/tools/my/config.yaml", by_config);
    space.run(["sign", "my/config"]);
    assert_eq!(space.rye(["execute", "my/config", "--params", params]).json()["data"]["sum"], 5);
}
