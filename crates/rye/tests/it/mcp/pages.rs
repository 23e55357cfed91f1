//! Web pages over HTTP: browsers are told what those may do that may call, and nothing about the others.

use serde_json::json;

use super::http_peer::{HttpAnswer, HttpServer};
use crate::workshop::Workshop;

const OWN: &str = "http://localhost:8080";
const ALLOWED: &str = "https://page.example";
const FOREIGN: &str = "https://evil.example";

fn serve(shop: &Workshop) -> HttpServer {
    let args = ["mcp", "serve", "--http", "127.0.0.1:0", "--allow-origin", "https://page.example:443"];
    HttpServer::start(&shop.space.rye(args))
}

fn ask_first(server: &HttpServer, origin: &str) -> HttpAnswer {
    let asked = "authorization,content-type,mcp-protocol-version";
    let head = [
        ("Origin", origin),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", asked),
    ];
    server.say("OPTIONS", &head)
}

fn expect_nothing_said(answer: &HttpAnswer) {
    let said: Vec<_> =
        answer.headers.iter().filter(|(name, _)| name.starts_with("access-control-")).collect();
    assert!(said.is_empty(), "{said:?}");
}

#[test]
fn a_browser_may_ask_before_it_sends_the_token() {
    let shop = Workshop::new();
    let server = serve(&shop);
    for origin in [OWN, ALLOWED] {
        let answer = ask_first(&server, origin);
        assert_eq!(answer.status, 204, "{}", answer.body);
        assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
        assert_eq!(answer.header("access-control-allow-methods"), Some("GET, POST, DELETE"));
        assert_eq!(answer.header("vary"), Some("origin"));
        assert!(answer.header("access-control-max-age").is_some());
        let allowed = answer.header("access-control-allow-headers").unwrap();
        for name in ["authorization", "content-type", "mcp-session-id", "mcp-protocol-version", "mcp-method"]
        {
            assert!(allowed.split(", ").any(|known| known == name), "{name}: {allowed}");
        }
    }
    for origin in [FOREIGN, "null", "http://page.example", "https://page.example:444"] {
        let answer = ask_first(&server, origin);
        assert_eq!(answer.status, 403, "{origin}");
        expect_nothing_said(&answer);
    }
    // Without a page, it is a request as any other.
    assert_eq!(server.say("OPTIONS", &[("Access-Control-Request-Method", "POST")]).status, 401);
    assert_eq!(server.say("OPTIONS", &[("Origin", OWN)]).status, 401);
}

#[test]
fn a_page_that_may_call_can_read_every_answer() {
    let shop = Workshop::new();
    let server = serve(&shop);
    let message =
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": super::hello(&json!({})) });
    let answer = server.post(&[("Origin", ALLOWED)], &message);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.header("mcp-session-id").is_some());
    let refused = server.say("GET", &[("Origin", ALLOWED)]);
    assert_eq!(refused.status, 401);
    for answer in [&answer, &refused] {
        assert_eq!(answer.header("access-control-allow-origin"), Some(ALLOWED));
        assert_eq!(answer.header("access-control-expose-headers"), Some("mcp-session-id"));
        assert_eq!(answer.header("vary"), Some("origin"));
    }
    let foreign = server.post(&[("Origin", FOREIGN)], &message);
    assert_eq!(foreign.status, 403);
    expect_nothing_said(&foreign);
    expect_nothing_said(&server.post(&[], &message));
}
