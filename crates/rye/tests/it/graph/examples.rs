//! The graphs of the documentation, as they are.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::yard::Yard;

/// A project with one of the examples, signed.
fn with(yard: &Yard, name: &str) {
    let file = format!("{}/../../examples/graphs/.ai/tools/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    yard.shop.signed(name, "yaml", &std::fs::read_to_string(file).unwrap());
}

#[test]
fn project_statistics() {
    let yard = Yard::new();
    with(&yard, "project_statistics");
    yard.shop.space.write("project/notes.md", "TODO: write more\n");
    let answer = yard.rye(["execute", "project_statistics"]).json();
    assert_eq!(answer["status"], "success", "{answer}");
    let files = answer["data"]["files"].as_array().unwrap();
    let notes = files.iter().find(|entry| entry["pattern"] == "**/*.md").unwrap();
    assert_eq!(notes["paths"], json!([".ai/directives/say.md", "notes.md"]), "{answer}");
    assert_eq!(answer["data"]["commits"], json!([]));
}

#[test]
fn check_urls() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = std::sync::Arc::new(AtomicUsize::new(0));
    let flaky = std::sync::Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let count = stream.read(&mut request).unwrap();
            let path =
                String::from_utf8_lossy(&request[..count]).split(' ').nth(1).unwrap_or_default().to_owned();
            let (status, body) = match path.as_str() {
                "/good" => ("200 OK", "three good words"),
                "/flaky" if flaky.fetch_add(1, Ordering::Relaxed) > 0 => ("200 OK", "back again"),
                _ => ("503 Service Unavailable", "no"),
            };
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    let yard = Yard::new();
    with(&yard, "check_urls");
    let url = |path: &str| format!("http://{address}/{path}");
    let params = json!({ "urls": [url("good"), url("flaky")] }).to_string();
    let answer = yard.rye(["graph", "run", "check_urls", "--params", &params]).json();
    assert_eq!(answer["output"], json!({ "ok": true, "words": [3, 2] }), "{answer}");
    assert!(asked.load(Ordering::Relaxed) >= 2);
}

#[test]
fn release_checklist() {
    let yard = Yard::new();
    with(&yard, "release_checklist");
    yard.shop.space.write("project/CHANGELOG.md", "## 1.2.0\n");
    yard.shop.space.write("project/.gitignore", ".ai/\n");
    yard.shop.space.shell(
        "git init -q -b main . && git config user.email a@example.org && git config user.name A && git add -A && git commit -qm first",
    );
    let args = ["graph", "run", "release_checklist", "--version", "1.2.0"];
    let output = yard.rye(args).output();
    assert_eq!(output.status.code(), Some(4), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Release 1.2.0 from main?"));
    let run = yard.last().header.id;
    assert!(yard.rye(["graph", "approve", &run, "approval"]).set("USER", "ada").output().status.success());
    let answer = yard.rye(["graph", "resume", &run]).json();
    assert_eq!(
        answer["output"],
        json!({ "released": true, "version": "1.2.0", "approved_by": "ada" }),
        "{answer}"
    );
    assert_eq!(yard.shop.space.shell("git tag").trim(), "v1.2.0");
    let answer = yard.rye(["graph", "run", "release_checklist", "--version", "9.9.9"]).json();
    assert_eq!(answer["output"]["released"], false, "{answer}");
}
