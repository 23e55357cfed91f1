//! The five tools, resources and prompts.

use serde_json::{Value, json};

use super::stdio_peer::StdioPeer;
use crate::workshop::Workshop;

const PYTHON: &str = "__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n__executor_id__ = \"rye/core/runtimes/python/function\"\n__tool_description__ = \"Doubles a number\"\nCONFIG_SCHEMA = {\"type\": \"object\", \"properties\": {\"number\": {\"type\": \"integer\"}}, \"required\": [\"number\"]}\n\n\ndef main(number):\n    return {\"double\": 2 * number}\n";

fn serve(shop: &Workshop) -> StdioPeer {
    StdioPeer::connect(&shop.space.rye(["mcp", "serve"]))
}

#[test]
fn an_agent_sees_five_tools_and_always_the_same_bytes() {
    let shop = Workshop::new();
    let mut peer = serve(&shop);
    let list = peer.request("tools/list", &json!({}))["result"]["tools"].clone();
    shop.shell_tool("my/tool", "", "echo hello");
    assert_eq!(peer.request("tools/list", &json!({}))["result"]["tools"], list);
    assert_eq!(list.to_string(), rye_mcp::server::tool_list());
    for tool in list.as_array().unwrap() {
        assert_eq!(tool["_meta"]["anthropic/alwaysLoad"], true);
        assert!(tool["outputSchema"]["required"] == json!(["status"]), "{tool}");
    }
}

#[test]
fn a_session_finds_reads_and_runs() {
    let shop = Workshop::new();
    shop.signed("my/double", "py", PYTHON);
    shop.shell_tool("my/echo", "", "cat");
    let mut peer = serve(&shop);
    let found = peer.call("search", &json!({ "query": "double", "item_type": "tool" }));
    assert_eq!(found["structuredContent"]["hits"][0]["id"], "my/double");
    let loaded = peer.call("load", &json!({ "item_id": "my/double" }));
    assert_eq!(loaded["structuredContent"]["schema"]["required"], json!(["number"]));
    assert_eq!(loaded["structuredContent"]["signer"]["owner"], "me");
    let done = peer.call("execute", &json!({ "item_id": "my/double", "parameters": { "number": 21 } }));
    let result = &done["structuredContent"];
    assert_eq!((&result["status"], &result["data"]), (&json!("success"), &json!({ "double": 42 })));
    assert_eq!(done["content"][0]["text"], "{\"double\": 42}");
    let chain = result["attestation"].as_array().unwrap();
    assert_eq!(chain[0]["id"], "my/double");
    assert_eq!((&chain[0]["space"], &chain[0]["signer"]["owner"]), (&json!("project"), &json!("me")));
    assert_eq!(chain[0]["digest"].as_str().unwrap().len(), 64);
    assert_eq!(chain[1]["signer"]["state"], "program");
    let wrong = peer.call("execute", &json!({ "item_id": "my/double", "parameters": { "number": "x" } }));
    assert_eq!(wrong["isError"], true);
    assert_eq!(wrong["structuredContent"]["error"]["code"], "PARAMS_INVALID");
    assert_eq!(
        wrong["structuredContent"]["error"]["hint"],
        "call `load` with item_id `my/double` to see its parameters"
    );
    let topic = peer.call("help", &json!({ "topic": "start" }));
    assert!(topic["content"][0]["text"].as_str().unwrap().starts_with("# Start"));
}

#[test]
fn numbers_keep_their_digits_on_the_way_to_the_tool_and_in_the_text() {
    let shop = Workshop::new();
    shop.shell_tool("my/echo", "", "cat");
    let mut peer = serve(&shop);
    let parameters = r#"{"n":123456789012345678901234567890,"x":1.00}"#;
    peer.send_text(&format!(
        r#"{{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{{"name":"execute","arguments":{{"item_id":"my/echo","parameters":{parameters}}}}}}}"#
    ));
    let answer = peer.receive();
    assert_eq!(answer["id"], "mine");
    assert_eq!(answer["result"]["content"][0]["text"], parameters);
    let notes = &answer["result"]["structuredContent"]["notes"];
    assert_eq!(notes[0], "`data` rounds numbers that have too many digits; the text has all of them");
}

#[test]
fn a_changed_tool_is_refused() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "echo hello");
    let mut peer = serve(&shop);
    assert_eq!(
        peer.call("execute", &json!({ "item_id": "my/tool" }))["structuredContent"]["data"],
        "hello\n"
    );
    let path = "project/.ai/tools/my/tool.sh";
    shop.space.write(path, shop.space.read(path).replace("hello", "evil"));
    let refused = peer.call("execute", &json!({ "item_id": "my/tool" }));
    assert_eq!(refused["isError"], true);
    assert_eq!(refused["structuredContent"]["error"]["code"], "SIGNATURE_INVALID");
}

#[test]
fn a_failed_tool_says_why() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "echo before; echo it broke >&2; exit 3");
    let failed = serve(&shop).call("execute", &json!({ "item_id": "my/tool" }));
    assert_eq!(failed["isError"], true);
    let result = &failed["structuredContent"];
    assert_eq!((&result["exit_code"], &result["data"]), (&json!(3), &json!("before\n")));
    let expect =
        json!({ "code": "TOOL_FAILED", "message": "the tool failed with exit code 3", "retryable": false });
    assert_eq!(result["error"], expect);
    assert_eq!(
        failed["content"][0]["text"],
        "error: the tool failed with exit code 3 [TOOL_FAILED]\nit broke\nbefore\n"
    );
}

#[test]
fn long_output_is_shown_in_part_and_can_be_read() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "seq 1 300000");
    let mut peer = serve(&shop);
    let done = peer.call("execute", &json!({ "item_id": "my/tool" }));
    let output = &done["structuredContent"]["output"];
    let all: Vec<String> = (1..=300_000).map(|number| number.to_string()).collect();
    let all = all.join("\n") + "\n";
    assert_eq!(output["bytes"], all.len());
    assert_eq!(output["digest"], lillux::Digest::of(all.as_bytes()).to_string());
    assert!(done.to_string().len() < 24 * 1024, "{}", done.to_string().len());
    assert_eq!(done["content"][1]["uri"], output["uri"]);
    let mut uri = output["uri"].clone();
    let mut read = String::new();
    loop {
        let contents = peer.request("resources/read", &json!({ "uri": uri }))["result"]["contents"].clone();
        read.push_str(contents[0]["text"].as_str().unwrap());
        if contents[1].is_null() {
            break;
        }
        uri = contents[1]["uri"].clone();
    }
    assert!(read == all);
}

#[test]
fn one_server_works_in_many_projects() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "pwd");
    let other = shop.space.path("elsewhere");
    shop.space.write("elsewhere/.ai/tools/my/tool.sh", shop.space.read("project/.ai/tools/my/tool.sh"));
    let mut peer = serve(&shop);
    let refused = peer.call("execute", &json!({ "item_id": "my/tool", "project_path": other }));
    assert_eq!(refused["structuredContent"]["error"]["code"], "PROJECT_UNTRUSTED");
    shop.space.run(["trust", "--yes", "--project", other.to_str().unwrap()]);
    let done = peer.call("execute", &json!({ "item_id": "my/tool", "project_path": other }));
    assert_eq!(done["structuredContent"]["status"], "success", "{done}");
    assert_eq!(
        peer.call("execute", &json!({ "item_id": "my/tool" }))["structuredContent"]["status"],
        "success"
    );
    let nowhere = peer.call("search", &json!({ "query": "", "project_path": "/no/such/folder" }));
    assert_eq!(nowhere["structuredContent"]["error"]["code"], "SPACE_UNUSABLE");
}

#[test]
fn a_plan_shows_what_would_run_and_secrets_do_not_show() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "# secrets: TOKEN\n", "echo \"[$TOKEN]\"; touch ran");
    shop.space.rye(["secret", "set", "TOKEN"]).read("very-secret-value");
    let mut peer = serve(&shop);
    let planned = peer.call("execute", &json!({ "item_id": "my/tool", "dry_run": true }));
    assert_eq!(planned["structuredContent"]["status"], "planned", "{planned}");
    assert_eq!(planned["structuredContent"]["plan"]["chain"][0]["id"], "my/tool");
    let done = peer.call("execute", &json!({ "item_id": "my/tool", "trace": true }));
    assert_eq!(done["structuredContent"]["status"], "success", "{done}");
    assert_eq!(done["structuredContent"]["plan"]["chain"][0]["id"], "my/tool");
    assert!(!format!("{planned}{done}").contains("very-secret-value"));
}

#[test]
fn items_are_resources_and_directives_are_prompts() {
    let shop = Workshop::new();
    let directive =
        "---\nversion: \"1.0.0\"\ndescription: Greets\n---\nGreet {input:name} {input:how:warmly}.\n";
    shop.space.write("project/.ai/directives/my/greet.md", directive);
    shop.shell_tool("my/tool", "", "echo hello");
    shop.space.run(["sign", "--kind", "directive", "my/greet"]);
    let mut peer = serve(&shop);
    let read = peer.request("resources/read", &json!({ "uri": "rye://tool/my/tool" }));
    assert!(read["result"]["contents"][0]["text"].as_str().unwrap().ends_with("echo hello\n"));
    let missing = peer.request("resources/read", &json!({ "uri": "rye://tool/my/other" }));
    assert_eq!(missing["error"]["message"], "there is no `rye://tool/my/other`");
    let mut uris = Vec::new();
    let mut cursor = json!({});
    loop {
        let page = peer.request("resources/list", &cursor)["result"].clone();
        uris.extend(page["resources"].as_array().unwrap().iter().map(|one| one["uri"].clone()));
        if page["nextCursor"].is_null() {
            break;
        }
        cursor = json!({ "cursor": page["nextCursor"] });
    }
    assert!(uris.contains(&json!("rye://tool/my/tool?space=project")), "{uris:?}");
    assert!(uris.contains(&json!("rye://knowledge/rye/help/start?space=system")), "{uris:?}");
    let prompts = peer.request("prompts/list", &json!({}))["result"]["prompts"].clone();
    let expect = json!([{ "name": "name", "required": true }, { "name": "how", "required": false }]);
    assert_eq!((&prompts[0]["name"], &prompts[0]["arguments"]), (&json!("my/greet"), &expect));
    let get = |peer: &mut StdioPeer, name: &str, arguments: &Value| {
        peer.request("prompts/get", &json!({ "name": name, "arguments": arguments }))
    };
    let greeting = get(&mut peer, "my/greet", &json!({ "name": "Ada" }));
    let text = greeting["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert_eq!(text.trim(), "Greet Ada warmly.");
    assert_eq!(get(&mut peer, "my/greet", &json!({}))["error"]["data"]["code"], "PARAMS_INVALID");
    let topic = get(&mut peer, "help/start", &json!({}));
    assert!(topic["result"]["messages"][0]["content"]["text"].as_str().unwrap().starts_with("# Start"));
}

#[test]
fn a_long_run_has_an_id_and_can_be_waited_for() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "cd \"$1\"; until [ -e go ]; do sleep 0.02; done; echo done");
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve", "--inline-wait", "0.3"]));
    for is_async in [false, true] {
        let begun = peer.call("execute", &json!({ "item_id": "my/tool", "async": is_async }));
        assert_eq!(begun["structuredContent"]["status"], "running", "{begun}");
        let id = &begun["structuredContent"]["run_id"];
        let ask = |peer: &mut StdioPeer, action: &str| {
            peer.call("execute", &json!({ "item_id": id, "action": action }))["structuredContent"].clone()
        };
        assert_eq!(ask(&mut peer, "status")["status"], "running");
        assert_eq!(ask(&mut peer, "wait")["status"], "running");
        shop.space.write("project/go", "");
        let mut ended = ask(&mut peer, "wait");
        while ended["status"] == "running" {
            ended = ask(&mut peer, "wait");
        }
        assert_eq!((&ended["status"], &ended["data"]), (&json!("success"), &json!("done\n")), "{ended}");
        assert_eq!(ended["run_id"], *id);
        shop.space.remove("project/go");
        let again = peer.call("execute", &json!({ "item_id": "my/tool", "async": is_async }));
        let id = &again["structuredContent"]["run_id"];
        let cancelled = peer.call("execute", &json!({ "item_id": id, "action": "cancel" }));
        assert_eq!(cancelled["structuredContent"]["data"]["was_running"], true, "{cancelled}");
    }
    let missing = peer.call("execute", &json!({ "item_id": "0".repeat(26), "action": "status" }));
    assert_eq!(missing["structuredContent"]["error"]["code"], "RUN_NOT_FOUND");
}

#[test]
fn while_a_call_takes_long_everything_else_is_answered() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "echo hello");
    shop.space.write("home/.ai/mcp-policy.yaml", "sign: allow\n");
    let unsigned = "# version: 1.0.0\n# tool_type: script\n# executor_id: rye/core/runtimes/bash/bash\n";
    for number in 0..2000 {
        shop.space
            .write(&format!("project/.ai/tools/many/t{number}.sh"), format!("{unsigned}echo {number}\n"));
    }
    let mut peer = serve(&shop);
    let sign = json!({
        "name": "sign",
        "arguments": { "item_id": "many/**" },
        "_meta": { "progressToken": 1 },
    });
    let signing = peer.begin("tools/call", &sign);
    let others: Vec<u64> = ["ping", "tools/list", "resources/templates/list"]
        .into_iter()
        .chain(["ping"; 20])
        .map(|method| peer.begin(method, &json!({})))
        .collect();
    for id in others {
        assert!(peer.answer(id).get("result").is_some());
    }
    assert!(peer.others.iter().all(|message| message["id"] != signing), "it was faster than all of them");
    let signed = peer.answer(signing);
    assert_eq!(signed["result"]["structuredContent"]["omitted"], 1900, "{signed}");
    assert!(peer.others.iter().any(|message| message["method"] == "notifications/progress"));
}
