//! Clients over HTTP that go before they are answered: what they have asked for ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http_peer::HttpServer;
use super::stateless_meta;
use crate::workshop::{Workshop, eventually, own_time, processes_with};

/// A server with a tool that sleeps.
fn serve() -> (Workshop, HttpServer, String) {
    let shop = Workshop::new();
    let time = own_time();
    let script =
        format!("cd \"$1\"; until [ -e go ]; do sleep 0.1; done & sleep {time} & wait -n; echo done");
    shop.shell_tool("my/sleeper", "", &script);
    let server = HttpServer::start(&shop.space.rye(["mcp", "serve", "--http", "127.0.0.1:0"]));
    (shop, server, time)
}

/// A connection by which the tool was called, once it runs.
fn call(server: &HttpServer, more: &[(&str, &str)], meta: &Value, time: &str) -> TcpStream {
    let params = json!({ "name": "execute", "arguments": { "item_id": "my/sleeper" }, "_meta": meta });
    let message = json!({ "jsonrpc": "2.0", "id": "mine", "method": "tools/call", "params": params });
    let token = format!("Bearer {}", server.token);
    let mut head = vec![
        ("Host", server.address.as_str()),
        ("Authorization", token.as_str()),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
    ];
    head.extend(more);
    let connection = server.connect(&head, message.to_string().as_bytes());
    eventually("its process", || (!processes_with(time).is_empty()).then_some(()));
    connection
}

fn expect_nothing_left(shop: &Workshop, time: &str) {
    eventually("the end of its processes", || processes_with(time).is_empty().then_some(()));
    eventually("its record", || (shop.runs([]).json()["runs"][0]["state"] == "cancelled").then_some(()));
}

#[test]
fn of_a_session() {
    let (shop, server, time) = serve();
    let session = server.hello();
    let connection = call(&server, &[("Mcp-Session-Id", &session)], &json!({}), &time);
    drop(connection);
    expect_nothing_left(&shop, &time);
    assert_eq!(server.call(&session, "help", &json!({}))["structuredContent"]["status"], "success");
}

#[test]
fn that_end_their_session() {
    let (shop, server, time) = serve();
    let session = server.hello();
    let connection = call(&server, &[("Mcp-Session-Id", &session)], &json!({}), &time);
    let begin = Instant::now();
    let mut ending = TcpStream::connect(&server.address).unwrap();
    write!(
        ending,
        "DELETE /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nMcp-Session-Id: {session}\r\n\r\n",
        server.address, server.token
    )
    .unwrap();
    eventually("the end of its processes", || processes_with(&time).is_empty().then_some(()));
    // Nobody can come back, so nobody is waited for.
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    expect_nothing_left(&shop, &time);
    drop(connection);
}

#[test]
fn without_a_session() {
    let (shop, server, time) = serve();
    let head =
        [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "execute")];
    let connection = call(&server, &head, &stateless_meta(&json!({})), &time);
    drop(connection);
    expect_nothing_left(&shop, &time);
}

#[test]
fn and_come_back_for_the_answer() {
    let (shop, server, time) = serve();
    let session = server.hello();
    let connection = call(&server, &[("Mcp-Session-Id", &session)], &json!({}), &time);
    let mut lines = BufReader::new(connection).lines().map(Result::unwrap);
    let last = lines.find_map(|line| line.strip_prefix("id:").map(|id| id.trim().to_owned())).unwrap();
    drop(lines);
    let mut back = TcpStream::connect(&server.address).unwrap();
    write!(
        back,
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nAccept: text/event-stream\r\n\
         Mcp-Session-Id: {session}\r\nLast-Event-ID: {last}\r\n\r\n",
        server.address, server.token
    )
    .unwrap();
    // Longer than a client is waited for.
    std::thread::sleep(Duration::from_secs(6));
    assert!(!processes_with(&time).is_empty());
    shop.space.write("project/go", "");
    let mut seen = Vec::new();
    let mut piece = [0; 4096];
    while !String::from_utf8_lossy(&seen).contains("done") {
        let count = back.read(&mut piece).unwrap();
        assert!(count > 0, "{}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&piece[..count]);
    }
}
