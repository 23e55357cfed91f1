//! The newer protocol: no hello, no session, every request says who it is from.

use serde_json::{Value, json};

use super::stateless_meta;
use super::stdio_peer::StdioPeer;
use crate::workshop::{Workshop, eventually};

fn request(peer: &mut StdioPeer, method: &str, mut params: Value, capabilities: &Value) -> Value {
    params["_meta"] = stateless_meta(capabilities);
    peer.request(method, &params)
}

#[test]
fn every_request_stands_for_itself() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "echo hello");
    let mut peer = StdioPeer::start(&shop.space.rye(["mcp", "serve"]));
    let none = json!({});
    let discovered = request(&mut peer, "server/discover", json!({}), &none)["result"].clone();
    let versions = discovered["supportedVersions"].as_array().unwrap();
    for version in ["2025-11-25", "2026-07-28"] {
        assert!(versions.contains(&json!(version)), "{discovered}");
    }
    let list = request(&mut peer, "tools/list", json!({}), &none)["result"].clone();
    assert_eq!(list["tools"].to_string(), rye_mcp::server::tool_list());
    assert_eq!(list["resultType"], "complete");
    let call = json!({ "name": "execute", "arguments": { "item_id": "my/tool" } });
    let done = request(&mut peer, "tools/call", call, &none)["result"].clone();
    assert_eq!(done["structuredContent"]["data"], "hello\n");
    let bare = peer.request("tools/list", &json!({}));
    assert_eq!(bare["error"]["code"], -32602, "{bare}");
}

#[test]
fn a_question_is_an_answer_and_the_call_comes_again() {
    let shop = Workshop::new();
    shop.shell_tool("my/danger", "# annotations: {destructive: true}\n", "echo gone");
    let mut peer = StdioPeer::start(&shop.space.rye(["mcp", "serve"]));
    let can_ask = json!({ "elicitation": { "form": {} } });
    let call = || json!({ "name": "execute", "arguments": { "item_id": "my/danger" } });
    let asked = request(&mut peer, "tools/call", call(), &can_ask)["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["consent"];
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["message"], "`my/danger` may destroy something. Run it?");
    let again = |peer: &mut StdioPeer, state: &Value, arguments: Value, answer: Value| {
        let mut call = json!({ "name": "execute", "arguments": arguments });
        call["requestState"] = state.clone();
        call["inputResponses"] = json!({ "consent": answer });
        request(peer, "tools/call", call, &can_ask)["result"].clone()
    };
    let (state, yes) = (&asked["requestState"], json!({ "action": "accept", "content": { "agree": true } }));
    // An answer counts for the call that it was about, and for no other.
    let other = json!({ "item_id": "my/danger", "parameters": { "more": 1 } });
    let refused = again(&mut peer, state, other, yes.clone());
    assert_eq!(refused["structuredContent"]["error"]["code"], "PERMISSION_DENIED", "{refused}");
    let done = again(&mut peer, state, json!({ "item_id": "my/danger" }), yes.clone());
    assert_eq!(done["structuredContent"]["data"], "gone\n", "{done}");
    // And it counts once.
    let refused = again(&mut peer, state, json!({ "item_id": "my/danger" }), yes);
    assert_eq!(refused["structuredContent"]["error"]["code"], "PERMISSION_DENIED", "{refused}");
    let asked = request(&mut peer, "tools/call", call(), &can_ask)["result"].clone();
    let no = json!({ "action": "decline" });
    let refused = again(&mut peer, &asked["requestState"], json!({ "item_id": "my/danger" }), no);
    assert_eq!(refused["structuredContent"]["error"]["code"], "PERMISSION_DENIED", "{refused}");
}

#[test]
fn an_answer_is_for_what_was_shown() {
    let shop = Workshop::new();
    shop.shell_tool("my/signed", "", "echo signed");
    let head =
        "version: \"1.0.0\"\ntool_type: script\nexecutor_id: rye/core/runtimes/bash/bash\nentry: words\n";
    shop.space.write("project/.ai/tools/my/unit.yaml", head);
    shop.space.write("project/.ai/tools/my/words", "echo words\n");
    let mut peer = StdioPeer::start(&shop.space.rye(["mcp", "serve"]));
    let can_ask = json!({ "elicitation": { "form": {} } });
    let mut call = |answer: Option<(&Value, Value)>| {
        let mut call = json!({ "name": "sign", "arguments": { "item_id": "my/unit" } });
        if let Some((state, answer)) = answer {
            call["requestState"] = state.clone();
            call["inputResponses"] = json!({ "consent": answer });
        }
        request(&mut peer, "tools/call", call, &can_ask)["result"].clone()
    };
    let yes = || json!({ "action": "accept", "content": { "agree": true } });
    let asked = call(None);
    assert_eq!(
        asked["inputRequests"]["consent"]["params"]["message"],
        "Sign `my/unit` with your key, so that it can run? Along with that: 1 other file (`my/words`)."
    );
    shop.space.write("project/.ai/tools/my/words", "echo changed\n");
    let refused = call(Some((&asked["requestState"], yes())));
    let error = &refused["structuredContent"]["error"];
    assert_eq!(error["code"], "PERMISSION_DENIED", "{refused}");
    assert_eq!(
        error["message"],
        "signing `my/unit` needs consent: what was asked about has changed since; call again to have it asked again"
    );
    assert_eq!(shop.space.read("project/.ai/tools/my/unit.yaml"), head);
    let asked = call(None);
    let signed = call(Some((&asked["requestState"], yes())));
    assert_eq!(signed["structuredContent"]["items"][0]["result"], "signed", "{signed}");
}

#[test]
fn what_a_copy_would_replace_is_asked_in_an_answer() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "echo new");
    shop.space.write("home/.ai/tools/my/tool.sh", "echo old\n");
    let mut peer = StdioPeer::start(&shop.space.rye(["mcp", "serve"]));
    let can_ask = json!({ "elicitation": { "form": {} } });
    let arguments = json!({ "item_id": "my/tool", "destination": "user", "overwrite": true });
    let mut call = json!({ "name": "load", "arguments": arguments });
    let asked = request(&mut peer, "tools/call", call.clone(), &can_ask)["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert_eq!(shop.space.read("home/.ai/tools/my/tool.sh"), "echo old\n");
    call["requestState"] = asked["requestState"].clone();
    call["inputResponses"] = json!({ "consent": { "action": "accept", "content": { "agree": true } } });
    let copied = request(&mut peer, "tools/call", call, &can_ask)["result"].clone();
    assert_eq!(copied["structuredContent"]["status"], "success", "{copied}");
    assert!(shop.space.read("home/.ai/tools/my/tool.sh").contains("echo new"));
}

#[test]
fn a_run_that_takes_long_is_a_task_for_whoever_knows_tasks() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "cd \"$1\"; until [ -e go ]; do sleep 0.02; done; echo done");
    let mut peer = StdioPeer::start(&shop.space.rye(["mcp", "serve", "--inline-wait", "0.2"]));
    let knows = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let call = || json!({ "name": "execute", "arguments": { "item_id": "my/tool" } });
    let task = request(&mut peer, "tools/call", call(), &knows)["result"].clone();
    assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")), "{task}");
    let get = |peer: &mut StdioPeer, id: &Value| {
        request(peer, "tasks/get", json!({ "taskId": id }), &knows)["result"].clone()
    };
    assert_eq!(get(&mut peer, &task["taskId"])["status"], "working");
    let other = request(&mut peer, "tools/call", call(), &knows)["result"]["taskId"].clone();
    request(&mut peer, "tasks/cancel", json!({ "taskId": other }), &knows);
    eventually("the end of the other", || (get(&mut peer, &other)["status"] == "cancelled").then_some(()));
    shop.space.write("project/go", "");
    let done = eventually("the end", || {
        Some(get(&mut peer, &task["taskId"])).filter(|task| task["status"] == "completed")
    });
    assert_eq!(done["result"]["structuredContent"]["data"], "done\n", "{done}");
    let missing = request(&mut peer, "tasks/get", json!({ "taskId": "none" }), &knows);
    assert_eq!(missing["error"]["code"], -32602, "{missing}");
    let unknown = request(&mut peer, "tasks/get", json!({ "taskId": task["taskId"] }), &json!({}));
    assert_eq!(unknown["error"]["code"], -32021, "{unknown}");
}

#[test]
fn a_task_that_nobody_was_asked_about_in_time_ends() {
    let shop = Workshop::new();
    let serve = super::consent::slow_danger(&shop);
    let mut peer = StdioPeer::start(&serve);
    let knows =
        json!({ "elicitation": { "form": {} }, "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let call = json!({ "name": "execute", "arguments": { "item_id": "my/danger" } });
    let task = request(&mut peer, "tools/call", call, &knows)["result"].clone();
    assert_eq!(task["resultType"], "task", "{task}");
    let ended = eventually("its end", || {
        let get = json!({ "taskId": task["taskId"] });
        let task = request(&mut peer, "tasks/get", get, &knows)["result"].clone();
        Some(task).filter(|task| task["status"] == "completed")
    });
    let error = &ended["result"]["structuredContent"]["error"];
    assert_eq!(error["code"], "PERMISSION_DENIED", "{ended}");
}
