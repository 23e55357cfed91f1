//! Writing a file so that nobody ever sees half of it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, fsync, linkat, openat, renameat, unlinkat};

/// Creates `name` in `folder` with all of `contents`, or fails with `AlreadyExists`.
///
/// The contents reach the disk under another name first. A hard link then gives them their own name: unlike
/// a rename it fails if that name is taken, and unlike a rename that does so, every file system has it.
pub(crate) fn create_new(folder: impl AsFd, name: &OsStr, contents: &[u8], mode: Mode) -> io::Result<()> {
    let folder = folder.as_fd();
    let draft = Draft::create(folder, name, contents, mode)?;
    linkat(folder, &draft.name, folder, name, AtFlags::empty())?;
    drop(draft);
    fsync(folder)?;
    Ok(())
}

/// Puts `name` with all of `contents` into `folder`, in the place of a file of that name.
pub(crate) fn replace(folder: impl AsFd, name: &OsStr, contents: &[u8], mode: Mode) -> io::Result<()> {
    let folder = folder.as_fd();
    let draft = Draft::create(folder, name, contents, mode)?;
    renameat(folder, &draft.name, folder, name)?;
    // The name that it had is nobody's, or somebody else's by now.
    draft.forget();
    fsync(folder)?;
    Ok(())
}

/// A file under a name that is removed again, whatever happens.
struct Draft<'folder> {
    folder: BorrowedFd<'folder>,
    name: OsString,
    is_gone: bool,
}

impl<'folder> Draft<'folder> {
    fn create(folder: BorrowedFd<'folder>, target: &OsStr, contents: &[u8], mode: Mode) -> io::Result<Self> {
        let (draft, mut file) = Self::open(folder, target, mode)?;
        file.write_all(contents)?;
        file.sync_all()?;
        Ok(draft)
    }

    fn open(folder: BorrowedFd<'folder>, target: &OsStr, mode: Mode) -> io::Result<(Self, File)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let mut name = OsString::from(".");
            name.push(target);
            name.push(format!(".{}-{number}.tmp", std::process::id()));
            match openat(folder, &name, flags, mode) {
                Ok(file) => return Ok((Self { folder, name, is_gone: false }, file.into())),
                // Somebody with the same process number, in another container perhaps, has this name.
                Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn forget(mut self) {
        self.is_gone = true;
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if self.is_gone {
            return;
        }
        // There is nobody to tell; a draft that stays is unreadable to others and is not taken for the file.
        let _ = unlinkat(self.folder, &self.name, AtFlags::empty());
    }
}
