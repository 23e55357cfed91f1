//! Clients of the official SDKs and of `fastmcp`, each through a session like that of an agent.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::http_peer::HttpServer;
use crate::space::RYE;
use crate::workshop::{Workshop, eventually, own_time, processes_with};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const PYTHON: &str = "__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n__executor_id__ = \"rye/core/runtimes/python/function\"\n__tool_description__ = \"Doubles a number\"\nCONFIG_SCHEMA = {\"type\": \"object\", \"properties\": {\"number\": {\"type\": \"integer\"}}, \"required\": [\"number\"]}\n\n\ndef main(number):\n    return {\"double\": 2 * number}\n";

/// A project with what the clients call, and the time that its sleeper sleeps.
fn shop() -> (Workshop, String) {
    let shop = Workshop::new();
    let time = own_time();
    shop.signed("my/double", "py", PYTHON);
    shop.shell_tool("my/echo", "", "cat");
    shop.shell_tool("my/steps", "", "echo one >&2; sleep 0.5; echo two >&2; sleep 0.5; echo done");
    shop.shell_tool("my/sleeper", "", &format!("sleep {time}"));
    shop.shell_tool("my/tampered", "", "echo good");
    let path = "project/.ai/tools/my/tampered.sh";
    shop.space.write(path, shop.space.read(path).replace("good", "evil"));
    let fresh = shop.space.read("project/.ai/tools/my/echo.sh");
    let fresh: String =
        fresh.lines().filter(|line| !line.contains("rye:signed")).collect::<Vec<_>>().join("\n");
    shop.space.write("project/.ai/tools/my/fresh.sh", fresh + "\n");
    (shop, time)
}

/// What a client saw.
fn seen(shop: &Workshop, mut client: Command, time: &str) -> Value {
    client.current_dir(shop.space.path("project")).env_clear().env("PATH", "/usr/bin:/bin");
    client.env("HOME", shop.space.path("home")).env("XDG_CACHE_HOME", shop.space.path("cache"));
    let output = client.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    eventually("the end of what was cancelled", || processes_with(time).is_empty().then_some(()));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn expect(seen: &Value) {
    let expect = json!({
        "tools": ["search", "load", "execute", "sign", "help"],
        "found": "my/double",
        "schema": ["number"],
        "python": { "double": 42 },
        "shell": { "a": 1 },
        "tampered": "SIGNATURE_INVALID",
        "signed": "signed",
        "topics": true,
        "steps": "done\n",
        "prompt": "# Start",
        "resource": true,
        "cancelled": true,
        "alive": "success",
    });
    for (name, value) in expect.as_object().unwrap() {
        assert_eq!(&seen[name], value, "{name}: {seen}");
    }
    assert_eq!(seen["progress"], json!(["one", "two"]), "{seen}");
}

#[expect(clippy::disallowed_methods, reason = "a client of somebody else")]
fn python(script: &str, mode: &str) -> Command {
    let mut command = Command::new(Path::new(ROOT).join(".deps/venv/bin/python"));
    command.arg(Path::new(ROOT).join("tests/peers").join(script)).arg(mode);
    command
}

/// The script has to be where its packages are.
#[expect(clippy::disallowed_methods, reason = "a client of somebody else")]
fn node(shop: &Workshop) -> Command {
    let script = std::fs::read(Path::new(ROOT).join("tests/peers/mcp_client.mjs")).unwrap();
    let script: PathBuf = shop.space.write("elsewhere/client.mjs", script);
    let modules = Path::new(ROOT).join(".deps/node/node_modules").canonicalize().unwrap();
    std::os::unix::fs::symlink(modules, shop.space.path("elsewhere/node_modules")).unwrap();
    let own = Path::new(ROOT).join(".deps/bin/node");
    let mut command = Command::new(if own.exists() { own } else { which_node() });
    command.arg(script);
    command
}

fn which_node() -> PathBuf {
    let path = std::env::vars_os().find(|(name, _)| name == "PATH").unwrap().1;
    std::env::split_paths(&path).map(|folder| folder.join("node")).find(|node| node.exists()).unwrap()
}

fn serve_http(shop: &Workshop) -> HttpServer {
    HttpServer::start(&shop.space.rye(["mcp", "serve", "--http", "127.0.0.1:0"]))
}

#[test]
fn the_python_client_on_standard_input_and_output() {
    for (mode, version) in [("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")] {
        let (shop, time) = shop();
        let mut client = python("mcp_client.py", mode);
        client.args(["stdio", RYE, "mcp", "serve"]);
        let seen = seen(&shop, client, &time);
        assert_eq!(seen["version"], version, "{mode}");
        expect(&seen);
    }
}

#[test]
fn the_python_client_over_http() {
    for (mode, version) in [("legacy", "2025-11-25"), ("auto", "2026-07-28")] {
        let (shop, time) = shop();
        let server = serve_http(&shop);
        let mut client = python("mcp_client.py", mode);
        client.args(["http", &format!("http://{}/mcp", server.address), &server.token]);
        let seen = seen(&shop, client, &time);
        assert_eq!(seen["version"], version, "{mode}");
        expect(&seen);
    }
}

#[test]
fn the_client_of_fastmcp_on_standard_input_and_output() {
    for (mode, version) in [("legacy", "2025-11-25"), ("auto", "2026-07-28")] {
        let (shop, time) = shop();
        let mut client = python("fastmcp_client.py", mode);
        client.args(["stdio", RYE, "mcp", "serve"]);
        let seen = seen(&shop, client, &time);
        assert_eq!(seen["version"], version, "{mode}");
        expect(&seen);
    }
}

#[test]
fn the_client_of_fastmcp_over_http() {
    for (mode, version) in [("legacy", "2025-11-25"), ("auto", "2026-07-28")] {
        let (shop, time) = shop();
        let server = serve_http(&shop);
        let mut client = python("fastmcp_client.py", mode);
        client.args(["http", &format!("http://{}/mcp", server.address), &server.token]);
        let seen = seen(&shop, client, &time);
        assert_eq!(seen["version"], version, "{mode}");
        expect(&seen);
    }
}

#[test]
fn the_javascript_client_on_standard_input_and_output() {
    let (shop, time) = shop();
    let mut client = node(&shop);
    client.args(["stdio", RYE, "mcp", "serve"]);
    expect(&seen(&shop, client, &time));
}

#[test]
fn the_javascript_client_over_http() {
    let (shop, time) = shop();
    let server = serve_http(&shop);
    let mut client = node(&shop);
    client.args(["http", &format!("http://{}/mcp", server.address), &server.token]);
    expect(&seen(&shop, client, &time));
}
