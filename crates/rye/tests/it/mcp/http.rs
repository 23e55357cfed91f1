//! Over HTTP: the same tools, for whoever has the token and comes from where it may.

use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::http_peer::{HttpServer, answer};
use super::stateless_meta;
use crate::workshop::{Workshop, eventually, own_time, processes_with};

fn serve(shop: &Workshop) -> HttpServer {
    HttpServer::start(&shop.space.rye(["mcp", "serve", "--http", "127.0.0.1:0"]))
}

#[test]
fn a_session_runs_a_tool() {
    let shop = Workshop::new();
    shop.shell_tool("my/echo", "", "cat");
    let server = serve(&shop);
    let session = server.hello();
    let done = server.call(&session, "execute", &json!({ "item_id": "my/echo", "parameters": { "a": 1 } }));
    assert_eq!(done["structuredContent"]["data"], json!({ "a": 1 }), "{done}");
    let kept = shop.space.path("home/.local/state/rye/mcp/token");
    assert_eq!(std::fs::read_to_string(&kept).unwrap().trim(), server.token);
    assert_eq!(kept.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_request_without_a_session_stands_for_itself_and_numbers_keep_their_digits() {
    let shop = Workshop::new();
    shop.shell_tool("my/echo", "", "cat");
    let server = serve(&shop);
    let meta = stateless_meta(&json!({})).to_string();
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{meta},"name":"execute","arguments":{{"item_id":"my/echo","parameters":{{"n":123456789012345678901234567890}}}}}}}}"#
    );
    let authorization = format!("Bearer {}", server.token);
    let head = [
        ("Host", server.address.as_str()),
        ("Authorization", &authorization),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "execute"),
    ];
    let answer = server.send(&head, body.as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.body);
    let text = answer.message()["result"]["content"][0]["text"].clone();
    assert_eq!(text, r#"{"n":123456789012345678901234567890}"#);
    assert_eq!(answer.header("mcp-session-id"), None);
}

#[test]
fn whoever_may_not_is_told_so() {
    let shop = Workshop::new();
    let server = serve(&shop);
    let token = format!("Bearer {}", server.token);
    let body =
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": super::hello(&json!({})) });
    let status = |host: &str, token: Option<&str>, origin: Option<&str>| {
        let mut head = vec![
            ("Host", host),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        head.extend(token.map(|token| ("Authorization", token)));
        head.extend(origin.map(|origin| ("Origin", origin)));
        server.send(&head, body.to_string().as_bytes()).status
    };
    let own = server.address.as_str();
    assert_eq!(status(own, Some(&token), None), 200);
    assert_eq!(status(own, None, None), 401);
    assert_eq!(status(own, Some("Bearer wrong"), None), 401);
    assert_eq!(status(own, Some(&server.token), None), 401);
    assert_eq!(status("evil.example", Some(&token), None), 403);
    assert_eq!(status(own, Some(&token), Some("https://evil.example")), 403);
    assert_eq!(status(own, Some(&token), Some("null")), 403);
    assert_eq!(status(own, Some(&token), Some("https://localhost.evil.example")), 403);
    assert_eq!(status(own, Some(&token), Some("http://localhost:8080")), 200);
}

#[test]
fn what_is_wrong_or_too_long_is_refused_and_the_server_lives() {
    let shop = Workshop::new();
    let server = serve(&shop);
    let token = format!("Bearer {}", server.token);
    let send = |body: &[u8]| {
        let head = [
            ("Host", server.address.as_str()),
            ("Authorization", token.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        server.send(&head, body)
    };
    assert_eq!(send(&vec![b'x'; 100 * 1024 * 1024]).status, 413);
    for (body, code) in [
        ("nonsense", -32700),
        ("{\"jsonrpc\":", -32700),
        ("", -32700),
        ("[]", -32600),
        ("{}", -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
    ] {
        let answer = send(body.as_bytes());
        assert_eq!(answer.status, 400, "{body}: {}", answer.body);
        assert_eq!(answer.message()["error"]["code"], code, "{body}: {}", answer.body);
    }
    let session = server.hello();
    let ask = |method: &str, params: &str| {
        let message = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
        let head = [
            ("Host", server.address.as_str()),
            ("Authorization", token.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Mcp-Session-Id", session.as_str()),
        ];
        server.send(&head, message.as_bytes()).message()
    };
    assert_eq!(ask("no/such/method", "{}")["error"]["code"], -32601);
    assert_eq!(ask("tools/call", r#"{"name": 5}"#)["error"]["code"], -32602);
    let twice = ask("tools/call", r#"{"name": "load", "arguments": {"item_id": "a", "item_id": "b"}}"#);
    assert_eq!(twice["result"]["structuredContent"]["error"]["code"], "PARAMS_INVALID", "{twice}");
    assert_eq!(ask("ping", "{}")["result"], json!({}));
}

#[test]
fn a_server_that_is_told_to_end_ends_its_runs() {
    let shop = Workshop::new();
    let time = own_time();
    shop.shell_tool("my/sleeper", "", &format!("sleep {time}"));
    let mut server = serve(&shop);
    let session = server.hello();
    let params = json!({ "name": "execute", "arguments": { "item_id": "my/sleeper" } });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let token = format!("Bearer {}", server.token);
    let head = [
        ("Host", server.address.as_str()),
        ("Authorization", token.as_str()),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("Mcp-Session-Id", session.as_str()),
    ];
    let connection = server.connect(&head, message.to_string().as_bytes());
    // A stream that nobody asked anything on keeps nothing waiting.
    let mut listening = TcpStream::connect(&server.address).unwrap();
    let request = format!(
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: {token}\r\nAccept: text/event-stream\r\n\
         Mcp-Session-Id: {session}\r\n\r\n",
        server.address
    );
    listening.write_all(request.as_bytes()).unwrap();
    eventually("its process", || (!processes_with(&time).is_empty()).then_some(()));
    let pid = Pid::from_raw(i32::try_from(server.pid()).unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    let answered = answer(connection).message();
    assert_eq!((&answered["id"], &answered["result"]["isError"]), (&json!(1), &json!(true)), "{answered}");
    assert_eq!(server.exit_code(), Some(0));
    assert_eq!(processes_with(&time), Vec::<u32>::new());
    drop(listening);
}
