//! The short name of the runtime, and a runner of one's own.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::workspace::with_tools;

#[test]
fn the_short_name_calls_our_own_runner_or_that_of_the_operator() {
    let space = with_tools();
    let text = space.read("project/.ai/tools/mcp/demo/add.yaml");
    space.write(
        "project/.ai/tools/my/short.yaml",
        text.replace("rye/core/runtimes/mcp/stdio", "mcp_stdio").replace("mcp/demo", "my"),
    );
    space.run(["sign", "my/short"]);
    let run = ["execute", "my/short", "--a", "1", "--b", "2"];
    assert_eq!(space.rye(run).json()["data"], json!({ "sum": 3 }));
    let runner = space.write("elsewhere/runner", "#!/bin/sh\necho \"\\\"$1 $2 $5 $6\\\"\"\n");
    std::fs::set_permissions(&runner, std::fs::Permissions::from_mode(0o755)).unwrap();
    let report = space.rye(run).set("RYE_MCP_RUNNER", &runner).json();
    assert_eq!(report["data"], "--type stdio --tool add", "{report}");
}
