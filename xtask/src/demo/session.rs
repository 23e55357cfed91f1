//! An agent's side of an MCP session, message by message, so that the demo shows what goes over the wire.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::stage::Stage;
use crate::error::TaskError;

/// A server, and what was agreed with it.
pub(super) struct Session {
    server: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    last_id: u64,
    /// The questions that the person at the client was asked. They were all answered with yes.
    pub(super) questions: Vec<String>,
}

impl Session {
    /// Starts `rye mcp serve` and says hello.
    pub(super) fn open(stage: &Stage<'_>) -> Result<Self, TaskError> {
        let mut command = stage.command(&["mcp", "serve", "--log-level", "error"]);
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| stage.not_started(source))?;
        let (stdin, Some(stdout)) = (server.stdin.take(), server.stdout.take()) else {
            return Err(broken("the server has no standard output"));
        };
        let mut session =
            Self { server, stdin, stdout: BufReader::new(stdout), last_id: 0, questions: Vec::new() };
        session.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "elicitation": {} },
                "clientInfo": { "name": "demo", "version": "1" },
            }),
        )?;
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(session)
    }

    /// Calls a tool, and returns its structured result.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, TaskError> {
        let result = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        Ok(result["structuredContent"].clone())
    }

    /// Sends a request and waits for its result. Whatever the server asks meanwhile is agreed to.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> Result<Value, TaskError> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let message = self.receive()?;
            if message["method"] == "elicitation/create" {
                let question = message["params"]["message"].as_str().unwrap_or_default().to_owned();
                self.questions.push(question);
                let answer = json!({ "action": "accept", "content": { "agree": true } });
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer }))?;
            } else if message["id"] == id {
                return match message.get("result") {
                    Some(result) => Ok(result.clone()),
                    None => Err(TaskError::Demo {
                        what: format!("the server refused `{method}`"),
                        said: message.to_string(),
                    }),
                };
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), TaskError> {
        let Some(stdin) = &mut self.stdin else { return Err(broken("the session is over")) };
        writeln!(stdin, "{message}").map_err(|error| broken(&format!("the server does not listen: {error}")))
    }

    fn receive(&mut self) -> Result<Value, TaskError> {
        let mut line = String::new();
        match self.stdout.read_line(&mut line) {
            Ok(0) => Err(broken("the server has gone")),
            Ok(_) => serde_json::from_str(&line).map_err(|error| TaskError::Demo {
                what: format!("that is no message: {error}"),
                said: line,
            }),
            Err(error) => Err(broken(&format!("the server does not answer: {error}"))),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The server ends at the end of its input, and its workers with it.
        drop(self.stdin.take());
        let _ = self.server.wait();
    }
}

fn broken(what: &str) -> TaskError {
    TaskError::Demo { what: what.to_owned(), said: String::new() }
}
