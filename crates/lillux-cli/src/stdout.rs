//! Our standard output, and whoever reads it.

use std::io::{self, Write};

use crate::failure::Failure;

/// Whether there is anybody to write for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    Reads,
    /// It has all it wanted, which is no error.
    HasGone,
}

/// Writes everything, unless the reader has gone.
pub(crate) fn write(bytes: &[u8]) -> Result<Reader, Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(Reader::Reads),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::HasGone),
        Err(error) => Err(Failure::io("write the answer", &error)),
    }
}
