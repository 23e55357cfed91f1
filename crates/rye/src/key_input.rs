//! Keys that come from outside.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use zeroize::Zeroizing;

use crate::cli::ImportSource;
use crate::command_error::CommandError;
use crate::environment;

/// Far more than any key needs.
const LIMIT: u64 = 64 * 1024;

/// A text that should be a key, and where it is from.
pub(crate) struct KeyInput {
    pub(crate) name: String,
    pub(crate) bytes: Zeroizing<Vec<u8>>,
}

impl KeyInput {
    pub(crate) fn of_file(path: &Path) -> Result<Self, CommandError> {
        let name = format!("`{}`", path.display());
        Self::read(name, || File::open(path))
    }

    pub(crate) fn of_source(source: &ImportSource) -> Result<Self, CommandError> {
        match &source.file {
            Some(path) if path.as_os_str() == "-" => {
                Self::read("standard input".to_owned(), || Ok(io::stdin().lock()))
            }
            Some(path) => Self::of_file(path),
            None => match environment::signing_key() {
                Some(bytes) => Ok(Self { name: "RYE_SIGNING_KEY".to_owned(), bytes }),
                None => Err(CommandError::no_key_variable()),
            },
        }
    }

    fn read<R: Read>(name: String, open: impl FnOnce() -> io::Result<R>) -> Result<Self, CommandError> {
        // The buffer has its final size from the start: one that grows leaves copies of a secret behind.
        let mut bytes = Zeroizing::new(Vec::with_capacity(usize::try_from(LIMIT + 1).unwrap_or(usize::MAX)));
        match open().and_then(|input| input.take(LIMIT + 1).read_to_end(&mut bytes)) {
            Ok(count) if count as u64 > LIMIT => Err(CommandError::key_too_large(&name, LIMIT)),
            Ok(_) => Ok(Self { name, bytes }),
            Err(error) => Err(CommandError::input(&name, &error)),
        }
    }
}
