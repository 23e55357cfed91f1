//! A snapshot that is being made.

use std::collections::HashSet;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use lillux::process::boot_id;
use rustix::fs::{
    AtFlags, CWD, FlockOperation, Mode, OFlags, RenameFlags, fchmod, flock, mkdirat, open, openat,
    renameat_with, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::error::SnapshotErrorKind;
use super::request::SnapshotLink;
use super::stored::{FILES, USED};
use super::tree;

/// A folder that becomes a snapshot by getting its name. Until then it is nothing, and goes when it is dropped.
#[derive(Debug)]
pub(super) struct Draft {
    path: PathBuf,
    /// Locked, so that nobody takes the draft for an abandoned one; it stays locked as the snapshot's.
    used: File,
    files: OwnedFd,
    /// The folder that was written to last, which mostly is the next one too.
    last: (String, OwnedFd),
    folders: HashSet<String>,
}

/// How giving a draft its name ended.
pub(super) enum Published {
    /// It has it.
    Done(File),
    /// There is something of that name.
    Taken(Draft),
}

/// What the names of drafts begin with.
pub(super) const PREFIX: &str = ".draft-";

impl Draft {
    pub(super) fn create(store: &Path) -> Result<Self, SnapshotErrorKind> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let path = store.join(format!("{PREFIX}{}-{number}-{time:x}", std::process::id()));
        Self::create_at(path.clone()).map_err(SnapshotErrorKind::store(&path))
    }

    fn create_at(path: PathBuf) -> io::Result<Self> {
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        let mut used = File::options();
        let mut used = used.read(true).write(true).create_new(true).mode(0o600).open(path.join(USED))?;
        flock(&used, FlockOperation::LockShared)?;
        used.write_all(boot_id().unwrap_or_default().as_bytes())?;
        let files = path.join(FILES);
        fs::DirBuilder::new().mode(0o700).create(&files)?;
        let files = open(&files, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let last = (String::new(), files.try_clone()?);
        Ok(Self { path, used, files, last, folders: HashSet::new() })
    }

    /// Writes a file.
    pub(super) fn add(
        &mut self,
        path: &str,
        bytes: &[u8],
        executable: bool,
    ) -> Result<(), SnapshotErrorKind> {
        self.write(path, bytes, executable)
            .map_err(|source| SnapshotErrorKind::Store { path: self.path.join(FILES).join(path), source })
    }

    /// Links to a folder.
    pub(super) fn link(&mut self, link: &SnapshotLink) -> Result<(), SnapshotErrorKind> {
        symlinkat(&link.target, &self.files, link.name.as_str()).map_err(|errno| SnapshotErrorKind::Store {
            path: self.path.join(FILES).join(&link.name),
            source: errno.into(),
        })
    }

    fn write(&mut self, path: &str, bytes: &[u8], executable: bool) -> io::Result<()> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if self.last.0 != folder {
            self.last = (folder.to_owned(), self.open_folder(folder)?);
        }
        let mode = Mode::from_raw_mode(if executable { 0o555 } else { 0o444 });
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match openat(&self.last.1, name, flags, mode) {
            // A folder that changes while it is listed may show a file twice; what was seen last is what counts.
            Err(Errno::EXIST) => {
                unlinkat(&self.last.1, name, AtFlags::empty())?;
                openat(&self.last.1, name, flags, mode)
            }
            opened => opened,
        };
        let mut file = File::from(file?);
        file.write_all(bytes)?;
        Ok(fchmod(&file, mode)?)
    }

    /// Opens a folder, and makes what is missing on the way.
    fn open_folder(&mut self, folder: &str) -> io::Result<OwnedFd> {
        let mut at = self.files.try_clone()?;
        let mut end = 0;
        for part in folder.split('/').filter(|part| !part.is_empty()) {
            end += part.len() + usize::from(end > 0);
            if !self.folders.contains(&folder[..end]) {
                mkdirat(&at, part, Mode::RWXU)?;
                self.folders.insert(folder[..end].to_owned());
            }
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            at = openat(at.as_fd(), part, flags, Mode::empty())?;
        }
        Ok(at)
    }

    /// Takes from everybody the right to write, and gives the draft its name.
    pub(super) fn publish(self, target: &Path) -> io::Result<Published> {
        let files = self.path.join(FILES);
        for folder in self.folders.iter().map(|folder| files.join(folder)).chain([files.clone()]) {
            fs::set_permissions(folder, Permissions::from_mode(0o555))?;
        }
        match renameat_with(CWD, &self.path, CWD, target, RenameFlags::NOREPLACE) {
            Ok(()) => self.named(),
            Err(Errno::EXIST | Errno::NOTEMPTY) => Ok(Published::Taken(self)),
            // Some file systems cannot refuse. An ordinary rename replaces nothing but an empty folder.
            Err(Errno::INVAL) => match fs::rename(&self.path, target) {
                Ok(()) => self.named(),
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(Published::Taken(self)),
                Err(error) => Err(error),
            },
            Err(errno) => Err(errno.into()),
        }
    }

    fn named(mut self) -> io::Result<Published> {
        let used = self.used.try_clone()?;
        // There is nothing left to remove.
        self.path.clear();
        Ok(Published::Done(used))
    }

    /// Gives the draft its name at once, in place of a damaged snapshot that has it.
    ///
    /// Whoever still uses the damaged one finds the whole one under the same paths.
    pub(super) fn replace(mut self, target: &Path) -> io::Result<Published> {
        match renameat_with(CWD, &self.path, CWD, target, RenameFlags::EXCHANGE) {
            Ok(()) => {
                let used = self.used.try_clone()?;
                tree::remove(&std::mem::take(&mut self.path));
                Ok(Published::Done(used))
            }
            Err(Errno::NOENT) => self.publish(target),
            Err(Errno::INVAL) => {
                let aside = self.path.with_extension("old");
                match fs::rename(target, &aside) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => tree::remove(&aside),
                }
                self.publish(target)
            }
            Err(errno) => Err(errno.into()),
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            tree::remove(&self.path);
        }
    }
}
