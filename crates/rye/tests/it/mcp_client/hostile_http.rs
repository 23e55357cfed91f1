//! Servers that are reached by HTTP and do not do what they should.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

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
    let space = TestSpace::with_key();
    let command = ["mcp", "add", "bad", "--yes", "--timeout", "3", "--url", url];
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
