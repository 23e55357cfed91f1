//! While much is to be done for one call, everything else is answered at once.

use std::time::Duration;

use serde_json::{Value, json};

use super::stdio_peer::StdioPeer;
use crate::workshop::{Workshop, eventually};

/// Far more items than a search can look at in the time that a message takes.
const ITEMS: usize = 10_000;

#[test]
fn while_a_search_looks_at_very_many_items() {
    let shop = Workshop::new();
    let text = "---\nversion: \"1.0.0\"\ndescription: One of many\n---\n";
    for folder in 0..100 {
        shop.space.folder(&format!("project/.ai/knowledge/many/{folder}"));
    }
    let many = shop.space.path("project/.ai/knowledge/many");
    for number in 0..ITEMS {
        let path = many.join(format!("{}/k{number}.md", number % 100));
        std::fs::write(path, format!("{text}Number {number}.\n")).unwrap();
    }
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let search = json!({ "name": "search", "arguments": { "query": "many", "item_type": "knowledge" } });
    let searching = peer.begin("tools/call", &search);
    let others: Vec<u64> = ["ping", "tools/list", "resources/templates/list"]
        .into_iter()
        .chain(["ping"; 20])
        .map(|method| peer.begin(method, &json!({})))
        .collect();
    for id in others {
        assert!(peer.answer(id).get("result").is_some());
    }
    assert!(peer.others.iter().all(|message| message["id"] != searching), "it was faster than all of them");
    let found = peer.answer(searching);
    let total = found["result"]["structuredContent"]["total"].as_u64().unwrap();
    assert!(total >= ITEMS as u64, "{found}");
}

/// Far fewer open files than many calls at once would have.
const OPEN_FILES: u32 = 128;

fn execute(arguments: &Value) -> Value {
    json!({ "name": "execute", "arguments": arguments })
}

#[test]
fn calls_wait_for_each_other_when_descriptors_are_few() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "echo done");
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]).open_files(OPEN_FILES));
    let search = json!({ "name": "search", "arguments": { "query": "tool" } });
    let load = json!({ "name": "load", "arguments": { "item_type": "tool", "item_id": "my/tool" } });
    let plan = execute(&json!({ "item_id": "my/tool", "dry_run": true }));
    let begin = execute(&json!({ "item_id": "my/tool", "async": true }));
    for (call, count, expect) in [
        (execute(&json!({ "item_id": "my/tool" })), 60, "success"),
        (search, 200, "success"),
        (load, 200, "success"),
        (plan, 200, "planned"),
        (begin, 20, "running"),
    ] {
        let calls: Vec<u64> = (0..count).map(|_| peer.begin("tools/call", &call)).collect();
        for id in calls {
            let answer = peer.answer(id);
            assert_eq!(answer["result"]["structuredContent"]["status"], expect, "{answer}");
        }
    }
    let run =
        peer.call("execute", &json!({ "item_id": "my/tool", "async": true }))["structuredContent"]["run_id"]
            .clone();
    let wait = execute(&json!({ "item_id": run, "action": "wait" }));
    let waits: Vec<u64> = (0..100).map(|_| peer.begin("tools/call", &wait)).collect();
    for id in waits {
        let answer = peer.answer(id);
        assert_eq!(answer["result"]["structuredContent"]["data"], "done\n", "{answer}");
    }
}

#[test]
fn a_run_that_waits_for_its_place_can_be_asked_for_and_given_up() {
    let shop = Workshop::new();
    let script = "cd \"$1\"; echo on >>started; until [ -e go ]; do sleep 0.02; done; echo done";
    shop.shell_tool("my/tool", "", script);
    shop.shell_tool("my/quick", "", "echo quick");
    let serve = shop.space.rye(["mcp", "serve", "--inline-wait", "0.3"]).open_files(OPEN_FILES);
    let mut peer = StdioPeer::connect(&serve);
    let state = |peer: &mut StdioPeer, run: &Value, action: &str| {
        peer.call("execute", &json!({ "item_id": run, "action": action }))["structuredContent"].clone()
    };
    let calls: Vec<u64> =
        (0..12).map(|_| peer.begin("tools/call", &execute(&json!({ "item_id": "my/tool" })))).collect();
    // What has a limit of time has it from the moment on that it runs.
    let quick = peer.begin("tools/call", &execute(&json!({ "item_id": "my/quick", "timeout": 1 })));
    let given_up = peer.begin("tools/call", &execute(&json!({ "item_id": "my/tool" })));
    let cancelled = json!({ "requestId": given_up });
    peer.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }));
    // None of these waits.
    for method in ["ping", "tools/list", "resources/list"] {
        assert!(peer.request(method, &json!({})).get("result").is_some());
    }
    for (name, arguments) in [("help", json!({ "topic": "mcp" })), ("search", json!({ "query": "tool" }))] {
        assert_eq!(peer.call(name, &arguments)["structuredContent"]["status"], "success");
    }
    let outside = peer.call("execute", &json!({ "item_id": "my/quick", "async": true }));
    let outside = &outside["structuredContent"]["run_id"];
    let ended = eventually("its end", || {
        Some(state(&mut peer, outside, "wait")).filter(|ended| ended["status"] == "success")
    });
    assert_eq!(ended["data"], "quick\n", "{ended}");
    let mut runs: Vec<Value> = calls.into_iter().chain([quick]).map(|id| peer.answer(id)).collect();
    for run in &mut runs {
        assert_eq!(run["result"]["structuredContent"]["status"], "running", "{run}");
        *run = run["result"]["structuredContent"]["run_id"].take();
    }
    let quick = runs.pop().unwrap();
    let last = runs.pop().unwrap();
    assert_eq!(state(&mut peer, &last, "status")["status"], "running");
    let ended = state(&mut peer, &last, "cancel");
    assert_eq!(ended["data"], json!({ "was_running": true, "state": "cancelled" }), "{ended}");
    std::thread::sleep(Duration::from_millis(1200));
    assert!(shop.wait_for_file("project/started").lines().count() < runs.len());
    shop.space.write("project/go", "");
    for run in &runs {
        let done = eventually("its end", || {
            Some(state(&mut peer, run, "wait")).filter(|done| done["status"] != "running")
        });
        assert_eq!(done["data"], "done\n", "{done}");
    }
    assert_eq!(state(&mut peer, &quick, "wait")["data"], "quick\n");
    assert_eq!(shop.space.read("project/started").lines().count(), runs.len());
    assert!(peer.others.iter().all(|message| message["id"] != given_up), "{:?}", peer.others);
}
