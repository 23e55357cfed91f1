//! A graph as an agent meets it.

use serde_json::json;

use super::stdio_peer::StdioPeer;
use crate::workshop::Workshop;

#[test]
fn the_steps_of_a_graph_are_progress() {
    let shop = Workshop::new();
    shop.shell_tool("my/step", "", "sleep 0.3; echo '{\"ok\": true}'");
    shop.signed(
        "my/graph",
        "yaml",
        "version: \"1.0.0\"\ntool_type: graph\nexecutor_id: rye/core/runtimes/state-graph/runtime\ndescription: x\n\
        permissions: {execute: [my/step]}\nconfig:\n  start: one\n  nodes:\n    one: {action: {item_id: my/step}, next: two}\n    \
        two: {action: {item_id: my/step}, assign: {ok: '${result.ok}'}, next: end}\n    end: {type: return, output: {ok: '${state.ok}'}}\n",
    );
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let call = json!({
        "name": "execute",
        "arguments": { "item_id": "my/graph", "project_path": shop.space.path("project") },
        "_meta": { "progressToken": "here" },
    });
    let answer = peer.request("tools/call", &call);
    let result = &answer["result"]["structuredContent"];
    assert_eq!((&result["status"], &result["data"]), (&json!("success"), &json!({ "ok": true })), "{answer}");
    let told = |message: &serde_json::Value| {
        message["method"] == "notifications/progress"
            && message["params"]["message"].as_str().is_some_and(|line| line.starts_with("done: one#1@1"))
    };
    assert!(peer.others.iter().any(told), "{:?}", peer.others);
}
