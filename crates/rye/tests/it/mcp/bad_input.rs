//! What no good client sends. The server says what is wrong with it, and lives.

use std::time::Duration;

use serde_json::{Value, json};

use super::stdio_peer::StdioPeer;
use crate::workshop::{Workshop, eventually};

#[test]
fn what_is_no_message_is_answered_and_the_server_lives() {
    let shop = Workshop::new();
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    for (line, code) in [
        ("nonsense", -32700),
        ("{\"jsonrpc\":", -32700),
        ("\u{1}\u{2}", -32700),
        ("{}", -32600),
        ("[]", -32600),
        ("42", -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
    ] {
        peer.send_text(line);
        let answer = peer.receive();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    peer.send_text("");
    let unknown = peer.request("no/such/method", &json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    for (method, params) in [
        ("tools/call", json!({})),
        ("tools/call", json!({ "name": 5 })),
        ("tools/call", json!({ "name": "help", "arguments": "none" })),
        ("resources/read", json!({ "uri": null })),
        ("prompts/get", json!({ "name": "help/start", "arguments": 1 })),
    ] {
        let refused = peer.request(method, &params);
        assert_eq!(refused["error"]["code"], -32602, "{method} {params}: {refused}");
    }
    // Whoever waits for an answer by its number gets one.
    let refused = peer.request("tools/call", &json!([]));
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    let unknown = peer.request("tools/call", &json!({ "name": "my/tool", "arguments": {} }));
    assert_eq!(unknown["error"]["message"], "there is no tool `my/tool`: an item is run by `execute`");
    assert_eq!(peer.request("ping", &json!({}))["result"], json!({}));
}

#[test]
fn an_id_in_use_is_refused_and_the_first_request_goes_on() {
    let shop = Workshop::new();
    shop.shell_tool(
        "my/slow",
        "",
        "cd \"$1\"; echo begun >&2; until [ -e go ]; do sleep 0.02; done; echo first",
    );
    shop.shell_tool("my/quick", "", "echo second");
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let call = |id: &Value, item: &str| {
        let params = json!({ "name": "execute", "arguments": { "item_id": item } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    for id in [json!(70), json!("seventy")] {
        let _ = std::fs::remove_file(shop.space.path("project/go"));
        peer.send(&call(&id, "my/slow"));
        for second in [call(&id, "my/quick"), json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })] {
            peer.send(&second);
            let refused = peer.receive();
            assert_eq!((&refused["id"], &refused["error"]["code"]), (&id, &json!(-32600)), "{refused}");
            let message = format!("the id {id} is in use: another request has it, and is not answered yet");
            assert_eq!(refused["error"]["message"], message);
        }
        shop.space.write("project/go", "");
        let first = peer.receive();
        assert_eq!(
            (&first["id"], &first["result"]["structuredContent"]["data"]),
            (&id, &json!("first\n")),
            "{first}"
        );
        // What is answered has no id any more.
        peer.send(&call(&id, "my/quick"));
        assert_eq!(peer.receive()["result"]["structuredContent"]["data"], "second\n");
    }
}

#[test]
fn the_id_of_a_cancelled_request_is_free_when_nobody_works_on_it() {
    let shop = Workshop::new();
    shop.shell_tool(
        "my/slow",
        "",
        "echo begun >&2; trap 'sleep 0.3; exit 1' TERM; while :; do sleep 0.01; done",
    );
    shop.shell_tool("my/quick", "", "echo second");
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let call = |item: &str| {
        let params = json!({ "name": "execute", "arguments": { "item_id": item } });
        json!({ "jsonrpc": "2.0", "id": 70, "method": "tools/call", "params": params })
    };
    let cancelled =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 70 } });
    // A plain call does not pass through the library, and nothing can be taken for its answer.
    peer.send(&call("my/slow"));
    std::thread::sleep(Duration::from_millis(300));
    peer.send(&cancelled);
    peer.send(&call("my/quick"));
    let answer = peer.receive();
    assert_eq!(answer["result"]["structuredContent"]["data"], "second\n", "{answer}");
    // One that wants to hear of progress does.
    let mut slow = call("my/slow");
    slow["params"]["_meta"] = json!({ "progressToken": "here" });
    peer.send(&slow);
    assert_eq!(peer.receive()["params"]["message"], "begun");
    peer.send(&cancelled);
    peer.send(&call("my/quick"));
    let refused = peer.receive();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(70), &json!(-32600)), "{refused}");
    let answer = eventually("an answer", || {
        peer.send(&call("my/quick"));
        Some(peer.receive()).filter(|answer| answer.get("error").is_none())
    });
    assert_eq!(answer["result"]["structuredContent"]["data"], "second\n", "{answer}");
}

#[test]
fn a_line_before_the_end_needs_no_line_feed() {
    let shop = Workshop::new();
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let mut stdin = peer.take_stdin();
    std::io::Write::write_all(&mut stdin, br#"{"jsonrpc": "2.0", "id": "last", "method": "ping"}"#).unwrap();
    drop(stdin);
    assert_eq!(peer.receive(), json!({ "jsonrpc": "2.0", "id": "last", "result": {} }));
    assert_eq!(peer.exit_code(), Some(0));
}

#[test]
fn wrong_arguments_are_told_as_results() {
    let shop = Workshop::new();
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    for (tool, arguments) in [
        ("search", json!({})),
        ("search", json!({ "query": 1 })),
        ("search", json!({ "query": "", "limit": 0 })),
        ("search", json!({ "query": "", "limit": -1 })),
        ("search", json!({ "query": "", "querry": "" })),
        ("load", json!({ "item_id": "x", "item_type": "thing" })),
        ("execute", json!({ "item_id": "x", "timeout": 0 })),
        ("execute", json!({ "item_id": "x", "parameters": [] })),
        ("execute", json!({ "item_id": "not a run", "action": "status" })),
        ("sign", json!({ "item_id": "x", "space": "system" })),
        ("help", json!({ "topic": ["x"] })),
    ] {
        let refused = peer.call(tool, &arguments);
        assert_eq!(refused["structuredContent"]["error"]["code"], "PARAMS_INVALID", "{tool} {arguments}");
        assert_eq!(refused["isError"], true);
    }
    let twice = r#"{"item_id": "a", "item_id": "b"}"#;
    peer.send_text(&format!(
        r#"{{"jsonrpc":"2.0","id":"twice","method":"tools/call","params":{{"name":"execute","arguments":{twice}}}}}"#
    ));
    assert_eq!(peer.receive()["result"]["structuredContent"]["error"]["code"], "PARAMS_INVALID");
}

#[test]
fn a_message_that_is_too_long_is_passed_over() {
    let shop = Workshop::new();
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let long = "x".repeat(20 * 1024 * 1024);
    peer.send_text(&format!(r#"{{"jsonrpc":"2.0","id":9,"method":"ping","params":{{"x":"{long}"}}}}"#));
    assert_eq!(peer.receive()["error"]["message"], "a message may have 16777216 bytes");
    assert_eq!(peer.request("ping", &json!({}))["result"], json!({}));
}

#[test]
fn whoever_does_not_say_hello_is_told_to() {
    let shop = Workshop::new();
    let mut peer = StdioPeer::start(&shop.space.rye(["mcp", "serve"]));
    peer.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    peer.send(&json!({ "jsonrpc": "2.0", "id": 7, "result": {} }));
    let early = peer.request("tools/list", &json!({}));
    assert_eq!(early["error"]["code"], -32602, "{early}");
    let hello = peer.request("initialize", &super::hello(&json!({})));
    assert_eq!(hello["result"]["serverInfo"]["name"], "rye");
}

#[test]
fn a_client_that_does_not_read_does_not_stop_the_server() {
    let shop = Workshop::new();
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    // Far more than fits into the pipe.
    let ids: Vec<u64> = (0..200).map(|_| peer.begin("tools/list", &json!({}))).collect();
    std::thread::sleep(Duration::from_millis(200));
    let mut answered: Vec<Value> = Vec::new();
    while answered.len() < ids.len() {
        answered.push(peer.receive()["id"].clone());
    }
    answered.sort_by_key(Value::as_u64);
    assert_eq!(answered, ids.iter().map(|id| json!(id)).collect::<Vec<_>>());
}

#[test]
fn what_is_no_message_is_answered_however_late_the_client_reads() {
    let shop = Workshop::new();
    shop.shell_tool("my/nap", "", "sleep 2");
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    // More than fits into the pipe, so whatever comes now has to wait.
    for _ in 0..30 {
        peer.begin("tools/list", &json!({}));
    }
    // An answer that is made while the refusal waits.
    let nap = peer.begin("tools/call", &json!({ "name": "execute", "arguments": { "item_id": "my/nap" } }));
    std::thread::sleep(Duration::from_millis(500));
    peer.send_text(r#"{"jsonrpc":"2.0","id":"bad","method":5}"#);
    std::thread::sleep(Duration::from_secs(3));
    assert!(peer.answer(nap).get("result").is_some());
    let ping = peer.begin("ping", &json!({}));
    peer.answer(ping);
    let refused = peer.others.iter().find(|message| message["id"] == "bad");
    assert_eq!(refused.map(|refused| &refused["error"]["code"]), Some(&json!(-32600)), "{refused:?}");
}

#[test]
fn what_is_no_message_is_answered_before_the_server_ends() {
    let shop = Workshop::new();
    let mut peer = StdioPeer::start(&shop.space.rye(["mcp", "serve"]));
    peer.send_text("nonsense");
    peer.hang_up();
    assert_eq!(peer.receive()["error"]["code"], -32700);
    assert_eq!(peer.exit_code(), Some(0));
}
