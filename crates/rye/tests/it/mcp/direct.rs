//! Answers that are written by the thread that has them.

use serde_json::{Value, json};

use super::stateless_meta;
use super::stdio_peer::StdioPeer;
use crate::workshop::Workshop;

/// What an answer says, but for what no two runs have in common.
fn told(answer: &Value) -> Value {
    let mut result = answer["result"].clone();
    let structured = result["structuredContent"].as_object_mut().unwrap();
    assert!(structured.remove("run_id").is_some(), "{answer}");
    structured.remove("duration_ms");
    result
}

#[test]
fn an_answer_is_the_same_whoever_writes_it() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "echo hello");
    shop.shell_tool("my/failing", "", "echo no; exit 3");
    shop.shell_tool("my/long", "", "seq 3000");
    let mut older = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let mut newer = StdioPeer::start(&shop.space.rye(["mcp", "serve"]));
    for item in ["my/tool", "my/failing", "my/long"] {
        for (peer, meta) in [(&mut older, json!({})), (&mut newer, stateless_meta(&json!({})))] {
            let mut call = json!({ "name": "execute", "arguments": { "item_id": item }, "_meta": meta });
            let direct = peer.request("tools/call", &call);
            // Who wants to hear of progress has its answer from the library.
            call["_meta"]["progressToken"] = json!("token");
            let usual = peer.request("tools/call", &call);
            assert_eq!(told(&direct), told(&usual));
        }
    }
}

#[test]
fn an_id_is_free_as_soon_as_there_is_an_answer() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "echo hello");
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    for round in 0..200 {
        let arguments = json!({ "item_id": "my/tool" });
        let params = json!({ "name": "execute", "arguments": arguments });
        peer.send(&json!({ "jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": params }));
        let answer = peer.receive();
        assert_eq!(answer["result"]["structuredContent"]["data"], "hello\n", "{round}: {answer}");
    }
    // Nothing was answered twice.
    peer.send(&json!({ "jsonrpc": "2.0", "id": "last", "method": "ping" }));
    assert_eq!(peer.receive()["id"], "last");
}

#[test]
fn a_cancellation_that_comes_after_the_answer_cancels_nothing_else() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "echo hello");
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let params = json!({ "name": "execute", "arguments": { "item_id": "my/tool" } });
    let call = json!({ "jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": params });
    let late =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "same" } });
    for round in 0..200 {
        peer.send_text(&if round == 0 { call.to_string() } else { format!("{late}\n{call}") });
        let answer = peer.receive();
        assert_eq!(answer["result"]["structuredContent"]["data"], "hello\n", "{round}: {answer}");
    }
}
