//! Where a command reads from.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use crate::code::Code;
use crate::failure::Failure;

/// The most that is held in memory of an input that is needed whole.
pub(crate) const LIMIT: u64 = 256 * 1024 * 1024;

/// A file, or our standard input.
#[derive(Debug, Clone)]
pub(crate) enum InputSource {
    Stdin,
    File(PathBuf),
}

/// An input that does not fit.
#[derive(Debug, thiserror::Error)]
#[error("{input} has more than {limit} bytes")]
struct InputTooLarge {
    input: InputSource,
    limit: u64,
}

impl InputSource {
    /// All bytes, if there are not too many to hold.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Failure> {
        self.read_within(LIMIT)
    }

    pub(crate) fn read_within(&self, limit: u64) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let count = self.open()?.take(limit + 1).read_to_end(&mut bytes);
        let count = count.map_err(|error| self.unreadable(&error))?;
        if count as u64 > limit {
            return Err(Failure::new(Code::InputTooLarge, &InputTooLarge { input: self.clone(), limit }));
        }
        Ok(bytes)
    }

    /// A reader of the bytes, however many there are.
    pub(crate) fn open(&self) -> Result<Box<dyn Read>, Failure> {
        match self {
            Self::Stdin => Ok(Box::new(io::stdin().lock())),
            Self::File(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) => Err(self.unreadable(&error)),
            },
        }
    }

    fn unreadable(&self, error: &io::Error) -> Failure {
        Failure::io(&format!("read {self}"), error)
    }
}

impl From<OsString> for InputSource {
    fn from(text: OsString) -> Self {
        if text == "-" { Self::Stdin } else { Self::File(text.into()) }
    }
}

impl fmt::Display for InputSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) => write!(f, "`{}`", path.display()),
        }
    }
}
