//! Putting an item into a space that can be written.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, fsync, linkat, mkdirat, openat, renameat, unlinkat};
use rustix::io::Errno;

use crate::folder::{Folder, Links, OpenError, open_subfolder};
use crate::{ItemRef, Space};

/// What happens to a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// It stays, and that is an error.
    Refuse,
    /// It is replaced.
    Replace,
}

/// An item that cannot be put into a space.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{path}`")]
pub struct StoreError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

/// Writes an item's file below the `.ai` folder `root`, and returns its path.
///
/// It appears whole or not at all, and nothing is reached through a symbolic link.
///
/// # Errors
/// If it is there already and may not be replaced, or the file system refuses.
pub fn store(
    space: Space,
    root: &Path,
    item: &ItemRef,
    extension: &str,
    bytes: &[u8],
    overwrite: Overwrite,
) -> Result<PathBuf, StoreError> {
    let path = root.join(item.kind.folder()).join(format!("{}.{extension}", item.id));
    let name = format!("{}.{extension}", item.id.stem());
    let write = || {
        let folder = open_parent(space, root, item)?;
        put(folder.as_fd(), &name, bytes, overwrite)
    };
    match write() {
        Ok(()) => Ok(path),
        Err(source) => Err(StoreError { path, source }),
    }
}

impl StoreError {
    /// Whether the only reason is that there is a file already.
    #[must_use]
    pub fn already_exists(&self) -> bool {
        self.source.kind() == io::ErrorKind::AlreadyExists
    }
}

/// Opens the folder of an item, and makes what is missing on the way.
fn open_parent(space: Space, root: &Path, item: &ItemRef) -> io::Result<OwnedFd> {
    let links = if space == Space::Project { Links::Refuse } else { Links::Follow };
    let base = match Folder::open(root.to_owned(), links) {
        Err(OpenError::Missing) => {
            std::fs::create_dir_all(root)?;
            Folder::open(root.to_owned(), links)
        }
        opened => opened,
    }?;
    let mut folder = base.into_descriptor();
    let parents = item.id.parent().into_iter().flat_map(|parent| parent.split('/'));
    for part in std::iter::once(item.kind.folder()).chain(parents) {
        match mkdirat(&folder, part, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
        folder = open_subfolder(folder.as_fd(), part)?;
    }
    Ok(folder)
}

fn put(folder: BorrowedFd<'_>, name: &str, bytes: &[u8], overwrite: Overwrite) -> io::Result<()> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let draft = format!(".{name}.{}-{number}.draft", std::process::id());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mut file = File::from(openat(folder, &draft, flags, Mode::from_raw_mode(0o666))?);
    let written = file.write_all(bytes).and_then(|()| Ok(fsync(&file)?)).and_then(|()| {
        match overwrite {
            Overwrite::Replace => renameat(folder, &draft, folder, name)?,
            Overwrite::Refuse => linkat(folder, &draft, folder, name, AtFlags::empty())?,
        }
        Ok(fsync(folder)?)
    });
    // After a rename there is no draft any more; in every other case it must go.
    let _ = unlinkat(folder, &draft, AtFlags::empty());
    written
}
