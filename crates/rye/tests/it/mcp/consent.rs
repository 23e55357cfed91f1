//! What the operator has to agree to.

use serde_json::{Value, json};

use super::stdio_peer::StdioPeer;
use crate::space::Call;
use crate::workshop::{Workshop, eventually};

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
        "ask the operator to run `rye sign my/fresh`, or to say `sign: allow` in `mcp-policy.yaml` of the user space"
    );
    assert_eq!(code(&peer.call("execute", &json!({ "item_id": "my/fresh" }))), "UNSIGNED");
    let danger = peer.call("execute", &json!({ "item_id": "my/danger" }));
    assert_eq!(code(&danger), "PERMISSION_DENIED", "{danger}");
    let project = shop.space.path("project");
    let params = json!({ "item_id": "my/danger", "parameters": { "a": "it's" }, "project_path": project });
    let danger = peer.call("execute", &params);
    let command =
        format!(r#"rye execute my/danger --project {} --params "{{\"a\":\"it's\"}}""#, project.display());
    let hint = danger["structuredContent"]["error"]["hint"].as_str().unwrap();
    assert!(hint.starts_with(&format!("ask the operator to run `{command}`")), "{hint}");
    let planned = peer.call("execute", &json!({ "item_id": "my/danger", "dry_run": true }));
    assert_eq!(planned["structuredContent"]["status"], "planned");
}

/// A call that turns out to need consent goes to whoever can ask, although nothing more comes in, and another run goes on.
#[test]
fn what_is_refused_after_the_end_of_the_input_is_told() {
    let shop = shop();
    shop.shell_tool("my/slow", "", "sleep 30");
    shop.shell_tool("my/long", "", "seq 3000");
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let begin = |peer: &mut StdioPeer, item: &str| {
        peer.begin("tools/call", &json!({ "name": "execute", "arguments": { "item_id": item } }))
    };
    begin(&mut peer, "my/slow");
    let [danger, long] = ["my/danger", "my/long"].map(|item| begin(&mut peer, item));
    drop(peer.take_stdin());
    let mut answers = [peer.receive(), peer.receive()];
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(answers[0]["id"], danger, "{answers:?}");
    assert_eq!(code(&answers[0]["result"]), "PERMISSION_DENIED", "{answers:?}");
    assert_eq!(answers[1]["id"], long, "{answers:?}");
    assert_eq!(answers[1]["result"]["structuredContent"]["status"], "success", "{answers:?}");
}

/// A graph that names an item, as a text or by a template.
fn graph(shop: &Workshop, id: &str, more: &str, item_id: &str) {
    shop.signed(
        id,
        "yaml",
        &format!(
            "version: \"1.0.0\"\ntool_type: graph\nexecutor_id: rye/core/runtimes/state-graph/runtime\ndescription: x\n{more}\
            permissions: {{execute: ['my/*']}}\nconfig:\n  start: one\n  nodes:\n    \
            one: {{action: {{item_id: {item_id}}}, next: end}}\n    end: {{type: return, output: done}}\n"
        ),
    );
}

#[test]
fn a_graph_may_destroy_what_its_steps_may() {
    let shop = shop();
    shop.shell_tool("my/calm", "", "echo calm");
    graph(&shop, "my/graph", "", "my/danger");
    graph(&shop, "my/around", "", "my/graph");
    graph(&shop, "my/open", "", "'${inputs.id}'");
    graph(&shop, "my/vouched", "annotations: {destructive: false}\n", "'${inputs.id}'");
    graph(&shop, "my/harmless", "annotations: {destructive: false}\n", "my/calm");
    graph(&shop, "my/lying", "annotations: {destructive: false}\n", "my/danger");
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let mut run =
        |id: &str| peer.call("execute", &json!({ "item_id": id, "parameters": { "id": "my/calm" } }));
    for id in ["my/graph", "my/around", "my/open", "my/lying"] {
        let refused = run(id);
        assert_eq!(code(&refused), "PERMISSION_DENIED", "{id}: {refused}");
    }
    for id in ["my/vouched", "my/harmless"] {
        let done = run(id);
        assert_eq!(done["structuredContent"]["data"], "done", "{id}: {done}");
    }
    policy(&shop, "destructive: allow\n");
    let done = peer.call("execute", &json!({ "item_id": "my/around" }));
    assert_eq!(done["structuredContent"]["data"], "done", "{done}");
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
fn consent_is_for_what_was_shown() {
    let shop = shop();
    let tool = |name: &str, text: &str| {
        let head = "# version: 1.0.0\n# tool_type: script\n# executor_id: rye/core/runtimes/bash/bash\n";
        shop.space.write(&format!("project/.ai/tools/my/{name}.sh"), format!("{head}{text}\n"));
    };
    tool("other", "echo other");
    let serve = shop.space.rye(["mcp", "serve"]);
    let mut peer = StdioPeer::with_capabilities(&serve, &json!({ "elicitation": {} }));
    let mut ask = |message: &str, meanwhile: &dyn Fn()| {
        let call = json!({ "name": "sign", "arguments": { "item_id": "my/**", "item_type": "tool" } });
        let id = peer.begin("tools/call", &call);
        let question = peer.receive();
        assert_eq!(question["params"]["message"], message, "{question}");
        meanwhile();
        let yes = json!({ "action": "accept", "content": { "agree": true } });
        peer.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes }));
        peer.answer(id)["result"]["structuredContent"].clone()
    };
    let refused = ask(
        "Sign `my/**` with your key, so that it can run? To be signed: 2 items (`tool:my/fresh`, `tool:my/other`).",
        &|| {
            tool("fresh", "echo changed");
            tool("added", "echo added");
        },
    );
    assert_eq!(refused["error"]["code"], "PERMISSION_DENIED", "{refused}");
    assert_eq!(
        refused["error"]["message"],
        "something has changed since the operator was asked, and was not signed"
    );
    let results: Vec<_> = refused["items"].as_array().unwrap().iter().map(|item| &item["result"]).collect();
    assert_eq!(results, ["refused", "refused", "unchanged", "signed"], "{refused}");
    assert_eq!(refused["items"][0]["reason"], "`my/added.sh` is not what was shown");
    assert!(!shop.space.read("project/.ai/tools/my/fresh.sh").contains("rye:signed"));
    let signed = ask(
        "Sign `my/**` with your key, so that it can run? To be signed: 2 items (`tool:my/added`, `tool:my/fresh`).",
        &|| {},
    );
    assert_eq!(signed["status"], "success", "{signed}");
    assert!(shop.space.read("project/.ai/tools/my/fresh.sh").contains("rye:signed"));
}

/// A project and a user with a tool of the same id.
fn two_of_one_id() -> Workshop {
    let shop = shop();
    shop.space.write("home/.ai/tools/my/danger.sh", USERS);
    shop
}

const USERS: &str = "# version: 1.0.0\n# tool_type: script\necho the user's own\n";

#[test]
fn a_copy_that_replaces_nothing_needs_no_consent() {
    let shop = two_of_one_id();
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let copy =
        |id: &str, overwrite: bool| json!({ "item_id": id, "destination": "user", "overwrite": overwrite });
    for overwrite in [true, false] {
        let id = if overwrite { "my/fresh" } else { "rye/file/read" };
        let copied = peer.call("load", &copy(id, overwrite));
        assert_eq!(copied["structuredContent"]["status"], "success", "{copied}");
    }
    let taken = peer.call("load", &copy("my/danger", false));
    assert_eq!(*code(&taken), "ALREADY_EXISTS", "{taken}");
    assert_eq!(shop.space.read("home/.ai/tools/my/danger.sh"), USERS);
}

#[test]
fn a_copy_that_replaces_a_file_follows_the_policy() {
    let shop = two_of_one_id();
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let copy =
        json!({ "item_id": "my/danger", "source": "project", "destination": "user", "overwrite": true });
    let refused = peer.call("load", &copy);
    let error = &refused["structuredContent"]["error"];
    assert_eq!(error["code"], "PERMISSION_DENIED", "{refused}");
    assert_eq!(
        error["message"],
        "replacing `my/danger` in the user space needs consent: the operator has to be asked, and this client cannot do \
         that"
    );
    assert_eq!(
        error["hint"],
        "ask the operator to run `rye load my/danger --kind tool --from project --to user --force`, or to say \
         `destructive: allow` in `mcp-policy.yaml` of the user space"
    );
    policy(&shop, "destructive: refuse\n");
    assert_eq!(*code(&peer.call("load", &copy)), "PERMISSION_DENIED");
    assert_eq!(shop.space.read("home/.ai/tools/my/danger.sh"), USERS);
    policy(&shop, "destructive: allow\n");
    let copied = peer.call("load", &copy);
    assert_eq!(copied["structuredContent"]["status"], "success", "{copied}");
    assert_eq!(
        shop.space.read("home/.ai/tools/my/danger.sh"),
        shop.space.read("project/.ai/tools/my/danger.sh")
    );
}

#[test]
fn whoever_is_at_the_client_is_asked_about_what_a_copy_replaces() {
    let shop = two_of_one_id();
    let serve = shop.space.rye(["mcp", "serve"]);
    let mut peer = StdioPeer::with_capabilities(&serve, &json!({ "elicitation": {} }));
    let mut ask = |agree: bool, meanwhile: &dyn Fn()| {
        let copy = json!({ "item_id": "my/danger", "destination": "user", "overwrite": true });
        let id = peer.begin("tools/call", &json!({ "name": "load", "arguments": copy }));
        let question = peer.receive();
        assert_eq!(
            question["params"]["message"],
            "Replace the tool `my/danger` of the user space by that of the project space?"
        );
        meanwhile();
        let answer = json!({ "action": "accept", "content": { "agree": agree } });
        peer.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }));
        peer.answer(id)["result"].clone()
    };
    let users = || shop.space.read("home/.ai/tools/my/danger.sh");
    assert_eq!(*code(&ask(false, &|| {})), "PERMISSION_DENIED");
    assert_eq!(users(), USERS);
    let changed = format!("{USERS}echo more\n");
    let refused = ask(true, &|| {
        shop.space.write("home/.ai/tools/my/danger.sh", &changed);
    });
    assert_eq!(*code(&refused), "PERMISSION_DENIED", "{refused}");
    assert_eq!(users(), changed);
    let copied = ask(true, &|| {});
    assert_eq!(copied["structuredContent"]["status"], "success", "{copied}");
    assert_eq!(users(), shop.space.read("project/.ai/tools/my/danger.sh"));
}

/// A server, and a tool that may destroy something and takes longer to plan than calls wait.
pub(super) fn slow_danger(shop: &Workshop) -> Call<'_> {
    let runtime = r#"
version: "1.0.0"
tool_type: runtime
executor_id: rye/core/primitives/execute
env_config:
  interpreter: {type: command, resolve_cmd: [sh, -c, "sleep 1; command -v bash"], var: SLOW}
config: {command: "${SLOW}", args: ["{tool_path}", "{project_path}"]}
"#;
    shop.signed("my/slow", "yaml", runtime);
    let head =
        "# version: 1.0.0\n# tool_type: script\n# executor_id: my/slow\n# annotations: {destructive: true}\n";
    shop.signed("my/danger", "sh", &format!("{head}echo gone >\"$1/gone\"; echo gone\n"));
    shop.space.rye(["mcp", "serve", "--inline-wait", "0.2"])
}

/// The result of a run that is too slow for its call.
fn result_of_slow(peer: &mut StdioPeer) -> Value {
    let begun = peer.call("execute", &json!({ "item_id": "my/danger" }));
    assert_eq!(begun["structuredContent"]["status"], "running", "{begun}");
    let wait = json!({ "item_id": begun["structuredContent"]["run_id"], "action": "wait" });
    eventually("its end", || {
        Some(peer.call("execute", &wait)).filter(|result| result["structuredContent"]["status"] != "running")
    })
}

#[test]
fn a_run_that_nobody_was_asked_about_in_time_ends() {
    let shop = Workshop::new();
    let serve = slow_danger(&shop);
    let mut peer = StdioPeer::with_capabilities(&serve, &json!({ "elicitation": {} }));
    let refused = result_of_slow(&mut peer);
    let error = &refused["structuredContent"]["error"];
    assert_eq!(error["code"], "PERMISSION_DENIED", "{refused}");
    assert_eq!(
        error["message"],
        "running `my/danger`, which may destroy something, needs consent: the call was answered before that was known, \
         so nobody could be asked"
    );
    assert_eq!(
        error["hint"],
        "ask the operator to run `rye execute my/danger`, or to say `destructive: allow` in `mcp-policy.yaml` of the \
         user space"
    );
    policy(&shop, "destructive: refuse\n");
    assert_eq!(*code(&result_of_slow(&mut peer)), "PERMISSION_DENIED");
    assert!(!shop.space.path("project/gone").exists());
    policy(&shop, "destructive: allow\n");
    let done = result_of_slow(&mut peer);
    assert_eq!(done["structuredContent"]["data"], "gone\n", "{done}");
}

#[test]
fn a_key_that_does_not_count_is_told_before_anybody_is_asked() {
    let shop = Workshop::new();
    shop.space.write("project/.ai/tools/my/fresh.sh", "# version: 1.0.0\necho fresh\n");
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    assert_eq!(*code(&peer.call("sign", &json!({ "item_id": "my/fresh" }))), "KEYS_UNUSABLE");
}
