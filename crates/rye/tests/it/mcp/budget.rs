//! An answer has at most 24 KB of text. What is longer is shown in part, and can be read as a resource.

use serde_json::{Value, json};

use super::stdio_peer::StdioPeer;
use crate::workshop::Workshop;

/// The most that the text of an answer and its frame may have.
const MOST: usize = 24 * 1024;

fn serve(shop: &Workshop) -> StdioPeer {
    StdioPeer::connect(&shop.space.rye(["mcp", "serve"]))
}

/// All that a resource holds.
fn read(peer: &mut StdioPeer, uri: &Value) -> String {
    let answer = peer.request("resources/read", &json!({ "uri": uri }));
    answer["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn a_long_topic_of_help() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "echo hello");
    let line = "This topic has very much to say.\n";
    let text = format!("---\nversion: \"1.0.0\"\ndescription: Long\n---\n# Long\n\n{}", line.repeat(2000));
    shop.space.write("project/.ai/knowledge/rye/help/long.md", text);
    shop.space.run(["sign", "--kind", "knowledge", "rye/help/long"]);
    let mut peer = serve(&shop);
    let help = peer.call("help", &json!({ "topic": "long" }));
    assert!(help.to_string().len() < MOST, "{}", help.to_string().len());
    let topic = &help["structuredContent"]["topic"];
    assert!(topic["text"].as_str().unwrap().starts_with("# Long"), "{topic}");
    assert_eq!(help["content"][1]["uri"], topic["output"]["uri"]);
    assert!(read(&mut peer, &topic["output"]["uri"]).ends_with(&line.repeat(2000)));
}

#[test]
fn very_many_topics_of_help() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "echo hello");
    for number in 0..400 {
        let text =
            format!("---\nversion: \"1.0.0\"\ndescription: Number {number} of very many\n---\n# One\n");
        shop.space.write(&format!("project/.ai/knowledge/rye/help/many-{number}.md"), text);
    }
    shop.space.run(["sign", "--kind", "knowledge", "rye/help/many-*"]);
    let help = serve(&shop).call("help", &json!({}));
    assert!(help["structuredContent"].to_string().len() < MOST + 1024);
    let text = help["content"][0]["text"].as_str().unwrap();
    assert!(text.len() < MOST && text.contains("more are left out here"), "{text}");
}

#[test]
fn a_long_plan() {
    let shop = Workshop::new();
    let tool = "version: \"1.0.0\"\ntool_type: t\nexecutor_id: rye/core/primitives/execute\ndescription: A test\n\
        config: {command: sh, args: [\"-c\", \"echo done\", \"{text}\"]}\n";
    shop.signed("my/tool", "yaml", tool);
    let mut peer = serve(&shop);
    let parameters = json!({ "text": "long ".repeat(20_000) });
    let call = json!({ "item_id": "my/tool", "parameters": parameters, "dry_run": true });
    let planned = peer.call("execute", &call);
    assert_eq!(planned["structuredContent"]["status"], "planned", "{planned}");
    assert!(planned.to_string().len() < MOST, "{}", planned.to_string().len());
    let plan = read(&mut peer, &planned["structuredContent"]["output"]["uri"]);
    let plan: Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(plan["chain"][0]["id"], "my/tool");
    let call = json!({ "item_id": "my/tool", "parameters": parameters, "trace": true });
    let done = peer.call("execute", &call);
    assert_eq!(done["structuredContent"]["data"], "done\n", "{done}");
    assert!(done.to_string().len() < MOST, "{}", done.to_string().len());
    let note = "the plan is too long to stand beside the result: `dry_run` shows where it can be read";
    assert_eq!(done["structuredContent"]["notes"], json!([note]));
}

#[test]
fn a_long_text_that_is_loaded() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "echo hello");
    let text = format!(
        "---\nversion: \"1.0.0\"\ndescription: Long\n---\n# Long\n\n{}",
        "A line of it.\n".repeat(6000)
    );
    shop.space.write("project/.ai/knowledge/my/long.md", text);
    let mut peer = serve(&shop);
    let loaded = peer.call("load", &json!({ "item_id": "my/long", "item_type": "knowledge" }));
    assert!(loaded.to_string().len() < MOST, "{}", loaded.to_string().len());
    assert!(read(&mut peer, &loaded["structuredContent"]["output"]["uri"]).ends_with("A line of it.\n"));
}

#[test]
fn the_end_of_a_long_standard_error() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "head -c 100000 /dev/zero | tr '\\0' e >&2; exit 4");
    let failed = serve(&shop).call("execute", &json!({ "item_id": "my/tool" }));
    let result = &failed["structuredContent"];
    assert_eq!(result["stderr"].as_str().unwrap().len(), 8192, "{failed}");
    assert_eq!(result["notes"], json!(["`stderr` is the end of 100000 bytes"]), "{failed}");
}

#[test]
fn an_output_that_is_no_text() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "printf 'a\\377b'");
    let mut peer = serve(&shop);
    let done = peer.call("execute", &json!({ "item_id": "my/tool" }));
    let result = &done["structuredContent"];
    assert_eq!(result["data"], "a\u{fffd}b", "{done}");
    assert!(result["notes"][0].as_str().unwrap().contains("not UTF-8"), "{done}");
    let answer = peer.request("resources/read", &json!({ "uri": result["output"]["uri"] }));
    assert_eq!(answer["result"]["contents"][0]["blob"], "Yf9i", "{answer}");
}
