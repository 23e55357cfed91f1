//! Everything in a space.

use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, RawDir, Stat, statat};

use crate::folder::{Folder, OpenError, open_file};
use crate::id::is_segment;
use crate::space_root::Content;
use crate::{BundleFile, Extensions, ItemFile, ItemId, ItemKind, SpaceRoot};

/// A file that is an item by its name and place.
#[derive(Debug)]
pub struct WalkEntry<'a> {
    /// Its id.
    pub id: ItemId,
    /// Its extension, without the dot.
    pub extension: &'a str,
    origin: Origin<'a>,
}

#[derive(Debug)]
enum Origin<'a> {
    Folder(BorrowedFd<'a>, &'a CStr),
    Embedded(&'static BundleFile),
}

/// What tells without reading whether a file may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct FileFacts {
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change of the content, in nanoseconds.
    pub modified: i128,
    /// Time of the last change of the file's facts, in nanoseconds. No program can set it at will.
    pub changed: i128,
    /// The file's number in its file system.
    pub inode: u64,
    /// How many names the file has. Through another one it can change without a trace in its folder.
    pub links: u64,
}

/// A folder that could not be listed.
#[derive(Debug, thiserror::Error)]
#[error("cannot list `{path}`")]
pub struct WalkProblem {
    /// The folder.
    pub path: PathBuf,
    #[source]
    source: io::Error,
}

/// Sees what a walk comes across. A closure over entries is one.
pub trait Visit {
    /// A folder is about to be listed.
    fn folder(&mut self, _path: &Path) {}

    /// A file is an item.
    fn item(&mut self, entry: &WalkEntry<'_>);
}

impl<F: FnMut(&WalkEntry<'_>)> Visit for F {
    fn item(&mut self, entry: &WalkEntry<'_>) {
        self(entry);
    }
}

/// Folders whose files belong to a package manager or an interpreter, not to us.
const FOREIGN: [&str; 2] = ["node_modules", "__pycache__"];

impl SpaceRoot {
    /// Shows `visit` every item of a kind below a folder of it (all, if that is empty), in no particular order,
    /// and returns what could not be looked into.
    ///
    /// Links are not followed, so a loop cannot be walked; a file whose name cannot be part of an id is passed over.
    pub fn walk(
        &self,
        kind: ItemKind,
        below: &str,
        extensions: &Extensions,
        visit: &mut dyn Visit,
    ) -> Vec<WalkProblem> {
        let mut walk = Walk { root: self, kind, extensions, visit, problems: Vec::new() };
        match &self.content {
            Content::Embedded(bundle) => {
                let prefix = format!("{}/", kind.folder());
                let folder = if below.is_empty() { prefix.clone() } else { format!("{prefix}{below}/") };
                for file in bundle.below(&folder) {
                    walk.embedded(file, &file.path[prefix.len()..]);
                }
            }
            Content::Folder(folder) => walk.all(folder, below),
        }
        walk.problems
    }
}

struct Walk<'w> {
    root: &'w SpaceRoot,
    kind: ItemKind,
    extensions: &'w Extensions,
    visit: &'w mut dyn Visit,
    problems: Vec<WalkProblem>,
}

impl Walk<'_> {
    fn embedded(&mut self, file: &'static BundleFile, below: &str) {
        let (prefix, name) = below.rsplit_once('/').map_or(("", below), |(folder, name)| (folder, name));
        let foreign = prefix.split('/').any(|part| !part.is_empty() && !is_item_folder(part));
        if !foreign {
            self.file(name, prefix, Origin::Embedded(file));
        }
    }

    /// Visits folder after folder. They wait as paths, so neither descriptors nor the stack limit the depth.
    fn all(&mut self, root: &Folder, below: &str) {
        let mut buffer: Vec<u8> = Vec::with_capacity(32 * 1024);
        let mut waiting = vec![below.to_owned()];
        while let Some(prefix) = waiting.pop() {
            self.visit.folder(&self.root.kind_path(self.kind).join(&prefix));
            match root.open_folder(&join(self.kind.folder(), &prefix)) {
                Ok(folder) => {
                    self.list(folder.as_fd(), &prefix, buffer.spare_capacity_mut(), &mut waiting);
                }
                Err(OpenError::Missing) => {}
                Err(error) => self.problem(&prefix, error),
            }
        }
    }

    fn list(
        &mut self,
        folder: BorrowedFd<'_>,
        prefix: &str,
        buffer: &mut [MaybeUninit<u8>],
        waiting: &mut Vec<String>,
    ) {
        let mut entries = RawDir::new(folder, buffer);
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(errno) => return self.problem(prefix, errno.into()),
            };
            let Ok(name) = entry.file_name().to_str() else { continue };
            match file_type(folder, &entry) {
                FileType::Directory
                    if is_item_folder(name) && prefix.len() + name.len() < ItemId::MAX_LENGTH =>
                {
                    waiting.push(join(prefix, name));
                }
                FileType::RegularFile => {
                    self.file(name, prefix, Origin::Folder(folder, entry.file_name()));
                }
                _ => {}
            }
        }
    }

    fn file(&mut self, name: &str, prefix: &str, origin: Origin<'_>) {
        let Some((stem, extension)) = self.extensions.split(self.root.space, self.kind, name) else { return };
        if let Ok(id) = ItemId::new(join(prefix, stem)) {
            self.visit.item(&WalkEntry { id, extension, origin });
        }
    }

    fn problem(&mut self, prefix: &str, error: OpenError) {
        let path = self.root.kind_path(self.kind).join(prefix);
        self.problems.push(WalkProblem { path, source: error.into() });
    }
}

impl WalkEntry<'_> {
    /// Opens the file.
    ///
    /// # Errors
    /// If it is gone, is not a plain file any more, or the file system refuses.
    pub fn open(&self) -> io::Result<ItemFile> {
        match self.origin {
            Origin::Embedded(file) => Ok(ItemFile::embedded(file.path.into(), file)),
            Origin::Folder(folder, name) => {
                let name = name.to_str().map_err(io::Error::other)?;
                Ok(ItemFile::opened(name.into(), open_file(folder, name)?))
            }
        }
    }

    /// What tells without reading whether the file may have changed; nothing for what is inside the program.
    ///
    /// # Errors
    /// If the file is gone or the file system refuses.
    pub fn facts(&self) -> io::Result<Option<FileFacts>> {
        match self.origin {
            Origin::Embedded(_) => Ok(None),
            Origin::Folder(folder, name) => {
                Ok(Some(FileFacts::of(&statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)))
            }
        }
    }
}

impl FileFacts {
    pub(crate) fn of(stat: &Stat) -> Self {
        let nanos = |seconds: i64, nanos: u64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        #[allow(clippy::useless_conversion, reason = "the type differs between machines")]
        let links = u64::from(stat.st_nlink);
        Self {
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: nanos(stat.st_mtime, stat.st_mtime_nsec),
            changed: nanos(stat.st_ctime, stat.st_ctime_nsec),
            inode: stat.st_ino,
            links,
        }
    }
}

fn is_item_folder(name: &str) -> bool {
    is_segment(name) && !FOREIGN.contains(&name)
}

pub(crate) fn file_type(folder: BorrowedFd<'_>, entry: &rustix::fs::RawDirEntry<'_>) -> FileType {
    match entry.file_type() {
        FileType::Unknown => statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)
            .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
        known => known,
    }
}

pub(crate) fn join(prefix: &str, name: &str) -> String {
    match prefix.trim_end_matches('/') {
        "" => name.to_owned(),
        prefix if name.is_empty() => prefix.to_owned(),
        prefix => format!("{prefix}/{name}"),
    }
}
