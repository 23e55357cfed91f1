//! Every file below a folder of a space, whether it is an item or not.

use std::io;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;

use rustix::fs::{AtFlags, FileType, RawDir, fstat, statat};

use crate::file_entry::FileOrigin;
use crate::folder::{Folder, OpenError};
use crate::space_root::Content;
use crate::walk::{file_type, join};
use crate::{
    BundleFile, FileEntry, FileFacts, FileRules, ItemFile, ItemKind, OpenFolder, PassedOver, SpaceRoot,
    VisitFiles,
};

/// A folder whose files cannot be walked over.
#[derive(Debug, thiserror::Error)]
#[error("cannot list the files below `{}`", path.display())]
pub struct FilesError {
    path: PathBuf,
    #[source]
    kind: FilesErrorKind,
}

/// Why not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilesErrorKind {
    /// It has too much in it.
    #[error("there are more than {MAX_ENTRIES} files and folders")]
    TooMany,
    /// The file system refused.
    #[error(transparent)]
    Io(io::Error),
}

/// The most files and folders that a walk over files sees.
pub const MAX_ENTRIES: usize = 200_000;
/// The most folders that a walk enters below each other.
pub const MAX_DEPTH: usize = 64;
const MAX_PATH: usize = 3_000;

impl SpaceRoot {
    /// Shows `visit` every file below a folder of a kind, in no particular order.
    ///
    /// No link is followed. A folder that is missing has no files.
    ///
    /// # Errors
    /// If the folder cannot be listed, or has too much in it. What was shown until then is not everything.
    pub fn files(
        &self,
        kind: ItemKind,
        folder: &str,
        rules: FileRules<'_>,
        visit: &mut dyn VisitFiles,
    ) -> Result<(), FilesError> {
        let mut walk = Walk { base: join(kind.folder(), folder), rules, visit, seen: 0 };
        let ended = match &self.content {
            Content::Embedded(bundle) => walk.embedded(bundle.below(&format!("{}/", walk.base))),
            Content::Folder(root) => walk.all(root),
        };
        match ended {
            Ok(()) | Err(End::Stopped) => Ok(()),
            Err(End::Failed(kind)) => Err(FilesError { path: self.path().join(walk.base), kind }),
        }
    }

    /// Shows `visit` the files with these paths below a folder of a kind, and those that are not there as passed over.
    ///
    /// The folder may have any number of other files.
    pub fn named_files(&self, kind: ItemKind, folder: &str, paths: &[String], visit: &mut dyn VisitFiles) {
        let base = join(kind.folder(), folder);
        for path in paths {
            if show_named(self, &base, path, visit).is_break() {
                return;
            }
        }
    }

    /// Opens a folder below that of a kind, to ask about its files; nothing if there is none, or it is not a real folder.
    #[must_use]
    pub fn open_folder(&self, kind: ItemKind, folder: &str) -> Option<OpenFolder> {
        match &self.content {
            Content::Embedded(_) => None,
            Content::Folder(root) => {
                let descriptor = root.open_folder(&join(kind.folder(), folder)).ok()?;
                Some(OpenFolder { descriptor })
            }
        }
    }

    /// Opens a file by its path below the folder of a kind; nothing if there is none.
    ///
    /// # Errors
    /// If it is not a regular file, is reached through a link, or the file system refuses.
    pub fn open_file(&self, kind: ItemKind, path: &str) -> io::Result<Option<ItemFile>> {
        match self.open(&join(kind.folder(), path)) {
            _ if !stays_below(path) => Ok(None),
            Ok(file) => Ok(Some(file)),
            Err(OpenError::Missing) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Why a walk ends early.
enum End {
    Stopped,
    Failed(FilesErrorKind),
}

struct Walk<'w> {
    base: String,
    rules: FileRules<'w>,
    visit: &'w mut dyn VisitFiles,
    seen: usize,
}

impl Walk<'_> {
    fn embedded(&mut self, files: &'static [BundleFile]) -> Result<(), End> {
        let mut excluded = String::new();
        for file in files {
            let path = &file.path[self.base.len() + 1..];
            match self.outermost_excluded(path) {
                Some(folder) if folder == excluded => {}
                Some(folder) => {
                    folder.clone_into(&mut excluded);
                    go_on(self.visit.passed_over(folder, PassedOver::Excluded))?;
                }
                None => go_on(self.visit.file(&FileEntry { path, origin: FileOrigin::Embedded(file) }))?,
            }
        }
        Ok(())
    }

    /// The first folder on the way to a path that would not be entered.
    fn outermost_excluded<'p>(&self, path: &'p str) -> Option<&'p str> {
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        folders.into_iter().find(|folder| {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            !self.rules.enters(name)
        })
    }

    /// Visits folder after folder. They wait as paths, so neither descriptors nor the stack limit the depth.
    fn all(&mut self, root: &Folder) -> Result<(), End> {
        let mut buffer = vec![MaybeUninit::uninit(); 32 * 1024];
        let mut waiting = vec![(String::new(), 0)];
        while let Some((prefix, depth)) = waiting.pop() {
            match root.open_folder(&join(&self.base, &prefix)) {
                Ok(folder) => {
                    self.visit.folder(&prefix, FileFacts::of(&fstat(&folder).map_err(failed)?));
                    self.list(folder.as_fd(), prefix, depth, &mut buffer, &mut waiting)?;
                }
                Err(OpenError::Missing) => {}
                Err(error) if prefix.is_empty() => return Err(failed(error)),
                Err(error) => go_on(self.visit.passed_over(&prefix, error.into()))?,
            }
        }
        Ok(())
    }

    fn list(
        &mut self,
        folder: BorrowedFd<'_>,
        prefix: String,
        depth: usize,
        buffer: &mut [MaybeUninit<u8>],
        waiting: &mut Vec<(String, usize)>,
    ) -> Result<(), End> {
        let mut path = prefix;
        if !path.is_empty() {
            path.push('/');
        }
        let start = path.len();
        let mut entries = RawDir::new(folder, buffer);
        while let Some(entry) = entries.next() {
            let entry = entry.map_err(failed)?;
            if matches!(entry.file_name().to_bytes(), b"." | b"..") {
                continue;
            }
            self.seen += 1;
            if self.seen > MAX_ENTRIES {
                return Err(End::Failed(FilesErrorKind::TooMany));
            }
            path.truncate(start);
            let Ok(name) = entry.file_name().to_str() else {
                path.push_str(&entry.file_name().to_string_lossy());
                go_on(self.visit.passed_over(&path, PassedOver::NotUnicode))?;
                continue;
            };
            path.push_str(name);
            let why = match file_type(folder, &entry) {
                _ if !is_plain(name) => PassedOver::ControlCharacters,
                FileType::RegularFile => {
                    let origin = FileOrigin::Folder(folder, entry.file_name());
                    go_on(self.visit.file(&FileEntry { path: &path, origin }))?;
                    continue;
                }
                FileType::Directory if !self.rules.enters(name) => PassedOver::Excluded,
                FileType::Directory if depth >= MAX_DEPTH || path.len() > MAX_PATH => PassedOver::TooDeep,
                FileType::Directory => {
                    waiting.push((path.clone(), depth + 1));
                    continue;
                }
                FileType::Symlink => PassedOver::Link,
                _ => PassedOver::Special,
            };
            go_on(self.visit.passed_over(&path, why))?;
        }
        Ok(())
    }
}

impl FilesError {
    /// Why it cannot be listed.
    #[must_use]
    pub fn kind(&self) -> &FilesErrorKind {
        &self.kind
    }
}

fn show_named(root: &SpaceRoot, base: &str, path: &str, visit: &mut dyn VisitFiles) -> ControlFlow<()> {
    if !stays_below(path) {
        return visit.passed_over(path, PassedOver::Missing);
    }
    let whole = join(base, path);
    let folder = match &root.content {
        Content::Folder(folder) => folder,
        Content::Embedded(bundle) => {
            return match bundle.get(&whole) {
                Some(file) => visit.file(&FileEntry { path, origin: FileOrigin::Embedded(file) }),
                None => visit.passed_over(path, PassedOver::Missing),
            };
        }
    };
    let (parent, name) = whole.rsplit_once('/').unwrap_or(("", &whole));
    let parent = match folder.open_folder(parent) {
        Ok(parent) => parent,
        Err(error) => return visit.passed_over(path, error.into()),
    };
    let Ok(name) = std::ffi::CString::new(name) else {
        return visit.passed_over(path, PassedOver::ControlCharacters);
    };
    let kind = statat(&parent, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW);
    let why = match kind.map(|stat| FileType::from_raw_mode(stat.st_mode)) {
        _ if !is_plain(path) => PassedOver::ControlCharacters,
        Ok(FileType::RegularFile) => {
            return visit.file(&FileEntry { path, origin: FileOrigin::Folder(parent.as_fd(), &name) });
        }
        Ok(FileType::Symlink) => PassedOver::Link,
        Ok(_) => PassedOver::Special,
        Err(errno) => OpenError::from(errno).into(),
    };
    visit.passed_over(path, why)
}

/// Whether a path leads to something in its folder, as far as its parts decide it.
fn stays_below(path: &str) -> bool {
    !path.split('/').any(|part| matches!(part, "" | "." | ".."))
}

/// Whether a name looks like what it is.
fn is_plain(name: &str) -> bool {
    let turns_text =
        |c| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if name.is_ascii() {
        name.bytes().all(|byte| !byte.is_ascii_control())
    } else {
        !name.chars().any(|c| c.is_control() || turns_text(c))
    }
}

fn go_on(flow: ControlFlow<()>) -> Result<(), End> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(End::Stopped),
    }
}

fn failed(error: impl Into<OpenError>) -> End {
    End::Failed(FilesErrorKind::Io(error.into().into()))
}
