//! What the operator has to agree to.

use serde_json::{Value, json};

use super::stdio_peer::StdioPeer;
use crate::workshop::Workshop;

/// A project with a signed tool that may destroy something, and one that is not signed.
fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.shell_tool("my/danger", "# annotations: {destructive: true}\n", "echo gone");
    let head = "# version: 1.0.0\n# tool_type: script\n# executor_id: rye/core/runtimes/bash/bash\n";
    shop.space.write("project/.ai/tools/my/fresh.sh", format!("{head}echo fresh\n"));
    shop
}

fn policy(shop: &Workshop, text: &str) {
    shop.space.write("home/.ai/mcp-policy.yaml", text);
}

fn code(result: &Value) -> &Value {
    &result["structuredContent"]["error"]["code"]
}

#[test]
fn without_anybody_to_ask_it_is_refused_with_the_command() {
    let shop = shop();
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let refused = peer.call("sign", &json!({ "item_id": "my/fresh" }));
    let error = &refused["structuredContent"]["error"];
    assert_eq!(error["code"], "PERMISSION_DENIED", "{refused}");
    assert_eq!(
        error["message"],
        "signing `my/fresh` needs consent: the operator has to be asked, and this client cannot do that"
    );
    assert_eq!(
        error["hint"],
        "ask the operator to run `rye sign 'my/fresh'`, or to say `sign: allow` in `mcp-policy.yaml` of the user space"
    );
    assert_eq!(code(&peer.call("execute", &json!({ "item_id": "my/fresh" }))), "UNSIGNED");
    let danger = peer.call("execute", &json!({ "item_id": "my/danger" }));
    assert_eq!(code(&danger), "PERMISSION_DENIED", "{danger}");
    let planned = peer.call("execute", &json!({ "item_id": "my/danger", "dry_run": true }));
    assert_eq!(planned["structuredContent"]["status"], "planned");
}

#[test]
fn the_policy_decides_and_a_change_counts_at_once() {
    let shop = shop();
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    policy(&shop, "sign: allow\ndestructive: allow\n");
    let signed = peer.call("sign", &json!({ "item_id": "my/fresh" }));
    assert_eq!(signed["structuredContent"]["items"][0]["result"], "signed", "{signed}");
    let done = peer.call("execute", &json!({ "item_id": "my/fresh" }));
    assert_eq!(done["structuredContent"]["data"], "fresh\n");
    let done = peer.call("execute", &json!({ "item_id": "my/danger" }));
    assert_eq!(done["structuredContent"]["data"], "gone\n");
    policy(&shop, "sign: refuse\n");
    assert_eq!(code(&peer.call("sign", &json!({ "item_id": "my/fresh" }))), "PERMISSION_DENIED");
    policy(&shop, "sign: [nonsense\n");
    assert_eq!(code(&peer.call("sign", &json!({ "item_id": "my/fresh" }))), "PERMISSION_DENIED");
}

#[test]
fn whoever_is_at_the_client_is_asked() {
    let shop = shop();
    let serve = shop.space.rye(["mcp", "serve"]);
    let mut peer = StdioPeer::with_capabilities(&serve, &json!({ "elicitation": {} }));
    let mut ask = |answer: Value| {
        let call = json!({ "name": "sign", "arguments": { "item_id": "my/fresh" } });
        let id = peer.begin("tools/call", &call);
        let question = peer.receive();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        assert_eq!(question["params"]["message"], "Sign `my/fresh` with your key, so that it can run?");
        peer.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }));
        peer.answer(id)["result"].clone()
    };
    for answer in [
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
        json!({ "action": "accept", "content": { "agree": false } }),
        json!({ "action": "accept" }),
    ] {
        assert_eq!(*code(&ask(answer.clone())), "PERMISSION_DENIED", "{answer}");
    }
    let signed = ask(json!({ "action": "accept", "content": { "agree": true } }));
    assert_eq!(signed["structuredContent"]["items"][0]["result"], "signed", "{signed}");
}

#[test]
fn a_key_that_does_not_count_is_told_before_anybody_is_asked() {
    let shop = Workshop::new();
    shop.space.write("project/.ai/tools/my/fresh.sh", "# version: 1.0.0\necho fresh\n");
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    assert_eq!(*code(&peer.call("sign", &json!({ "item_id": "my/fresh" }))), "KEYS_UNUSABLE");
}
