//! Opening a `.env` file without being led astray.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

use super::MAX_DOTENV_BYTES;
use crate::error::DotEnvErrorKind;
use crate::regular_file::{READ_FLAGS, ReadError, read_bounded};

/// Opens a folder to look below it.
pub(super) fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}

/// The bytes of a file of the user's, which may be a link to where the user keeps such files.
pub(super) fn read_anywhere(path: &Path) -> Result<Option<Vec<u8>>, DotEnvErrorKind> {
    read(openat(CWD, path, READ_FLAGS, Mode::empty()))
}

/// The bytes of a file of a project. A link may lead to another file of the project, and not out of it.
pub(super) fn read_below(folder: &OwnedFd, below: &Path) -> Result<Option<Vec<u8>>, DotEnvErrorKind> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    match openat2(folder, below, READ_FLAGS, Mode::empty(), resolve) {
        Err(Errno::XDEV) => Err(DotEnvErrorKind::LeadsOut),
        // Without `openat2` no link can be followed safely.
        Err(Errno::NOSYS) => read(openat(folder, below, READ_FLAGS | OFlags::NOFOLLOW, Mode::empty())),
        opened => read(opened),
    }
}

fn read(opened: rustix::io::Result<OwnedFd>) -> Result<Option<Vec<u8>>, DotEnvErrorKind> {
    read_bounded(opened, MAX_DOTENV_BYTES).map_err(|error| match error {
        ReadError::NotAFile => DotEnvErrorKind::NotAFile,
        ReadError::TooLarge => DotEnvErrorKind::TooLarge,
        ReadError::Io(error) => DotEnvErrorKind::Io(error),
    })
}
