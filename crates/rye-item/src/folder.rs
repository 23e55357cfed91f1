//! A folder that is opened once, and below which everything is opened without following links.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2, statat};
use rustix::io::Errno;

/// An open folder, and the path that it had when it was opened.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    descriptor: OwnedFd,
    /// Asked for once: what is open stays the same folder.
    identity: OnceLock<Option<FolderIdentity>>,
}

/// What tells a folder from every other one that there is, whatever they are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderIdentity {
    device: u64,
    inode: u64,
}

/// A regular file, and what it was like when it was opened.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) file: File,
    pub(crate) stat: Stat,
}

/// Whether the folder itself may be a symbolic link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    Follow,
    Refuse,
}

/// Why something below a folder cannot be opened.
#[derive(Debug)]
pub(crate) enum OpenError {
    Missing,
    Link,
    NotAFile,
    Io(io::Error),
}

impl Folder {
    pub(crate) fn open(path: PathBuf, links: Links) -> Result<Self, OpenError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let flags = if links == Links::Refuse { flags | OFlags::NOFOLLOW } else { flags };
        match openat(CWD, &path, flags, Mode::empty()) {
            Ok(descriptor) => Ok(Self { path, descriptor, identity: OnceLock::new() }),
            Err(Errno::NOTDIR) if path.is_symlink() => Err(OpenError::Link),
            Err(errno) => Err(errno.into()),
        }
    }

    pub(crate) fn into_descriptor(self) -> OwnedFd {
        self.descriptor
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn identity(&self) -> Option<FolderIdentity> {
        *self.identity.get_or_init(|| {
            let facts = fstat(&self.descriptor).ok()?;
            Some(FolderIdentity { device: facts.st_dev, inode: facts.st_ino })
        })
    }

    /// Opens a regular file for reading. A pipe or a device is refused without waiting for it.
    pub(crate) fn open_file(&self, below: &str) -> Result<OpenFile, OpenError> {
        open_file(self.descriptor.as_fd(), below)
    }

    /// What the file system says about something, which links on the way may lead to. That tells whether a folder has changed,
    /// and nothing about what may be opened.
    pub(crate) fn look_at(&self, below: &str) -> Option<Stat> {
        statat(&self.descriptor, below, AtFlags::SYMLINK_NOFOLLOW).ok()
    }

    /// Opens a folder only to open what is in it.
    pub(crate) fn pass_folder(&self, below: &str) -> Result<OwnedFd, OpenError> {
        open_below(self.descriptor.as_fd(), below, OFlags::PATH | OFlags::DIRECTORY)
    }

    /// Opens a folder for listing.
    pub(crate) fn open_folder(&self, below: &str) -> Result<OwnedFd, OpenError> {
        open_below(self.descriptor.as_fd(), below, OFlags::RDONLY | OFlags::DIRECTORY)
    }
}

/// Opens a folder inside another.
pub(crate) fn open_subfolder(folder: BorrowedFd<'_>, name: &str) -> Result<OwnedFd, OpenError> {
    open_below(folder, name, OFlags::RDONLY | OFlags::DIRECTORY)
}

/// Opens a regular file below an open folder.
pub(crate) fn open_file(folder: BorrowedFd<'_>, below: &str) -> Result<OpenFile, OpenError> {
    let file = open_below(folder, below, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
    let stat = fstat(&file)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(OpenFile { file: file.into(), stat }),
        _ => Err(OpenError::NotAFile),
    }
}

fn open_below(folder: BorrowedFd<'_>, below: &str, flags: OFlags) -> Result<OwnedFd, OpenError> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(folder, below, flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
        Err(Errno::NOSYS) => open_step_by_step(folder, below, flags),
        opened => Ok(opened?),
    }
}

/// Does the same where the kernel, or what stands before it, does not know `openat2`.
fn open_step_by_step(folder: BorrowedFd<'_>, below: &str, flags: OFlags) -> Result<OwnedFd, OpenError> {
    let mut parts = below.split('/').peekable();
    let mut at: Option<OwnedFd> = None;
    while let Some(part) = parts.next() {
        let here = at.as_ref().map_or(folder, AsFd::as_fd);
        if matches!(part, "" | "." | "..") {
            return Err(OpenError::Missing);
        }
        let flags = if parts.peek().is_some() { OFlags::PATH | OFlags::DIRECTORY } else { flags };
        match openat(here, part, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()) {
            Ok(descriptor) => at = Some(descriptor),
            Err(Errno::NOTDIR) if is_link(here, part) => return Err(OpenError::Link),
            Err(errno) => return Err(errno.into()),
        }
    }
    at.ok_or(OpenError::Missing)
}

/// Whether an open folder has nothing of this name.
pub(crate) fn is_missing(folder: BorrowedFd<'_>, name: &str) -> bool {
    matches!(statat(folder, name, AtFlags::SYMLINK_NOFOLLOW), Err(Errno::NOENT))
}

fn is_link(folder: BorrowedFd<'_>, name: &str) -> bool {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

impl From<Errno> for OpenError {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => Self::Missing,
            Errno::LOOP | Errno::XDEV => Self::Link,
            // That is what opening a socket gives.
            Errno::NXIO | Errno::NODEV => Self::NotAFile,
            other => Self::Io(other.into()),
        }
    }
}

impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Missing => io::ErrorKind::NotFound.into(),
            OpenError::Link => io::Error::other("it is a symbolic link"),
            OpenError::NotAFile => io::Error::other("it is neither a file nor a folder"),
            OpenError::Io(source) => source,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_open_agree() {
        let space = tempfile::tempdir().unwrap();
        let path = |below: &str| space.path().join(below);
        std::fs::create_dir_all(path("a/b")).unwrap();
        std::fs::write(path("a/b/file"), "").unwrap();
        std::os::unix::fs::symlink("b", path("a/folder")).unwrap();
        std::os::unix::fs::symlink("file", path("a/b/link")).unwrap();
        std::os::unix::fs::symlink("nowhere", path("a/dangling")).unwrap();
        let folder = Folder::open(space.path().to_owned(), Links::Follow).unwrap();
        for below in [
            "a/b/file",
            "a/b",
            "a/b/link",
            "a/folder/file",
            "a/folder",
            "a/dangling",
            "a/none",
            "a/b/file/x",
            "none/x",
        ] {
            for flags in [OFlags::RDONLY | OFlags::NONBLOCK, OFlags::RDONLY | OFlags::DIRECTORY] {
                let describe = |opened: Result<OwnedFd, OpenError>| match opened {
                    Ok(_) => "open".to_owned(),
                    Err(error) => format!("{error:?}"),
                };
                let at_once = describe(open_below(folder.descriptor.as_fd(), below, flags));
                let by_steps = describe(open_step_by_step(folder.descriptor.as_fd(), below, flags));
                assert_eq!(by_steps, at_once, "{below} {flags:?}");
            }
        }
    }
}
