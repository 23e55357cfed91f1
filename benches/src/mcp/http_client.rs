//! A client that writes a request to a connection that stays open, and reads the answer.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::Result;

/// A server that is reached by HTTP.
pub(crate) struct HttpServer {
    child: Child,
    address: String,
    token: String,
}

/// A client of it.
pub(crate) struct HttpClient {
    stream: BufReader<TcpStream>,
    head: String,
    last_id: u64,
}

/// Somebody who sends back what is sent.
pub(crate) struct TcpEcho(TcpStream);

const INITIALIZE: &str =
    r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}"#;

impl HttpServer {
    #[expect(clippy::disallowed_methods, reason = "a server as anybody starts it")]
    pub(crate) fn start(
        command: &[OsString],
        environment: &[(OsString, OsString)],
        folder: &Path,
    ) -> Result<Self> {
        let (program, arguments) = command.split_first().ok_or("no program")?;
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(environment.iter().cloned()).current_dir(folder);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(child.stderr.take().ok_or("no output")?).lines();
        let mut word = |start: &str| -> Result<String> {
            let line = lines.next().ok_or("the server has gone")??;
            let rest = line.strip_prefix(start).ok_or_else(|| format!("the server says: {line}"))?;
            Ok(rest.split(' ').next().unwrap_or_default().trim_end_matches("/mcp").to_owned())
        };
        let (address, token) = (word("rye mcp serves http://")?, word("token: ")?);
        // Whoever reads no more would stop the server when the pipe is full.
        std::thread::spawn(move || lines.count());
        Ok(Self { child, address, token })
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // What has ended already cannot be ended again.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl HttpClient {
    /// Connects, and says hello.
    pub(crate) fn connect(server: &HttpServer) -> Result<Self> {
        let stream = TcpStream::connect(&server.address)?;
        stream.set_nodelay(true)?;
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n",
            server.address, server.token
        );
        let mut client = Self { stream: BufReader::new(stream), head, last_id: 0 };
        let hello = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{INITIALIZE}}}"#);
        let (headers, _) = client.send(&hello)?;
        let session = headers.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
        });
        if let Some(session) = session {
            client.head += &["Mcp-Session-Id: ", &session, "\r\n"].concat();
        }
        client.head.push_str("MCP-Protocol-Version: 2025-11-25\r\n");
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        Ok(client)
    }

    /// Calls a tool, whose answer has to have a text in it.
    pub(crate) fn call(&mut self, params: &str, expect: &str) -> Result<()> {
        self.last_id += 1;
        let id = self.last_id;
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#);
        let (_, body) = self.send(&message)?;
        if body.contains(expect) { Ok(()) } else { Err(format!("no {expect} in {body}").into()) }
    }

    /// Sends a request, and reads the head and the body of the answer.
    fn send(&mut self, body: &str) -> Result<(String, String)> {
        let request = format!("{}Content-Length: {}\r\n\r\n{body}", self.head, body.len());
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.stream.read_line(&mut head)? == 0 {
                return Err("the server has gone".into());
            }
        }
        if !head.starts_with("HTTP/1.1 2") {
            return Err(format!("the server answers {head}").into());
        }
        let lower = head.to_ascii_lowercase();
        let body = if lower.contains("transfer-encoding: chunked") {
            self.chunks()?
        } else {
            let length = lower.lines().find_map(|line| line.strip_prefix("content-length:"));
            self.exactly(length.map_or(Ok(0), |length| length.trim().parse())?)?
        };
        Ok((head, String::from_utf8(body)?))
    }

    fn chunks(&mut self) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut size = String::new();
            self.stream.read_line(&mut size)?;
            let size = usize::from_str_radix(size.trim(), 16)?;
            body.extend(self.exactly(size)?);
            self.exactly(2)?;
            if size == 0 {
                return Ok(body);
            }
        }
    }

    fn exactly(&mut self, length: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl TcpEcho {
    pub(crate) fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let stream = TcpStream::connect(listener.local_addr()?)?;
        stream.set_nodelay(true)?;
        let (mut other, _) = listener.accept()?;
        other.set_nodelay(true)?;
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // It ends with the connection.
            while let Ok(count @ 1..) = other.read(&mut buffer) {
                if other.write_all(&buffer[..count]).is_err() {
                    return;
                }
            }
        });
        Ok(Self(stream))
    }

    pub(crate) fn echoed(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write_all(bytes)?;
        let mut back = vec![0; bytes.len()];
        self.0.read_exact(&mut back)?;
        if back == bytes { Ok(()) } else { Err("other bytes came back".into()) }
    }
}
