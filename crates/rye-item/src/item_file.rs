//! A file that is opened once and read once.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use lillux::Digest;
use rustix::buffer::spare_capacity;
use rustix::fs::Mode;
use rustix::io::retry_on_intr;

use crate::folder::OpenFile;
use crate::{BundleFile, FileFacts};

/// The most bytes that an item can have. What is larger is data, and belongs beside the item.
pub const MAX_ITEM_BYTES: u64 = 8 * 1024 * 1024;

/// The file of an item, open. Where it came from can change; this stays what it was.
#[derive(Debug)]
pub struct ItemFile {
    path: PathBuf,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Opened(OpenFile),
    Embedded(&'static BundleFile),
}

/// All bytes of an item, and their digest.
#[derive(Debug, Clone)]
pub struct ItemBytes {
    bytes: Cow<'static, [u8]>,
    digest: Digest,
}

/// What the file system says about an open file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStatus {
    /// What tells later without reading whether it may have changed; nothing for what is inside the program.
    pub facts: Option<FileFacts>,
    /// Whether its owner may execute it.
    pub executable: bool,
}

/// An item that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read `{path}`")]
pub struct ReadError {
    path: PathBuf,
    #[source]
    kind: ReadErrorKind,
}

/// Why not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// It is larger than any item.
    #[error("it has {size} bytes, and an item has at most {limit}")]
    TooLarge {
        /// Its size.
        size: u64,
        /// The most bytes that it could have.
        limit: u64,
    },
    /// The file system refused.
    #[error(transparent)]
    Io(io::Error),
}

impl ItemFile {
    pub(crate) fn opened(path: PathBuf, file: OpenFile) -> Self {
        Self { path, source: Source::Opened(file) }
    }

    pub(crate) fn embedded(path: PathBuf, file: &'static BundleFile) -> Self {
        Self { path, source: Source::Embedded(file) }
    }

    /// Whether it is inside the program.
    #[must_use]
    pub fn is_embedded(&self) -> bool {
        matches!(self.source, Source::Embedded(_))
    }

    /// Where it was found.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file system said about it when it was opened.
    #[must_use]
    pub fn status(&self) -> FileStatus {
        match &self.source {
            Source::Embedded(file) => FileStatus { facts: None, executable: file.executable },
            Source::Opened(OpenFile { stat, .. }) => {
                let executable = Mode::from_raw_mode(stat.st_mode).contains(Mode::XUSR);
                FileStatus { facts: Some(FileFacts::of(stat)), executable }
            }
        }
    }

    /// Reads all of it.
    ///
    /// # Errors
    /// If it is too large for an item or the file system refuses.
    pub fn read(self) -> Result<ItemBytes, ReadError> {
        self.read_within(MAX_ITEM_BYTES)
    }

    /// Reads all of it, if it has not more bytes than `limit`.
    ///
    /// # Errors
    /// If it has more or the file system refuses.
    pub fn read_within(self, limit: u64) -> Result<ItemBytes, ReadError> {
        match self.source {
            Source::Embedded(file) => {
                Ok(ItemBytes { bytes: Cow::Borrowed(file.bytes), digest: Digest::from(file.digest) })
            }
            Source::Opened(file) => match read_bounded(file, limit) {
                Ok(bytes) => Ok(ItemBytes { digest: Digest::of(&bytes), bytes: Cow::Owned(bytes) }),
                Err(kind) => Err(ReadError { path: self.path, kind }),
            },
        }
    }
}

impl ItemBytes {
    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// Their digest.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

impl ReadError {
    /// Why it cannot be read.
    #[must_use]
    pub fn kind(&self) -> &ReadErrorKind {
        &self.kind
    }
}

fn read_bounded(OpenFile { file, stat }: OpenFile, limit: u64) -> Result<Vec<u8>, ReadErrorKind> {
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    if size > limit {
        return Err(ReadErrorKind::TooLarge { size, limit });
    }
    let expected = usize::try_from(size).unwrap_or(0);
    let mut bytes = Vec::with_capacity(expected + 1);
    let begin = retry_on_intr(|| rustix::io::read(&file, spare_capacity(&mut bytes)));
    let begin = begin.map_err(|errno| ReadErrorKind::Io(errno.into()))?;
    // There was room for one byte more, so this is all of it, unless it has changed or does so while we read it.
    if begin != expected {
        let left = (limit + 1).saturating_sub(begin as u64);
        file.take(left).read_to_end(&mut bytes).map_err(ReadErrorKind::Io)?;
    }
    match bytes.len() as u64 {
        size if size > limit => Err(ReadErrorKind::TooLarge { size, limit }),
        _ => Ok(bytes),
    }
}
