//! Clients that ask and do not read the answers: they cost a bounded amount of memory, and nobody else anything.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::http_peer::HttpServer;
use super::stdio_peer::StdioPeer;
use crate::workshop::{Workshop, eventually};

/// So many questions have answers of 200 MB.
const QUESTIONS: usize = 20_000;
/// How much larger a server may become that keeps none of them.
const GROWTH: usize = 64 * 1024 * 1024;
/// The same for one that keeps some of a gigabyte of them.
const PIECES: usize = 600 * 1024 * 1024;

fn resident(pid: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() * 1024
}

/// Waits until a number stays as it is.
fn settled(number: impl Fn() -> usize) -> usize {
    let mut last = usize::MAX;
    eventually("an end of reading", || {
        let now = number();
        let is_settled = std::mem::replace(&mut last, now) == now;
        std::thread::sleep(Duration::from_millis(500));
        is_settled.then_some(now)
    })
}

fn terminate(pid: u32) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
}

/// Asks on standard input, and reads no answer.
fn check_standard_output(question: fn(usize) -> Value) {
    let shop = Workshop::new();
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    assert!(peer.request("tools/list", &json!({})).get("result").is_some());
    let before = resident(peer.pid());
    let mut stdin = peer.take_stdin();
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let asking = std::thread::spawn(move || {
        for id in 0..QUESTIONS {
            if writeln!(stdin, "{}", question(id + 1000)).is_err() {
                return;
            }
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    let sent = settled(|| sent.load(Ordering::Relaxed));
    assert!(sent < QUESTIONS, "the server has read all of them");
    let growth = resident(peer.pid()).saturating_sub(before);
    assert!(growth < GROWTH, "{growth} bytes more");
    terminate(peer.pid());
    assert_eq!(peer.exit_code(), Some(0));
    asking.join().unwrap();
}

#[test]
fn on_standard_output() {
    check_standard_output(|id| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" }));
}

#[test]
fn on_standard_output_to_what_is_no_message() {
    check_standard_output(|id| json!({ "jsonrpc": "2.0", "id": id, "method": 5 }));
}

#[test]
fn large_pieces_of_output() {
    let shop = Workshop::new();
    shop.shell_tool("my/large", "", "head -c 3000000 /dev/zero | tr '\\0' x");
    let mut peer = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    let run = peer.call("execute", &json!({ "item_id": "my/large" }))["structuredContent"]["run_id"].clone();
    let uri = format!("rye://output/{}/stdout", run.as_str().unwrap());
    let before = resident(peer.pid());
    let mut stdin = peer.take_stdin();
    // Their answers have a megabyte each.
    for id in 0..1000 {
        let params = json!({ "uri": uri });
        let question =
            json!({ "jsonrpc": "2.0", "id": id + 1000, "method": "resources/read", "params": params });
        writeln!(stdin, "{question}").unwrap();
    }
    let growth = || resident(peer.pid()).saturating_sub(before);
    eventually("answers", || (growth() > PIECES / 100).then_some(()));
    let megabytes = settled(|| growth() / (1024 * 1024));
    assert!(growth() < PIECES, "{megabytes} MB more");
    terminate(peer.pid());
    assert_eq!(peer.exit_code(), Some(0));
}

#[test]
fn over_http() {
    let shop = Workshop::new();
    let mut server = HttpServer::start(&shop.space.rye(["mcp", "serve", "--http", "127.0.0.1:0"]));
    let session = server.hello();
    let before = resident(server.pid());
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let question = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMcp-Session-Id: {session}\r\nContent-Length: {}\r\n\r\n{body}",
        server.address,
        server.token,
        body.len()
    );
    let connections: Vec<TcpStream> = (0..10).map(|_| TcpStream::connect(&server.address).unwrap()).collect();
    for connection in &connections {
        let (mut connection, questions) = (connection.try_clone().unwrap(), question.repeat(QUESTIONS / 10));
        // It may not be able to write all of them.
        std::thread::spawn(move || drop(connection.write_all(questions.as_bytes())));
    }
    settled(|| resident(server.pid()) / (1024 * 1024));
    // Others are served, in the same session too.
    assert_eq!(server.call(&session, "help", &json!({}))["structuredContent"]["status"], "success");
    server.hello();
    let growth = resident(server.pid()).saturating_sub(before);
    assert!(growth < GROWTH, "{growth} bytes more");
    terminate(server.pid());
    assert_eq!(server.exit_code(), Some(0));
    drop(connections);
}
