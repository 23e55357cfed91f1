//! How far a run is, as a client hears it.

use serde_json::{Value, json};

use super::stdio_peer::StdioPeer;
use crate::mcp_client::workspace::{with_tools, write_server};
use crate::workshop::Workshop;

/// Calls a tool, and gives what was said about its progress before the answer.
fn progress(peer: &mut StdioPeer, arguments: &Value) -> Vec<Value> {
    let params = json!({ "name": "execute", "arguments": arguments, "_meta": { "progressToken": "here" } });
    let id = peer.begin("tools/call", &params);
    let answer = peer.answer(id);
    assert_eq!(answer["result"]["structuredContent"]["status"], "success", "{answer}");
    let said = peer.others.drain(..).filter(|message| message["method"] == "notifications/progress");
    said.map(|message| message["params"].clone()).collect()
}

#[test]
fn a_line_tells_how_far_a_tool_is() {
    let shop = Workshop::new();
    let script = "echo 'progress: 1/4 copying' >&2; sleep 0.5; echo 'progress: 3/4' >&2; sleep 0.5; \
                  echo 'progress: 4/4 done' >&2";
    shop.shell_tool("my/steps", "", script);
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let said = progress(&mut peer, &json!({ "item_id": "my/steps" }));
    assert_eq!(
        said,
        [
            json!({ "progressToken": "here", "progress": 1.0, "total": 4.0, "message": "copying" }),
            json!({ "progressToken": "here", "progress": 3.0, "total": 4.0 }),
            json!({ "progressToken": "here", "progress": 4.0, "total": 4.0, "message": "done" }),
        ]
    );
}

#[test]
fn the_progress_of_a_server_is_passed_on() {
    let space = with_tools();
    let change = r#"
def call(message, arguments):
    token = message["params"]["_meta"]["progressToken"]
    for step in (1, 2):
        time.sleep(0.5)
        send({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": step, "total": 2, "message": "step %d" % step}})
    answer(message, {"content": []})
"#;
    write_server(&space, change);
    let mut peer = StdioPeer::connect(&space.rye(["mcp", "serve"]));
    for _ in 0..2 {
        let said =
            progress(&mut peer, &json!({ "item_id": "mcp/demo/add", "parameters": { "a": 1, "b": 2 } }));
        let steps: Vec<_> =
            said.iter().map(|said| (said["progress"].as_f64(), &said["total"], &said["message"])).collect();
        assert_eq!(
            steps,
            [(Some(1.0), &json!(2.0), &json!("step 1")), (Some(2.0), &json!(2.0), &json!("step 2")),]
        );
    }
}
