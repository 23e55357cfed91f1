//! A snapshot that is there.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use lillux::Digest;
use lillux::process::boot_id;
use rustix::fs::{FlockOperation, OFlags, flock};

use super::contents::Contents;
use crate::LeftOut;

/// A private, read-only copy of a tool and of verified files beside it.
///
/// It is not removed for as long as this value lives.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(super) root: PathBuf,
    pub(super) tool: PathBuf,
    pub(super) digest: Digest,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) _lock: Arc<File>,
}

/// The folder of a snapshot that holds the copies.
pub(super) const FILES: &str = "files";
/// The file of a snapshot that is locked while it is used, and touched now and then.
pub(super) const USED: &str = "used";
/// How exactly it is known when a snapshot was used.
const USE_STEP: Duration = Duration::from_hours(1);

impl Snapshot {
    /// The folder that stands for the anchor, or else for the tool's folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The copy of the tool.
    #[must_use]
    pub fn tool(&self) -> &Path {
        &self.tool
    }

    /// The digest over the paths, contents and executable bits of everything in it.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// What is beside the original and not in the copy.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }
}

/// The tool as it must be in a snapshot.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolCopy<'a> {
    pub(super) path: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) executable: bool,
}

/// Locks the snapshot in a folder; nothing if there is none, or a damaged one.
pub(super) fn open(folder: &Path, digest: Digest, tool: ToolCopy<'_>) -> io::Result<Option<File>> {
    let path = folder.join(USED);
    let used = match File::options().read(true).write(true).open(&path) {
        Ok(used) => used,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    flock(&used, FlockOperation::LockShared)?;
    let found = used.metadata()?;
    // It may have been removed before it was locked.
    let is_current =
        path.symlink_metadata().is_ok_and(|now| (now.dev(), now.ino()) == (found.dev(), found.ino()));
    if !is_current || !tool.is_in(folder) || !survived(folder, digest, &used)? {
        return Ok(None);
    }
    if is_due(&found) {
        used.set_modified(SystemTime::now())?;
    }
    Ok(Some(used))
}

/// Whether it has to be said again that a snapshot is used.
pub(super) fn is_due(used: &Metadata) -> bool {
    let now = SystemTime::now();
    used.modified().is_ok_and(|last| now.duration_since(last).map_or(true, |age| age > USE_STEP))
}

/// Whether the snapshot was made since the machine was started, or has come through that whole.
///
/// What was written before the machine went down may not have reached the disk although its name did. Writing it out
/// at once would cost more than the copy itself, so a snapshot of an earlier boot is read once before it is used.
fn survived(folder: &Path, digest: Digest, used: &File) -> io::Result<bool> {
    let (mut name, boot) = ([0; 128], boot_id().unwrap_or_default().as_bytes());
    let length = used.read_at(&mut name, 0)?;
    if &name[..length] == boot {
        return Ok(true);
    }
    if Contents::read_name(&folder.join(FILES)) != Some(digest) {
        return Ok(false);
    }
    used.set_len(boot.len() as u64)?;
    used.write_all_at(boot, 0)?;
    Ok(true)
}

impl ToolCopy<'_> {
    pub(super) fn is_in(&self, folder: &Path) -> bool {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let mut options = File::options();
        let options = options.read(true).custom_flags(flags.bits().cast_signed());
        let Ok(file) = options.open(folder.join(FILES).join(self.path)) else { return false };
        let Ok(found) = file.metadata() else { return false };
        let is_alike = found.is_file()
            && found.len() == self.bytes.len() as u64
            && (found.mode() & 0o100 != 0) == self.executable;
        let mut bytes = vec![0; self.bytes.len()];
        is_alike && file.read_exact_at(&mut bytes, 0).is_ok() && bytes == self.bytes
    }
}
