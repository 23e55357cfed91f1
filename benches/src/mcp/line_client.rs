//! A client that writes a line and reads one, and does nothing else: its own cost is the same whoever answers.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::Result;

/// A client of a server that is a program.
pub(crate) struct LineClient {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    line: String,
    last_id: u64,
}

const INITIALIZE: &str =
    r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}"#;
const INITIALIZED: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";

impl LineClient {
    /// Starts a server, and says hello.
    pub(crate) fn start(
        command: &[OsString],
        environment: &[(OsString, OsString)],
        folder: &Path,
    ) -> Result<Self> {
        let mut client = Self::run(command, environment, folder)?;
        client.request("initialize", INITIALIZE, "serverInfo")?;
        client.stdin.write_all(INITIALIZED.as_bytes())?;
        Ok(client)
    }

    /// A program that answers with what it is told.
    pub(crate) fn echo() -> Result<Self> {
        Self::run(&["/bin/cat".into()], &[], Path::new("/"))
    }

    /// Starts a server, and says nothing.
    #[expect(clippy::disallowed_methods, reason = "a server as any client starts it")]
    pub(crate) fn run(
        command: &[OsString],
        environment: &[(OsString, OsString)],
        folder: &Path,
    ) -> Result<Self> {
        let (program, arguments) = command.split_first().ok_or("no program")?;
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(environment.iter().cloned()).current_dir(folder);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let stdin = child.stdin.take().ok_or("no input")?;
        let stdout = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Self { child, stdin, stdout, line: String::new(), last_id: 0 })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Calls a tool, whose answer has to have a text in it.
    pub(crate) fn call(&mut self, params: &str, expect: &str) -> Result<&str> {
        self.request("tools/call", params, expect)
    }

    /// Sends a line, and waits for it to come back.
    pub(crate) fn echoed(&mut self, line: &str) -> Result<()> {
        self.stdin.write_all(format!("{line}\n").as_bytes())?;
        self.line.clear();
        self.stdout.read_line(&mut self.line)?;
        if self.line.trim_end() == line { Ok(()) } else { Err("another line came back".into()) }
    }

    fn request(&mut self, method: &str, params: &str, expect: &str) -> Result<&str> {
        self.last_id += 1;
        let id = self.last_id;
        let request =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n");
        self.stdin.write_all(request.as_bytes())?;
        let tags = [format!("\"id\":{id},"), format!("\"id\":{id}}}")];
        loop {
            self.line.clear();
            if self.stdout.read_line(&mut self.line)? == 0 {
                return Err("the server has gone".into());
            }
            if tags.iter().any(|tag| self.line.contains(tag)) {
                break;
            }
        }
        if self.line.contains(expect) {
            Ok(&self.line)
        } else {
            Err(format!("no {expect} in {}", self.line).into())
        }
    }
}

impl Drop for LineClient {
    fn drop(&mut self) {
        // What has ended already cannot be ended again.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
