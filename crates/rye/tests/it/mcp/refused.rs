//! What the log says about requests over HTTP that are refused, and about sessions.

use serde_json::json;

use super::http_peer::HttpServer;
use crate::workshop::{Workshop, eventually};

fn serve(shop: &Workshop, level: &str) -> HttpServer {
    let log = shop.space.path("home/log");
    let args = ["mcp", "serve", "--http", "127.0.0.1:0", "--log-level", level, "--log-file"];
    HttpServer::start(&shop.space.rye(args.into_iter().chain([log.to_str().unwrap()])))
}

fn refuse_everything(server: &HttpServer) {
    let message = json!({ "jsonrpc": "2.0", "id": 0, "method": "ping" });
    server.say("GET", &[("Authorization", "Bearer guessed-by-somebody")]);
    server.post(&[("Origin", "https://evil.example")], &message);
    server.post(&[], &json!({ "a": "confidential" }));
    server.post(&[], &json!("x".repeat(17 * 1024 * 1024)));
    let session = server.hello();
    let authorization = format!("Bearer {}", server.token);
    let ended = server.say("DELETE", &[("Authorization", &authorization), ("Mcp-Session-Id", &session)]);
    assert_eq!(ended.status, 202, "{}", ended.body);
}

fn check(level: &str, expect: &[&str], absent: &[&str]) {
    let shop = Workshop::new();
    let server = serve(&shop, level);
    refuse_everything(&server);
    let read = || std::fs::read_to_string(shop.space.path("home/log")).unwrap();
    for line in expect {
        eventually(line, || read().contains(line).then_some(()));
    }
    let log = read();
    for line in absent.iter().chain(&[server.token.as_str(), "guessed", "confidential", "xxx"]) {
        assert!(!log.contains(line), "{line}: {log}");
    }
}

#[test]
fn those_who_have_the_token_can_be_found() {
    let foreign = "a request was refused: its host or origin may not call";
    let expect = [foreign, "https://evil.example", "this is not a message", "its message is too long"];
    check("warn", &expect, &["has not got the token", "session"]);
}

#[test]
fn sessions_begin_and_end() {
    check("info", &["a session begins", "a session ends"], &["has not got the token"]);
}

#[test]
fn so_can_everybody_else_who_is_looked_for() {
    check("debug", &["a request was refused: it has not got the token"], &[]);
}
