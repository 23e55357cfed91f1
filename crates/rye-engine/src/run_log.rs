//! The output of a run in files, while it comes.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use lillux::Digest;
use lillux::digest::Hasher;
use lillux::process::Channel;
use rye_run::journal::{OutputFile, STDERR_LOG, STDOUT_LOG, StreamRecord};
use rye_run::runner::{Outcome, RunEvent, Stream};

/// The two files that a run without a caller writes to.
pub(crate) struct RunLog {
    stdout: StreamLog,
    stderr: StreamLog,
}

/// All output of one stream, in a file.
#[derive(Debug)]
pub(crate) struct LoggedOutput {
    path: PathBuf,
    bytes: u64,
    digest: Digest,
}

struct StreamLog {
    path: PathBuf,
    file: File,
    hasher: Hasher,
    bytes: u64,
    problem: Option<io::Error>,
}

impl RunLog {
    /// Makes both files in the folder of a run.
    pub(crate) fn create(folder: &Path) -> io::Result<Self> {
        let open = |name| StreamLog::create(folder.join(name));
        Ok(Self { stdout: open(STDOUT_LOG)?, stderr: open(STDERR_LOG)? })
    }

    /// Writes what comes.
    pub(crate) fn take(&mut self, event: &RunEvent<'_>) {
        if let RunEvent::Output { channel, bytes } = event {
            match channel {
                Channel::Stdout => self.stdout.write(bytes),
                Channel::Stderr => self.stderr.write(bytes),
            }
        }
    }

    /// Writes why there was no run.
    pub(crate) fn tell(&mut self, error: &str) {
        self.stderr.write(format!("error: {error}\n").as_bytes());
    }

    /// The files, with what did not come in pieces as well.
    ///
    /// # Errors
    /// If something could not be written.
    pub(crate) fn finish(self, outcome: &Outcome) -> io::Result<[LoggedOutput; 2]> {
        Ok([self.stdout.finish(&outcome.output)?, self.stderr.finish(&outcome.errors)?])
    }
}

impl StreamLog {
    fn create(path: PathBuf) -> io::Result<Self> {
        let file = File::options().write(true).create_new(true).mode(0o600).open(&path)?;
        Ok(Self { path, file, hasher: Hasher::default(), bytes: 0, problem: None })
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.problem.is_none() {
            self.problem = self.file.write_all(bytes).err();
            self.hasher.update(bytes);
            self.bytes += bytes.len() as u64;
        }
    }

    fn finish(mut self, stream: &Stream) -> io::Result<LoggedOutput> {
        if self.bytes == 0 {
            match &stream.file {
                None => self.write(&stream.bytes),
                Some((path, _)) => self.write(&std::fs::read(path)?),
            }
        }
        match self.problem {
            Some(problem) => Err(problem),
            None => Ok(LoggedOutput { path: self.path, bytes: self.bytes, digest: self.hasher.finish() }),
        }
    }
}

impl From<LoggedOutput> for StreamRecord {
    fn from(log: LoggedOutput) -> Self {
        let LoggedOutput { path, bytes, digest } = log;
        Self { bytes, file: Some(OutputFile { path, digest }) }
    }
}
