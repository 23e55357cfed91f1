//! Bytes that are an answer themselves.

use std::io::{self, Read};
use std::path::PathBuf;

use serde_json::json;

use crate::answer::Answer;
use crate::failure::Failure;
use crate::output_file::{Existing, OutputFile, Visibility};
use crate::stdout::{self, Reader};

/// Where raw bytes go: to standard output, or to a file that appears when all is well.
#[derive(Debug)]
pub(crate) enum RawOutput {
    Stdout,
    File { path: PathBuf, file: OutputFile, size: u64 },
}

impl RawOutput {
    pub(crate) fn create(path: Option<PathBuf>, visibility: Visibility) -> Result<Self, Failure> {
        match path {
            None => Ok(Self::Stdout),
            Some(path) => {
                let file = OutputFile::create(&path, visibility)?;
                Ok(Self::File { path, file, size: 0 })
            }
        }
    }

    /// Writes these bytes and no others.
    pub(crate) fn put(mut self, bytes: &[u8]) -> Result<Answer, Failure> {
        self.write(bytes)?;
        self.finish()
    }

    /// Writes all that `input` gives. If that ends in an error, there will be no file.
    pub(crate) fn copy(
        mut self,
        mut input: impl Read,
        unreadable: impl Fn(io::Error) -> Failure,
    ) -> Result<Answer, Failure> {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match input.read(&mut buffer) {
                Ok(0) => return self.finish(),
                Ok(count) => {
                    if self.write(&buffer[..count])? == Reader::HasGone {
                        return Ok(Answer::streamed());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(error)),
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<Reader, Failure> {
        match self {
            Self::Stdout => stdout::write(bytes),
            Self::File { file, size, .. } => {
                file.write(bytes)?;
                *size += bytes.len() as u64;
                Ok(Reader::Reads)
            }
        }
    }

    fn finish(self) -> Result<Answer, Failure> {
        match self {
            Self::Stdout => Ok(Answer::streamed()),
            Self::File { path, file, size } => {
                file.publish(Existing::Replace)?;
                Answer::yes(json!({ "output": path.to_string_lossy(), "size": size }))
            }
        }
    }
}
