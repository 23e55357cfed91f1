//! Files that are being written, and what becomes of them when their writer dies.
//!
//! A writer holds the advisory lock of its file for as long as it lives. The kernel drops the lock with the
//! process, so a file that can be locked has no writer any more, however recent it is; and one that cannot has
//! one, however old it is.

use std::fs::{File, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::CasErrorKind;
use super::store::Durability;

/// What was found in the folder of files that are being written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cleaning {
    /// The files that dead writers had left, now removed. A writer that has just made its file and not locked it
    /// yet counts as dead too; it notices, and makes another.
    pub removed: Vec<PathBuf>,
    /// How many files belong to writers that are alive.
    pub live: usize,
}

/// A file that is locked by this process and that goes away unless it is published.
#[derive(Debug)]
pub(super) struct TempFile {
    path: PathBuf,
    file: File,
    published: bool,
}

/// What a name in the folder stands for.
#[derive(Debug)]
pub(super) enum Temporary {
    /// Its writer is at work.
    Live,
    /// Its writer is dead. While this is held, nobody else takes it for dead or alive.
    Abandoned { _lock: File },
    /// No writer of ours made it.
    Stray,
    /// It was there a moment ago.
    Gone,
}

const SUFFIX: &str = ".part";

impl TempFile {
    pub(super) fn create(folder: &Path) -> Result<Self, CasErrorKind> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let name = format!("{}-{}{SUFFIX}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let path = folder.join(name);
            let file = match File::options().write(true).create_new(true).mode(0o600).open(&path) {
                Ok(file) => file,
                // A dead process had the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(CasErrorKind::io("create", &path)(error)),
            };
            lock(&file).map_err(CasErrorKind::io("lock", &path))?;
            // Between creation and lock the file looks abandoned, and somebody who cleans may have removed it.
            if file.metadata().map_err(CasErrorKind::io("examine", &path))?.nlink() > 0 {
                return Ok(Self { path, file, published: false });
            }
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), CasErrorKind> {
        self.file.write_all(bytes).map_err(CasErrorKind::io("write", &self.path))
    }

    /// Gives the file its final name, in place of whatever has that name.
    pub(super) fn publish(mut self, target: &Path, durability: Durability) -> Result<(), CasErrorKind> {
        self.file
            .set_permissions(Permissions::from_mode(0o444))
            .map_err(CasErrorKind::io("protect", &self.path))?;
        if durability == Durability::Synced {
            // Without this, a power cut could keep the name and lose the bytes.
            self.file.sync_all().map_err(CasErrorKind::io("sync", &self.path))?;
        }
        std::fs::rename(&self.path, target).map_err(CasErrorKind::io("rename to", target))?;
        self.published = true;
        Ok(())
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if !self.published {
            // If this fails, the next cleaning finds the file.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Says what the file at `path`, in the folder of files that are being written, is.
pub(super) fn classify(path: &Path) -> Result<Temporary, CasErrorKind> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() && is_our_name(path) => {}
        Ok(_) => return Ok(Temporary::Stray),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Temporary::Gone),
        Err(error) => return Err(CasErrorKind::io("examine", path)(error)),
    }
    let file = match File::options().write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Temporary::Gone),
        Err(error) => return Err(CasErrorKind::io("open", path)(error)),
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(Temporary::Live),
        Err(TryLockError::Error(error)) => return Err(CasErrorKind::io("lock", path)(error)),
    }
    // The writer may have published the file or given it up before the lock was taken, and another writer may
    // have taken the name. If the name still means the locked file, it does so for as long as the lock is held.
    if is_named(&file, path).map_err(CasErrorKind::io("examine", path))? {
        Ok(Temporary::Abandoned { _lock: file })
    } else {
        Ok(Temporary::Gone)
    }
}

/// Removes the files in `folder` whose writers are dead.
pub(super) fn clean(folder: &Path) -> Result<Cleaning, CasErrorKind> {
    let mut cleaning = Cleaning::default();
    for path in paths_in(folder)? {
        match classify(&path)? {
            Temporary::Live => cleaning.live += 1,
            Temporary::Stray | Temporary::Gone => {}
            Temporary::Abandoned { _lock } => {
                std::fs::remove_file(&path).map_err(CasErrorKind::io("remove", &path))?;
                cleaning.removed.push(path);
            }
        }
    }
    Ok(cleaning)
}

/// Everything in the folder, in no order.
pub(super) fn paths_in(folder: &Path) -> Result<Vec<PathBuf>, CasErrorKind> {
    std::fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(CasErrorKind::io("list", folder))
}

/// Waits for the lock. Whoever else has it holds it only for a moment, to find out that it is free.
fn lock(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Whether `path` is a name of `file`.
fn is_named(file: &File, path: &Path) -> io::Result<bool> {
    let opened = file.metadata()?;
    match std::fs::symlink_metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (opened.dev(), opened.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn is_our_name(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with(SUFFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_live_writer_keeps_its_file_and_a_dead_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let temp = TempFile::create(folder.path()).unwrap();
        let left = folder.path().join("1-0.part");
        std::fs::write(&left, "half").unwrap();

        assert_eq!(clean(folder.path()).unwrap(), Cleaning { removed: vec![left.clone()], live: 1 });
        assert!(temp.path.exists() && !left.exists());
        drop(temp);
        assert_eq!(paths_in(folder.path()).unwrap(), Vec::<PathBuf>::new());
    }

    #[test]
    fn what_no_writer_made_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("notes.txt"), "mine").unwrap();
        std::fs::create_dir(folder.path().join("1-1.part")).unwrap();
        assert_eq!(clean(folder.path()).unwrap(), Cleaning::default());
        assert_eq!(paths_in(folder.path()).unwrap().len(), 2);
    }

    #[test]
    fn a_published_file_can_only_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        let mut temp = TempFile::create(folder.path()).unwrap();
        temp.write(b"abc").unwrap();
        temp.publish(&target, Durability::Synced).unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"abc");
        assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o444);
        assert_eq!(paths_in(folder.path()).unwrap(), [target]);
    }
}
