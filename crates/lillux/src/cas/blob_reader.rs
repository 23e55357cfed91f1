//! Reading a blob piece by piece.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use super::error::{CasError, CasErrorKind, CasTask};
use super::section::Section;
use super::verification::Damage;
use crate::Digest;
use crate::digest::Hasher;

/// Gives the bytes of a blob, and at their end an error if they were not the right ones.
///
/// Until the end has come (`Ok(0)`) the bytes are an allegation. The error is of the kind
/// [`io::ErrorKind::InvalidData`] and holds a [`CasError`].
#[derive(Debug)]
pub struct BlobReader {
    file: File,
    path: PathBuf,
    size: u64,
    expected: Digest,
    progress: Progress,
}

#[derive(Debug)]
enum Progress {
    Reading(Hasher),
    Ended { found: Digest },
}

impl BlobReader {
    pub(super) fn new(file: File, path: PathBuf, size: u64, expected: Digest) -> Self {
        Self { file, path, size, expected, progress: Progress::Reading(Hasher::default()) }
    }

    /// How many bytes the file had when it was opened.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    fn judge(&self, found: Digest) -> io::Result<usize> {
        if found == self.expected {
            return Ok(0);
        }
        let damage = Damage::Content { found };
        let kind = CasErrorKind::Damaged { path: self.path.clone(), expected: self.expected, damage };
        let error = CasError::new(CasTask::Read(Section::Blobs, self.expected), kind);
        Err(io::Error::new(io::ErrorKind::InvalidData, error))
    }
}

impl Read for BlobReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let hasher = match &mut self.progress {
            Progress::Reading(hasher) => hasher,
            Progress::Ended { found } => {
                let found = *found;
                return self.judge(found);
            }
        };
        if buffer.is_empty() {
            return Ok(0);
        }
        let count = self.file.read(buffer)?;
        if count > 0 {
            hasher.update(&buffer[..count]);
            return Ok(count);
        }
        let found = std::mem::take(hasher).finish();
        self.progress = Progress::Ended { found };
        self.judge(found)
    }
}
