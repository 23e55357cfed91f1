//! A client of MCP servers that are programs: the same for all of them, and with a limit of time.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::deadline::{Deadline, end};
use super::side::Surroundings;
use crate::Result;

/// How long a server may take to end after its input was closed.
const PARTING: Duration = Duration::from_secs(3);

const INITIALIZE: &str =
    r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}"#;
const INITIALIZED: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";

/// A client, and the server that it has started.
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    complaints: File,
    received: Vec<u8>,
    last_id: u64,
}

impl Client {
    /// Starts a server, says hello, and tells how long it took until the answer.
    #[expect(clippy::disallowed_methods, reason = "a server as any client starts it")]
    pub(crate) fn start(
        command: &[OsString],
        surroundings: &Surroundings,
        limit: Duration,
    ) -> Result<(Self, Duration)> {
        let (program, arguments) = command.split_first().ok_or("no program")?;
        let complaints = tempfile::tempfile()?;
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(surroundings.environment.iter().cloned());
        command.current_dir(&surroundings.folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(complaints.try_clone()?);
        let start = Instant::now();
        let mut child = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or("no output")?;
        let mut client = Self { child, stdin, stdout, complaints, received: Vec::new(), last_id: 0 };
        client.request("initialize", INITIALIZE, limit)?;
        let elapsed = start.elapsed();
        client.send(INITIALIZED)?;
        Ok((client, elapsed))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Calls a tool, wants a text in its answer, and tells how long it took.
    pub(crate) fn call(&mut self, params: &str, expect: &str, limit: Duration) -> Result<Duration> {
        let start = Instant::now();
        let answer = self.request("tools/call", params, limit)?;
        let elapsed = start.elapsed();
        check(&answer, expect).map(|()| elapsed)
    }

    /// Makes the same call so many times at once, and tells how long it took until the last answer.
    pub(crate) fn call_together(
        &mut self,
        count: usize,
        params: &str,
        expect: &str,
        limit: Duration,
    ) -> Result<Duration> {
        let lines: String = (0..count).map(|_| self.line("tools/call", params)).collect();
        let (start, deadline) = (Instant::now(), Deadline::after(limit));
        self.send(&lines)?;
        let mut answers = Vec::new();
        while answers.len() < count {
            answers.push(self.answer(deadline)?);
        }
        let elapsed = start.elapsed();
        answers.iter().try_for_each(|answer| check(answer, expect)).map(|()| elapsed)
    }

    fn line(&mut self, method: &str, params: &str) -> String {
        self.last_id += 1;
        let id = self.last_id;
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n")
    }

    fn request(&mut self, method: &str, params: &str, limit: Duration) -> Result<String> {
        let line = self.line(method, params);
        let deadline = Deadline::after(limit);
        self.send(&line)?;
        self.answer(deadline)
    }

    /// The next answer. Whatever the server asks meanwhile, this client cannot do it.
    fn answer(&mut self, deadline: Deadline) -> Result<String> {
        loop {
            let line = self.receive(deadline)?;
            match asked_by_server(&line) {
                None => return Ok(line),
                Some(Value::Null) => {}
                Some(id) => {
                    let error = r#"{"code":-32601,"message":"not here"}"#;
                    self.send(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n"))?;
                }
            }
        }
    }

    fn send(&mut self, text: &str) -> Result<()> {
        let sent = self.stdin.as_mut().ok_or("no input")?.write_all(text.as_bytes());
        sent.map_err(|_| self.gone())
    }

    /// The next line.
    fn receive(&mut self, deadline: Deadline) -> Result<String> {
        let mut buffer = [0; 16 * 1024];
        let mut looked_at = 0;
        loop {
            if let Some(at) = self.received[looked_at..].iter().position(|&byte| byte == b'\n') {
                let rest = self.received.split_off(looked_at + at + 1);
                return Ok(String::from_utf8(std::mem::replace(&mut self.received, rest))?);
            }
            looked_at = self.received.len();
            deadline.readable(&self.stdout)?;
            match self.stdout.read(&mut buffer)? {
                0 => return Err(self.gone()),
                count => self.received.extend_from_slice(&buffer[..count]),
            }
        }
    }

    /// Why there is no answer.
    fn gone(&mut self) -> Box<dyn std::error::Error> {
        let mut said = String::new();
        let _ = self.complaints.rewind().and_then(|()| self.complaints.read_to_string(&mut said));
        let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        format!("the server has gone: {}", last.trim()).into()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A server whose client goes ends what it has started; one that is killed may not.
        drop(self.stdin.take());
        let _ = Deadline::after(PARTING).ended(&self.child);
        end(&mut self.child);
    }
}

/// What a line is that is no answer: the number of a question of the server, or null for a notification.
fn asked_by_server(line: &str) -> Option<Value> {
    // Answers are long, and are read only when the clock has stopped.
    if !line.contains("\"method\"") {
        return None;
    }
    let message: Value = serde_json::from_str(line).ok()?;
    message.get("method")?;
    Some(message.get("id").cloned().unwrap_or(Value::Null))
}

/// Wants an answer that is no error, and has a text in it.
fn check(answer: &str, expect: &str) -> Result<()> {
    let value: Value = serde_json::from_str(answer)?;
    let is_error =
        value.get("error").is_some() || value.pointer("/result/isError") == Some(&Value::Bool(true));
    if !is_error && plain(answer).contains(expect) {
        return Ok(());
    }
    let text = value.pointer("/result/content/0/text").and_then(Value::as_str).unwrap_or(answer);
    let start: String = text.trim().chars().take(200).collect();
    Err(format!("no `{expect}` in the answer: {}", start.replace('\n', " ")).into())
}

/// The same without spaces and without the signs that JSON within JSON needs.
pub(crate) fn plain(text: &str) -> String {
    text.chars().filter(|&letter| letter != '\\' && !letter.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_what_is_expected_however_it_is_written() {
        let answer = r#"{"id":1,"result":{"content":[{"type":"text","text":"{\"words\": 5}"}]}}"#;
        check(answer, r#""words":5"#).unwrap();
        assert!(check(answer, r#""words":6"#).is_err());
    }

    #[test]
    fn what_the_server_asks_is_no_answer() {
        assert_eq!(asked_by_server(r#"{"id":1,"result":{"text":"\"method\""}}"#), None);
        assert_eq!(asked_by_server(r#"{"method":"notifications/message"}"#), Some(Value::Null));
        assert_eq!(asked_by_server(r#"{"id":7,"method":"roots/list"}"#), Some(Value::from(7)));
    }

    #[test]
    fn an_error_is_none() {
        let answer = r#"{"id":1,"result":{"isError":true,"content":[{"type":"text","text":"hello"}]}}"#;
        assert_eq!(check(answer, "hello").unwrap_err().to_string(), "no `hello` in the answer: hello");
        assert!(check(r#"{"id":1,"error":{"message":"hello"}}"#, "hello").is_err());
    }
}
