//! A client on standard input and output that says exactly what it is told to say.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::hello;
use crate::space::Call;
use crate::workshop::eventually;

pub(crate) struct StdioPeer {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    last_id: u64,
    /// What came that was no answer.
    pub(crate) others: Vec<Value>,
}

impl StdioPeer {
    /// Starts a server, and says nothing.
    pub(crate) fn start(call: &Call<'_>) -> Self {
        let mut command = call.command();
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout, last_id: 0, others: Vec::new() }
    }

    /// Starts a server, and says hello.
    pub(crate) fn connect(call: &Call<'_>) -> Self {
        Self::with_capabilities(call, &json!({}))
    }

    pub(crate) fn with_capabilities(call: &Call<'_>, capabilities: &Value) -> Self {
        let mut peer = Self::start(call);
        let answer = peer.request("initialize", &hello(capabilities));
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        peer.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        peer
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    pub(crate) fn send_text(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
        stdin.write_all(b"\n").unwrap();
    }

    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "the server has gone");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Sends a request and does not wait.
    pub(crate) fn begin(&mut self, method: &str, params: &Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The answer to a request; what comes before it is kept.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        let is_wanted = |message: &Value| message["id"] == id && message.get("method").is_none();
        if let Some(at) = self.others.iter().position(is_wanted) {
            return self.others.remove(at);
        }
        loop {
            let message = self.receive();
            if is_wanted(&message) {
                return message;
            }
            self.others.push(message);
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let answer = self.request("tools/call", &json!({ "name": name, "arguments": arguments }));
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// What the server reads from, for whoever wants to write on another thread.
    pub(super) fn take_stdin(&mut self) -> ChildStdin {
        self.stdin.take().unwrap()
    }

    /// Says nothing more.
    pub(crate) fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end of the server.
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        eventually("the end of the server", || self.child.try_wait().unwrap()).code()
    }

    /// Kills the server, which cannot do anything about it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for StdioPeer {
    fn drop(&mut self) {
        self.hang_up();
        for _ in 0..200 {
            if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
    }
}
