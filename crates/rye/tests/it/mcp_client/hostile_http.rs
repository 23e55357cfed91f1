//! Servers that are reached by HTTP and do not do what they should.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::space::TestSpace;

/// Serves each connection in the same way. Returns the address.
fn serve(answer: impl Fn(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || listener.incoming().flatten().for_each(answer));
    format!("http://{address}/mcp")
}

/// What is said about a server that cannot be imported.
fn failure(url: &str) -> String {
    failure_within("3", url)
}

fn failure_within(seconds: &str, url: &str) -> String {
    let space = TestSpace::with_key();
    let command = ["mcp", "add", "bad", "--yes", "--timeout", seconds, "--url", url];
    let output = space.rye(command).output();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(!space.path("project/.ai/tools/mcp").exists());
    String::from_utf8(output.stderr).unwrap()
}

/// Reads the head of a request, and writes an answer.
fn reply(mut stream: TcpStream, answer: &str) {
    let mut buffer = [0; 4096];
    // A client that has gone away needs no answer.
    let _ = stream.read(&mut buffer);
    let _ = stream.write_all(answer.as_bytes());
}

#[test]
fn a_server_that_never_answers_has_its_time() {
    let url = serve(|stream| {
        std::thread::spawn(move || std::io::copy(&mut &stream, &mut std::io::sink()));
    });
    let said = failure(&url);
    assert!(said.contains("it did not answer within 3 s [TIMEOUT]"), "{said}");
}

#[test]
fn a_server_that_is_none_is_named() {
    let page =
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 5\r\nconnection: close\r\n\r\n<html";
    let said = failure(&serve(move |stream| reply(stream, page)));
    assert!(said.contains("text/html") && said.contains("[SERVER_FAILED]"), "{said}");
    let said = failure(&serve(|stream| reply(stream, "no HTTP at all\r\n\r\n")));
    assert!(said.contains("[SERVER_FAILED]"), "{said}");
}

#[test]
fn a_server_that_sends_us_elsewhere_is_not_followed() {
    let moved = "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let said = failure(&serve(move |stream| reply(stream, moved)));
    assert!(said.contains("307") && said.contains("[SERVER_FAILED]"), "{said}");
}

/// A reply that has no end: its head, and what comes before spaces without number.
struct Endless {
    head: &'static str,
    start: &'static str,
}

/// A server that answers some questions, and to all others gives a reply that has no end.
struct EndlessServer {
    url: String,
    /// How many bytes it got rid of.
    sent: Arc<AtomicUsize>,
    /// What it was asked.
    asked: Arc<Mutex<Vec<String>>>,
}

/// What is sent of a reply that has no end, before the server says no more and waits: a client that would read on has
/// neither an answer nor the end of a connection.
const SENT: usize = 128 * 1024 * 1024;
const IS_JSON: &str = "200 OK\r\ncontent-type: application/json";
const IS_EVENTS: &str = "200 OK\r\ncontent-type: text/event-stream";
const TOO_LONG: &str = "it sent a message of more than 16777216 bytes [OUTPUT_LIMIT]";

impl EndlessServer {
    fn start(reply: Endless, answer: fn(&Value) -> Option<String>) -> Self {
        let (sent, asked) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
        let (count, questions, reply) = (Arc::clone(&sent), Arc::clone(&asked), Arc::new(reply));
        let url = serve(move |mut stream| {
            let (count, questions, reply) = (Arc::clone(&count), Arc::clone(&questions), Arc::clone(&reply));
            std::thread::spawn(move || {
                let Some((method, message)) = read_request(&stream) else { return };
                let name = message["method"].as_str().unwrap_or(&method).to_owned();
                questions.lock().unwrap().push(name);
                match answer(&message) {
                    // A client that has gone away needs no answer.
                    Some(answer) => drop(stream.write_all(answer.as_bytes())),
                    None => reply.send(stream, &count),
                }
            });
        });
        Self { url, sent, asked }
    }

    /// What is said about it, by somebody who did not read much of it.
    fn failure(&self) -> String {
        let said = failure_within("30", &self.url);
        let sent = self.sent.load(Ordering::Relaxed);
        assert!(sent < SENT, "{sent} bytes were read: {said}");
        said
    }
}

impl Endless {
    fn send(&self, mut stream: TcpStream, count: &AtomicUsize) {
        let part = vec![b' '; 64 * 1024];
        let chunk = [format!("{:x}\r\n", part.len()).as_bytes(), &part, b"\r\n"].concat();
        let Self { head, start } = self;
        let begin =
            format!("HTTP/1.1 {head}\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{start}\r\n", start.len());
        let mut written = stream.write_all(begin.as_bytes());
        while written.is_ok() && count.load(Ordering::Relaxed) < SENT {
            written = stream.write_all(&chunk);
            count.fetch_add(part.len(), Ordering::Relaxed);
        }
        if written.is_ok() {
            drop(std::io::copy(&mut stream, &mut std::io::sink()));
        }
    }
}

/// The method of a request and the message in it, if it has one.
fn read_request(stream: &TcpStream) -> Option<(String, Value)> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).ok()?;
    for line in reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((first.split(' ').next()?.to_owned(), serde_json::from_slice(&body).unwrap_or_default()))
}

fn nothing(_: &Value) -> Option<String> {
    None
}

/// Answers everything that comes before the list of tools.
fn a_handshake(message: &Value) -> Option<String> {
    let reply = |head: &str, body: &str| {
        Some(format!("HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len()))
    };
    match message["method"].as_str() {
        Some("initialize") => {
            let server = json!({ "name": "bad", "version": "1" });
            let result = json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "serverInfo": server });
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
            reply(IS_JSON, &answer.to_string())
        }
        Some("tools/list") => None,
        Some(method) if method.starts_with("notifications/") => reply("202 Accepted", ""),
        _ => reply("400 Bad Request", ""),
    }
}

#[test]
fn a_reply_without_an_end_is_not_read_to_its_end() {
    for answer in [nothing, a_handshake] {
        let server = EndlessServer::start(Endless { head: IS_JSON, start: " " }, answer);
        let said = server.failure();
        assert!(said.contains(TOO_LONG), "{said}");
    }
}

#[test]
fn a_reply_that_says_that_it_is_too_long_is_not_read() {
    let url = serve(|stream| {
        let head = format!("HTTP/1.1 {IS_JSON}\r\ncontent-length: 17000000000\r\n\r\n");
        std::thread::spawn(move || {
            reply(stream.try_clone().unwrap(), &head);
            // The client goes away before this does.
            std::io::copy(&mut &stream, &mut std::io::sink())
        });
    });
    let said = failure(&url);
    assert!(said.contains(TOO_LONG), "{said}");
}

#[test]
fn a_failure_without_an_end_is_not_read_to_its_end() {
    for (head, told) in [
        ("500 Internal Server Error\r\ncontent-type: application/json", "HTTP 500"),
        ("400 Bad Request\r\ncontent-type: application/json", "HTTP 400 Bad Request: "),
        ("400 Bad Request\r\ncontent-type: text/plain", "HTTP 400 Bad Request: "),
    ] {
        let server = EndlessServer::start(Endless { head, start: " " }, nothing);
        let said = server.failure();
        assert!(said.contains(told) && said.contains("[SERVER_FAILED]"), "{said}");
    }
}

#[test]
fn an_event_without_an_end_is_not_read_to_its_end() {
    for answer in [nothing, a_handshake] {
        let server = EndlessServer::start(Endless { head: IS_EVENTS, start: "data: " }, answer);
        let said = server.failure();
        assert!(said.contains(TOO_LONG), "{said}");
    }
}

#[test]
fn an_event_without_an_end_is_not_asked_for_again() {
    // Whoever has seen an event may come back for those that it has missed, and is told to do so at once.
    let start = "id: 1\nretry: 0\ndata:\n\ndata: ";
    let server = EndlessServer::start(Endless { head: IS_EVENTS, start }, a_handshake);
    let said = server.failure();
    assert!(said.contains(TOO_LONG), "{said}");
    let asked = server.asked.lock().unwrap().clone();
    let lists = asked.iter().filter(|asked| *asked == "tools/list").count();
    assert_eq!((lists, asked.contains(&"GET".to_owned())), (1, false), "{asked:?}");
}
