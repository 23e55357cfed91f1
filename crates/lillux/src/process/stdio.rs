//! The pipes between us and a program.

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::pipe::{PipeFlags, pipe_with};

use super::launch::FOURTH;

/// Both ends of the three standard streams.
pub(super) struct Stdio {
    /// The program's ends.
    pub(super) theirs: [OwnedFd; 3],
    pub(super) ours: Pipes,
}

/// Our ends of the three standard streams.
pub(super) struct Pipes {
    pub(super) stdin: Option<Feed>,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// Our end of a program's standard input, and how much of it has been written.
pub(super) struct Feed {
    pipe: OwnedFd,
    written: usize,
}

/// Whether a feed has more to write.
#[derive(PartialEq, Eq)]
pub(super) enum Fed {
    Pending,
    Done,
}

impl Stdio {
    /// Makes the pipes, and writes as much input as they take before anybody reads it.
    pub(super) fn open(input: &[u8]) -> std::io::Result<Self> {
        let (stdout, their_stdout) = pipe()?;
        let (stderr, their_stderr) = pipe()?;
        let (stdin, their_stdin) = if input.is_empty() {
            (None, above_stdio(File::open("/dev/null")?.into())?)
        } else {
            let (reader, writer) = pipe()?;
            fcntl_setfl(&writer, OFlags::NONBLOCK)?;
            let mut feed = Feed::new(writer);
            ((feed.write(input) == Fed::Pending).then_some(feed), reader)
        };
        Ok(Self { theirs: [their_stdin, their_stdout, their_stderr], ours: Pipes { stdin, stdout, stderr } })
    }

    /// Makes the pipes for a program whose input is not known yet.
    pub(super) fn open_ahead() -> std::io::Result<Self> {
        let (stdout, their_stdout) = pipe()?;
        let (stderr, their_stderr) = pipe()?;
        let (their_stdin, writer) = pipe()?;
        fcntl_setfl(&writer, OFlags::NONBLOCK)?;
        let stdin = Some(Feed::new(writer));
        Ok(Self { theirs: [their_stdin, their_stdout, their_stderr], ours: Pipes { stdin, stdout, stderr } })
    }

    pub(super) fn descriptors(&self) -> [RawFd; 3] {
        self.theirs.each_ref().map(AsRawFd::as_raw_fd)
    }
}

impl Pipes {
    /// Writes as much input as the pipe takes, and closes it if that is all.
    pub(super) fn begin(&mut self, input: &[u8]) {
        self.stdin =
            self.stdin.take().and_then(|mut feed| (feed.write(input) == Fed::Pending).then_some(feed));
    }
}

impl Feed {
    /// The end of a pipe that does not block, and to which nothing has been written.
    pub(super) fn new(pipe: OwnedFd) -> Self {
        Self { pipe, written: 0 }
    }

    /// Writes what the pipe takes. A reader that has gone away has all it wanted.
    pub(super) fn write(&mut self, input: &[u8]) -> Fed {
        while self.written < input.len() {
            match rustix::io::write(&self.pipe, &input[self.written..]) {
                Ok(count) => self.written += count,
                Err(Errno::AGAIN) => return Fed::Pending,
                Err(Errno::INTR) => {}
                Err(_) => return Fed::Done,
            }
        }
        Fed::Done
    }

    pub(super) fn pipe(&self) -> &OwnedFd {
        &self.pipe
    }

    pub(super) fn into_pipe(self) -> OwnedFd {
        self.pipe
    }
}

fn pipe() -> std::io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok((above_stdio(reader)?, above_stdio(writer)?))
}

/// Moves a descriptor out of the way of those that a program will have, should we have none of them.
pub(super) fn above_stdio(descriptor: OwnedFd) -> std::io::Result<OwnedFd> {
    if descriptor.as_raw_fd() > FOURTH {
        Ok(descriptor)
    } else {
        Ok(fcntl_dupfd_cloexec(descriptor, FOURTH + 1)?)
    }
}
