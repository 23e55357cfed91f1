//! The inspector of the protocol's makers: it sees five tools with schemas that any client can use, and calls each.

use serde_json::{Value, json};

use super::http_peer::HttpServer;
use super::npm_peer::npm_peer;
use crate::space::RYE;
use crate::workshop::Workshop;

const INSPECTOR: &str = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

/// What the inspector shows of a server that speaks one of the two versions.
struct Inspector<'a> {
    shop: &'a Workshop,
    server: &'a [String],
    era: &'a str,
}

impl Inspector<'_> {
    fn inspect(&self, args: &[&str]) -> Value {
        let mut command = npm_peer(self.shop, INSPECTOR);
        command.arg("--cli").args(self.server).args(["--protocol-era", self.era, "--format", "json"]);
        let output = command.args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
        shown["result"].clone()
    }

    fn call(&self, tool: &str, arguments: &Value) -> Value {
        let arguments = arguments.to_string();
        let args = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", &arguments];
        self.inspect(&args)["structuredContent"].clone()
    }

    fn check(&self) {
        let list = self.inspect(&["--method", "tools/list", "--strict"]);
        let names: Vec<_> = list["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["search", "load", "execute", "sign", "help"]);
        let found = self.call("search", &json!({ "query": "echo", "item_type": "tool" }));
        assert!(found["hits"].as_array().unwrap().iter().any(|hit| hit["id"] == "my/echo"), "{found}");
        let loaded = self.call("load", &json!({ "item_id": "my/echo" }));
        assert_eq!(loaded["signer"]["owner"], "me", "{loaded}");
        let call = json!({ "item_id": "my/echo", "parameters": { "a": 1 } });
        assert_eq!(self.call("execute", &call)["data"], json!({ "a": 1 }));
        let signed = self.call("sign", &json!({ "item_id": "my/echo" }));
        assert_eq!(signed["items"][0]["result"], "unchanged", "{signed}");
        assert_eq!(self.call("help", &json!({ "topic": "start" }))["status"], "success");
    }
}

fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.shell_tool("my/echo", "", "cat");
    shop.space.write("home/.ai/mcp-policy.yaml", "sign: allow\n");
    shop
}

#[test]
fn it_calls_all_five_on_standard_input_and_output() {
    let shop = shop();
    let server = [RYE, "mcp", "serve"].map(str::to_owned);
    for era in ["legacy", "modern"] {
        Inspector { shop: &shop, server: &server, era }.check();
    }
}

#[test]
fn it_calls_all_five_over_http() {
    let shop = shop();
    let http = HttpServer::start(&shop.space.rye(["mcp", "serve", "--http", "127.0.0.1:0"]));
    let url = format!("http://{}/mcp", http.address);
    let header = format!("Authorization: Bearer {}", http.token);
    let server = ["--server-url", &url, "--transport", "http", "--header", &header].map(str::to_owned);
    for era in ["legacy", "modern"] {
        Inspector { shop: &shop, server: &server, era }.check();
    }
}
