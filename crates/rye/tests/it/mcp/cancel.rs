//! Calls that are given up, and servers that end: nothing that they started is left.

use std::time::Duration;

use serde_json::json;

use super::stdio_peer::StdioPeer;
use crate::workshop::{Workshop, eventually, own_time, processes_with};

/// A tool that sleeps, and whose process tells which it is.
fn sleeper(shop: &Workshop) -> String {
    let time = own_time();
    let script = format!("echo asleep >&2\nsetsid sleep {time} &\nsleep {time}");
    shop.shell_tool("my/sleeper", "", &script);
    time
}

/// A server that runs the sleeper, and the id of the call.
fn asleep(shop: &Workshop, time: &str) -> (StdioPeer, u64) {
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let params = json!({
        "name": "execute",
        "arguments": { "item_id": "my/sleeper" },
        "_meta": { "progressToken": "here" },
    });
    let id = peer.begin("tools/call", &params);
    let progress = peer.receive();
    assert_eq!(progress["method"], "notifications/progress");
    assert_eq!(progress["params"]["progressToken"], "here");
    assert_eq!(progress["params"]["message"], "asleep");
    eventually("its processes", || (processes_with(time).len() >= 2).then_some(()));
    (peer, id)
}

fn expect_nothing_left(time: &str) {
    eventually("the end of its processes", || processes_with(time).is_empty().then_some(()));
}

#[test]
fn a_cancelled_call_ends_its_run_and_nothing_else() {
    let shop = Workshop::new();
    let time = sleeper(&shop);
    let (mut peer, id) = asleep(&shop, &time);
    // While it sleeps, everything else is answered.
    assert_eq!(peer.request("ping", &json!({}))["result"], json!({}));
    peer.send(&json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": { "requestId": id, "reason": "enough" },
    }));
    expect_nothing_left(&time);
    assert_eq!(peer.request("ping", &json!({}))["result"], json!({}));
    assert!(peer.others.iter().all(|message| message["id"] != id), "{:?}", peer.others);
    eventually("its record", || {
        let runs = shop.runs([]).json();
        (runs["runs"][0]["state"] == "cancelled").then_some(())
    });
}

#[test]
fn a_plain_call_that_is_cancelled_has_no_answer() {
    let shop = Workshop::new();
    let time = sleeper(&shop);
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let id =
        peer.begin("tools/call", &json!({ "name": "execute", "arguments": { "item_id": "my/sleeper" } }));
    eventually("its processes", || (processes_with(&time).len() >= 2).then_some(()));
    let params = json!({ "requestId": id });
    peer.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    expect_nothing_left(&time);
    assert_eq!(peer.request("ping", &json!({}))["result"], json!({}));
    assert!(peer.others.iter().all(|message| message["id"] != id), "{:?}", peer.others);
    eventually("its record", || (shop.runs([]).json()["runs"][0]["state"] == "cancelled").then_some(()));
}

#[test]
fn a_second_request_with_its_id_does_not_keep_a_call_from_being_cancelled() {
    let shop = Workshop::new();
    let time = sleeper(&shop);
    let (mut peer, id) = asleep(&shop, &time);
    let ping = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    peer.send(&ping);
    assert_eq!(peer.receive()["error"]["code"], -32600);
    assert!(!processes_with(&time).is_empty());
    let params = json!({ "requestId": id });
    peer.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    expect_nothing_left(&time);
    // What a call that ends says last may still come, and then takes the place of an answer.
    eventually("the id to be free", || {
        peer.send(&ping);
        (peer.receive()["result"] == json!({})).then_some(())
    });
}

#[test]
fn a_client_that_hangs_up_ends_its_calls() {
    let shop = Workshop::new();
    let time = sleeper(&shop);
    let (mut peer, _) = asleep(&shop, &time);
    peer.hang_up();
    expect_nothing_left(&time);
    assert_eq!(peer.exit_code(), Some(0));
}

#[test]
fn a_server_that_is_told_to_end_leaves_nothing() {
    let shop = Workshop::new();
    let time = sleeper(&shop);
    let (mut peer, _) = asleep(&shop, &time);
    let pid = rustix::process::Pid::from_raw(i32::try_from(peer.pid()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    expect_nothing_left(&time);
    assert_eq!(peer.exit_code(), Some(0));
}

#[test]
fn a_server_that_is_killed_leaves_nothing() {
    let shop = Workshop::new();
    let time = sleeper(&shop);
    let (mut peer, _) = asleep(&shop, &time);
    peer.kill();
    expect_nothing_left(&time);
}

#[test]
fn a_run_of_its_own_outlives_its_server() {
    let shop = Workshop::new();
    let script = "cd \"$1\"; echo on >started; until [ -e go ]; do sleep 0.02; done; echo done";
    shop.shell_tool("my/tool", "", script);
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let begun = peer.call("execute", &json!({ "item_id": "my/tool", "async": true }));
    let id = begun["structuredContent"]["run_id"].as_str().unwrap().to_owned();
    shop.wait_for_file("project/started");
    peer.hang_up();
    assert_eq!(peer.exit_code(), Some(0));
    std::thread::sleep(Duration::from_millis(50));
    shop.space.write("project/go", "");
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let ended = peer.call("execute", &json!({ "item_id": id, "action": "wait" }));
    assert_eq!(ended["structuredContent"]["data"], "done\n", "{ended}");
}
