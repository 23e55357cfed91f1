//! Servers that others have written, called as tools.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::mcp::stdio_peer::StdioPeer;
use crate::runtimes::language::deps;
use crate::space::TestSpace;

/// Where Node.js is, if that of the system is too old.
fn path() -> String {
    format!("{}:/usr/bin:/bin", deps().join("bin").display())
}

fn npm(name: &str) -> PathBuf {
    deps().join("node/node_modules/.bin").join(name)
}

fn pypi(name: &str) -> PathBuf {
    deps().join("venv/bin").join(name)
}

/// Imports the tools of a server. Returns what is said about that.
fn add(space: &TestSpace, name: &str, program: &Path, args: &[&str]) -> Value {
    let words = ["mcp", "add", name, "--yes", "--json", "--", program.to_str().unwrap()];
    let output = space.rye(words.iter().chain(args).copied()).set("PATH", path()).output();
    assert!(output.status.success(), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["refused"], json!([]), "{report}");
    report
}

fn execute(space: &TestSpace, id: &str, parameters: &Value) -> Value {
    let parameters = parameters.to_string();
    let report = space.rye(["execute", id, "--params", &parameters]).set("PATH", path()).json();
    assert_eq!(report["status"], "success", "{report}");
    report
}

#[test]
fn everything_by_standard_streams() {
    let space = TestSpace::with_key();
    let added = add(&space, "everything", &npm("mcp-server-everything"), &["stdio"]);
    assert!(added["tools"].as_array().unwrap().len() > 8, "{added}");
    check_everything(&space);
}

#[test]
fn everything_by_http() {
    let space = TestSpace::with_key();
    let server = HttpServer::start();
    let url = format!("http://127.0.0.1:{}/mcp", server.port);
    space.run(["mcp", "add", "everything", "--yes", "--url", &url, "--header", "X-Test: yes"]);
    check_everything(&space);
    drop(server);
    let output = space.rye(["execute", "mcp/everything/echo", "--message", "a"]).output();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("Connection refused") && said.contains("[SERVER_FAILED]"), "{said}");
}

fn check_everything(space: &TestSpace) {
    let echoed = execute(space, "mcp/everything/echo", &json!({ "message": "héllo \"{}\" \n" }));
    assert_eq!(echoed["data"], "Echo: héllo \"{}\" \n");
    let summed = execute(space, "mcp/everything/get-sum", &json!({ "a": 2, "b": 3 }));
    assert!(summed["data"].as_str().unwrap().contains('5'), "{summed}");
    let structured =
        execute(space, "mcp/everything/get-structured-content", &json!({ "location": "Chicago" }));
    assert!(structured["data"]["temperature"].is_number(), "{structured}");
    let image = execute(space, "mcp/everything/get-tiny-image", &json!({}));
    let kinds: Vec<_> = image["data"].as_array().unwrap().iter().map(|part| &part["type"]).collect();
    assert!(kinds.contains(&&json!("image")) && kinds.contains(&&json!("text")), "{kinds:?}");
    let steps = json!({ "duration": 1, "steps": 2 });
    let long = execute(space, "mcp/everything/trigger-long-running-operation", &steps);
    assert!(long["stderr"].as_str().unwrap().contains("progress: 2/2"), "{long}");
    let wrong = space.rye(["execute", "mcp/everything/echo"]).output();
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("[PARAMS_INVALID]"), "{wrong:?}");
}

#[test]
fn files() {
    let space = TestSpace::with_key();
    space.write("project/notes/a.txt", "one\ntwo\n");
    let project = space.path("project");
    add(&space, "files", &npm("mcp-server-filesystem"), &[project.to_str().unwrap()]);
    let old = project.join("notes/a.txt");
    let read = execute(&space, "mcp/files/read_text_file", &json!({ "path": old }));
    assert_eq!(read["data"]["content"], "one\ntwo\n", "{read}");
    let new = project.join("notes/b.txt");
    execute(&space, "mcp/files/write_file", &json!({ "path": new, "content": "three" }));
    assert_eq!(space.read("project/notes/b.txt"), "three");
    let outside = json!({ "path": "/etc/passwd" }).to_string();
    let refused =
        space.rye(["execute", "mcp/files/read_text_file", "--params", &outside]).set("PATH", path()).json();
    assert_eq!((&refused["status"], &refused["exit_code"]), (&json!("error"), &json!(1)), "{refused}");
    assert!(refused["stderr"].as_str().unwrap().contains("Access denied"), "{refused}");
}

#[test]
fn memory() {
    let space = TestSpace::with_key();
    let file = space.path("elsewhere/memory.jsonl");
    let program = npm("mcp-server-memory");
    let words = ["mcp", "add", "memory", "--yes", "--env", "MEMORY_FILE_PATH=${MEMORY_FILE}", "--"];
    let call = space.rye(words.into_iter().chain([program.to_str().unwrap()]));
    let output = call.set("PATH", path()).set("MEMORY_FILE", &file).output();
    assert!(output.status.success(), "{output:?}");
    let run = |id: &str, parameters: Value| {
        let parameters = parameters.to_string();
        let call = space.rye(["execute", id, "--params", &parameters]);
        call.set("PATH", path()).set("MEMORY_FILE", &file).json()
    };
    let entity =
        json!({ "entities": [{ "name": "Ada", "entityType": "person", "observations": ["counts"] }] });
    let created = run("mcp/memory/create_entities", entity);
    assert_eq!(created["status"], "success", "{created}");
    let graph = run("mcp/memory/read_graph", json!({}));
    assert_eq!(graph["data"]["entities"][0]["name"], "Ada", "{graph}");
}

#[test]
fn time_by_the_newest_protocol() {
    let space = TestSpace::with_key();
    let added = add(&space, "time", &pypi("mcp-server-time"), &[]);
    assert_eq!(added["protocol"], "2026-07-28", "{added}");
    let now = execute(&space, "mcp/time/get_current_time", &json!({ "timezone": "Europe/Vienna" }));
    assert_eq!(now["data"]["timezone"], "Europe/Vienna", "{now}");
    let failed = space.rye(["execute", "mcp/time/get_current_time", "--timezone", "Nowhere/Else"]).json();
    assert_eq!((&failed["status"], &failed["exit_code"]), (&json!("error"), &json!(1)), "{failed}");
}

/// Calls tools of a server twice over a session that is kept, and once without; each has to say the same.
fn check_kept(space: &TestSpace, calls: &[(&str, Value)]) {
    let mut peer = StdioPeer::connect(&space.rye(["mcp", "serve"]).set("PATH", path()));
    for (number, (id, parameters)) in calls.iter().chain(calls).enumerate() {
        let arguments = json!({ "item_id": id, "parameters": parameters });
        let kept = peer.call("execute", &arguments)["structuredContent"].take();
        assert_eq!(kept["status"], "success", "{kept}");
        assert_eq!(kept["warm"] == true, number > 0, "{kept}");
        assert_eq!(kept["data"], execute(space, id, parameters)["data"]);
    }
}

#[test]
fn everything_is_kept() {
    let space = TestSpace::with_key();
    add(&space, "everything", &npm("mcp-server-everything"), &["stdio"]);
    let steps = json!({ "duration": 0.2, "steps": 2 });
    let calls = [
        ("mcp/everything/echo", json!({ "message": "héllo \"{}\" \n" })),
        ("mcp/everything/get-sum", json!({ "a": 2, "b": 3 })),
        ("mcp/everything/get-tiny-image", json!({})),
        ("mcp/everything/trigger-long-running-operation", steps),
    ];
    check_kept(&space, &calls);
}

#[test]
fn everything_by_http_is_kept() {
    let space = TestSpace::with_key();
    let server = HttpServer::start();
    let url = format!("http://127.0.0.1:{}/mcp", server.port);
    space.run(["mcp", "add", "everything", "--yes", "--url", &url]);
    check_kept(&space, &[("mcp/everything/echo", json!({ "message": "hello" }))]);
}

#[test]
fn the_memory_of_a_server_is_kept() {
    let space = TestSpace::with_key();
    let file = space.path("elsewhere/memory.jsonl");
    let program = npm("mcp-server-memory");
    let variable = format!("MEMORY_FILE_PATH={}", file.display());
    let words = ["mcp", "add", "memory", "--yes", "--env", &variable, "--", program.to_str().unwrap()];
    let output = space.rye(words).set("PATH", path()).output();
    assert!(output.status.success(), "{output:?}");
    check_kept(&space, &[("mcp/memory/read_graph", json!({}))]);
}

#[test]
fn time_is_kept() {
    let space = TestSpace::with_key();
    add(&space, "time", &pypi("mcp-server-time"), &[]);
    let wanted = json!({ "source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo" });
    check_kept(&space, &[("mcp/time/convert_time", wanted)]);
}

#[test]
fn a_server_that_starts_late_speaks_the_newest_protocol_all_the_same() {
    let space = TestSpace::with_key();
    let script = format!("sleep 2; exec {}", pypi("mcp-server-time").display());
    let added = add(&space, "time", Path::new("/bin/sh"), &["-c", &script]);
    assert_eq!(added["protocol"], "2026-07-28", "{added}");
}

#[test]
fn a_repository() {
    let space = TestSpace::with_key();
    space.shell("git init --quiet .");
    add(&space, "git", &pypi("mcp-server-git"), &[]);
    let status = execute(&space, "mcp/git/git_status", &json!({ "repo_path": space.path("project") }));
    assert!(status["data"].as_str().unwrap().contains(".ai/"), "{status}");
}

/// A server that somebody else has started.
struct HttpServer {
    process: Child,
    port: u16,
}

impl HttpServer {
    #[expect(clippy::disallowed_methods, reason = "a server that lives longer than a call")]
    fn start() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let mut command = Command::new(npm("mcp-server-everything"));
        command.arg("streamableHttp").env_clear().env("PATH", path()).env("PORT", port.to_string());
        let mut process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let said = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("listening on port")));
        assert!(said.is_some(), "the server did not start");
        // Whoever reads no more would stop the server when the pipe is full.
        std::thread::spawn(move || lines.count());
        Self { process, port }
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}
