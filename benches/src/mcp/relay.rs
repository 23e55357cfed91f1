//! The least that anybody has to do who stands before a server and holds what a call needs against its digest: a line is read,
//! the files are read and hashed, the line is passed on, and so is the answer.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lillux::Digest;

use crate::Result;

/// The argument that makes this program such a relay. Two files follow, and the command of the server.
pub(crate) const RELAY: &str = "--relay";

/// How this program is started as one.
pub(crate) fn command(files: [PathBuf; 2]) -> Result<Vec<OsString>> {
    let own = [std::env::current_exe()?.into_os_string(), RELAY.into()];
    Ok(own.into_iter().chain(files.map(PathBuf::into_os_string)).collect())
}

/// Passes on lines until there are no more.
#[expect(clippy::disallowed_methods, reason = "a server as any client starts it")]
pub(crate) fn run(arguments: &[OsString]) -> Result<()> {
    let [tool, server, program, rest @ ..] = arguments else { return Err("files and a program".into()) };
    let files = [Path::new(tool), Path::new(server)];
    let digests = read(files)?;
    let mut child = Command::new(program).args(rest).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut requests = child.stdin.take().ok_or("no input")?;
    let mut answers = BufReader::new(child.stdout.take().ok_or("no output")?);
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        if read(files)? != digests {
            return Err("a file is another one".into());
        }
        requests.write_all(&line)?;
        // What is only told is not answered, and a server may tell things before it answers.
        let mut is_open = has(&line, b"\"id\":");
        line.clear();
        while is_open && answers.read_until(b'\n', &mut line)? > 0 {
            is_open = !has(&line, b"\"id\":") || has(&line, b"\"method\":");
            output.write_all(&line)?;
            output.flush()?;
            line.clear();
        }
    }
    drop(requests);
    child.wait()?;
    Ok(())
}

fn has(line: &[u8], text: &[u8]) -> bool {
    line.windows(text.len()).any(|part| part == text)
}

fn read(files: [&Path; 2]) -> Result<[Digest; 2]> {
    let [tool, server] = files.map(|file| std::fs::read(file).map(|bytes| Digest::of(&bytes)));
    Ok([tool?, server?])
}
