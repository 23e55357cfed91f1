//! A client over HTTP that says exactly what it is told to say.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::hello;
use crate::space::Call;
use crate::workshop::eventually;

pub(super) struct HttpServer {
    child: Child,
    pub(super) address: String,
    pub(super) token: String,
}

pub(super) struct HttpAnswer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl HttpServer {
    pub(super) fn start(call: &Call<'_>) -> Self {
        let mut child = call.command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let second = lines.next().unwrap().unwrap();
        let address = first.strip_prefix("rye mcp serves http://").unwrap().strip_suffix("/mcp").unwrap();
        let token = second.strip_prefix("token: ").unwrap().split(' ').next().unwrap();
        Self { child, address: address.to_owned(), token: token.to_owned() }
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends the bytes of a request, and reads the answer until the connection ends.
    pub(super) fn send(&self, head: &[(&str, &str)], body: &[u8]) -> HttpAnswer {
        let stream = self.connect(head, body);
        answer(stream)
    }

    /// Sends a request, and gives the connection.
    pub(super) fn connect(&self, head: &[(&str, &str)], body: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let mut text =
            format!("POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in head {
            text.extend([name, ": ", value, "\r\n"]);
        }
        stream.write_all(text.as_bytes()).unwrap();
        stream.write_all(b"\r\n").unwrap();
        // A server that refuses need not read all of it.
        let _ = stream.write_all(body);
        stream
    }

    /// Sends the text of a request, with where it goes and whatever else is said, and reads the answer.
    pub(super) fn say(&self, method: &str, more: &[(&str, &str)]) -> HttpAnswer {
        let mut text = format!("{method} /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        for (name, value) in more {
            text.extend([name, ": ", value, "\r\n"]);
        }
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(format!("{text}\r\n").as_bytes()).unwrap();
        answer(stream)
    }

    /// Sends a message with everything that a good client says.
    pub(super) fn post(&self, more: &[(&str, &str)], message: &Value) -> HttpAnswer {
        let authorization = format!("Bearer {}", self.token);
        let mut head = vec![
            ("Host", self.address.as_str()),
            ("Authorization", &authorization),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        head.extend(more);
        self.send(&head, message.to_string().as_bytes())
    }

    /// Says hello, and gives the name of the session.
    pub(super) fn hello(&self) -> String {
        let message =
            json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello(&json!({})) });
        let answer = self.post(&[], &message);
        assert_eq!(answer.status, 200, "{}", answer.body);
        let session = answer.header("mcp-session-id").unwrap().to_owned();
        let message = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.post(&[("Mcp-Session-Id", &session)], &message).status, 202);
        session
    }

    /// Calls a tool in a session.
    pub(super) fn call(&self, session: &str, name: &str, arguments: &Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let answer = self.post(&[("Mcp-Session-Id", session)], &message);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.message()["result"].clone()
    }

    pub(super) fn exit_code(&mut self) -> Option<i32> {
        eventually("the end of the server", || self.child.try_wait().unwrap()).code()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl HttpAnswer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The last message of the body, which is one, or a stream of some.
    pub(super) fn message(&self) -> Value {
        let last =
            self.body.lines().filter_map(|line| line.strip_prefix("data: ")).rfind(|data| !data.is_empty());
        let text = last.unwrap_or(&self.body);
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// Reads the answer to what was sent, until the connection ends.
pub(super) fn answer(stream: TcpStream) -> HttpAnswer {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("{line}")).parse().unwrap();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_owned(), value.to_owned()));
    }
    let mut body = Vec::new();
    let _ = reader.read_to_end(&mut body);
    let is_chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = String::from_utf8(if is_chunked { without_chunks(&body) } else { body }).unwrap();
    HttpAnswer { status, headers, body }
}

fn without_chunks(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n") {
        let Ok(length) = usize::from_str_radix(str::from_utf8(&body[..end]).unwrap().trim(), 16) else {
            break;
        };
        if length == 0 {
            break;
        }
        whole.extend_from_slice(&body[end + 2..end + 2 + length]);
        body = &body[end + 4 + length..];
    }
    whole
}
