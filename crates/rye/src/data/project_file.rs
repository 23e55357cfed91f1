//! A file of the project, and no other.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use rustix::fs::{Mode, OFlags, ResolveFlags};

use crate::command_error::CommandError;

/// The largest file that is read.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Reads a file below a folder. The kernel itself keeps the path inside, whatever links are on the way.
pub(super) fn read(root: &Path, file: &str) -> Result<Vec<u8>, CommandError> {
    let failed = |error: io::Error| match error.raw_os_error() {
        Some(code) if code == rustix::io::Errno::XDEV.raw_os_error() => CommandError::outside(file),
        _ => CommandError::data(file, error),
    };
    let relative = Path::new(file).strip_prefix(root).unwrap_or(Path::new(file));
    let opened = open(root, relative).map_err(failed)?;
    let status = opened.metadata().map_err(failed)?;
    if !status.is_file() {
        return Err(CommandError::data(file, "it is not a file"));
    }
    let mut bytes = Vec::new();
    opened.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(CommandError::data(file, format!("it is larger than {MAX_BYTES} bytes")));
    }
    Ok(bytes)
}

fn open(root: &Path, file: &Path) -> io::Result<File> {
    let folder = File::open(root)?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    Ok(rustix::fs::openat2(&folder, file, flags, Mode::empty(), resolve)?.into())
}
