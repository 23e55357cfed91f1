//! Reading a small file that somebody else may have put there.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

/// How a file is opened: a pipe or a device is not waited for.
pub(crate) const READ_FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Why a file was not read.
#[derive(Debug)]
pub(crate) enum ReadError {
    NotAFile,
    TooLarge,
    Io(io::Error),
}

/// The bytes of an open file; nothing if there was none to open.
pub(crate) fn read_bounded(
    opened: rustix::io::Result<OwnedFd>,
    limit: u64,
) -> Result<Option<Vec<u8>>, ReadError> {
    let file = match opened {
        Ok(file) => File::from(file),
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        // What opening a socket gives.
        Err(Errno::NXIO) => return Err(ReadError::NotAFile),
        Err(errno) => return Err(ReadError::Io(errno.into())),
    };
    if !file.metadata().map_err(ReadError::Io)?.is_file() {
        return Err(ReadError::NotAFile);
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if bytes.len() as u64 > limit { Err(ReadError::TooLarge) } else { Ok(Some(bytes)) }
}

/// The text of a small file, or nothing if it cannot be had, for whatever reason.
pub(crate) fn read_small_text(path: &Path) -> Option<String> {
    const LIMIT: u64 = 64 * 1024;
    let bytes = read_bounded(openat(CWD, path, READ_FLAGS, Mode::empty()), LIMIT).ok()??;
    String::from_utf8(bytes).ok()
}
