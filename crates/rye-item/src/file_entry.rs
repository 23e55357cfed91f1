//! A file below a folder of a space, whether it is an item or not.

use std::ffi::CStr;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, fstat, statat};

use crate::folder::{OpenError, open_file};
use crate::{BundleFile, FileFacts, ItemFile};

/// Which folders a walk over files enters.
#[derive(Debug, Clone, Copy)]
pub struct FileRules<'a> {
    /// Whether it enters folders at all.
    pub recursive: bool,
    /// Names of folders that it does not enter.
    pub exclude_dirs: &'a [String],
}

/// A regular file below a folder of a space.
#[derive(Debug)]
pub struct FileEntry<'a> {
    /// Its path below the folder, with `/` between the parts.
    pub path: &'a str,
    pub(crate) origin: FileOrigin<'a>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum FileOrigin<'a> {
    Folder(BorrowedFd<'a>, &'a CStr),
    Embedded(&'static BundleFile),
}

/// A folder of a space, open.
#[derive(Debug)]
pub struct OpenFolder {
    pub(crate) descriptor: OwnedFd,
}

/// What a walk passes over, and why.
#[derive(Debug)]
#[non_exhaustive]
pub enum PassedOver {
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Special,
    /// Its name is not UTF-8.
    NotUnicode,
    /// Its name holds characters that are not shown, or that change how others are shown.
    ControlCharacters,
    /// A folder that the rules exclude.
    Excluded,
    /// A folder below too many others, or with too long a path.
    TooDeep,
    /// There is no such file.
    Missing,
    /// The file system refused.
    Unreadable(io::Error),
}

/// Sees what a walk over files comes across, and may end it.
pub trait VisitFiles {
    /// A folder is about to be listed, and this is what it is like; nothing for what is inside the program.
    fn folder(&mut self, _path: &str, _facts: FileFacts) {}

    /// A regular file.
    fn file(&mut self, entry: &FileEntry<'_>) -> ControlFlow<()>;

    /// Something that is not a file to be used. A path that is not UTF-8 has replacement characters in it.
    fn passed_over(&mut self, path: &str, why: PassedOver) -> ControlFlow<()>;
}

impl FileRules<'_> {
    pub(crate) fn enters(&self, folder: &str) -> bool {
        self.recursive && !self.exclude_dirs.iter().any(|excluded| excluded == folder)
    }

    /// Whether a walk with these rules could come across a path, as far as names decide it.
    #[must_use]
    pub fn reaches(&self, path: &str) -> bool {
        let mut folders = path.rsplit('/').skip(1);
        folders.all(|folder| self.enters(folder))
    }
}

impl FileEntry<'_> {
    /// The file inside the program, if it is there.
    #[must_use]
    pub fn embedded(&self) -> Option<&'static BundleFile> {
        match self.origin {
            FileOrigin::Embedded(file) => Some(file),
            FileOrigin::Folder(..) => None,
        }
    }

    /// What tells without reading whether the file may have changed; nothing for what is inside the program.
    ///
    /// # Errors
    /// If the file is gone or the file system refuses.
    pub fn facts(&self) -> io::Result<Option<FileFacts>> {
        match self.origin {
            FileOrigin::Embedded(_) => Ok(None),
            FileOrigin::Folder(folder, name) => {
                Ok(Some(FileFacts::of(&statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)))
            }
        }
    }

    /// Opens the file.
    ///
    /// # Errors
    /// Why it is to be passed over after all: something else can be at its place by now.
    pub fn open(&self) -> Result<ItemFile, PassedOver> {
        match self.origin {
            FileOrigin::Embedded(file) => Ok(ItemFile::embedded(file.path.into(), file)),
            FileOrigin::Folder(folder, name) => {
                let name = name.to_str().map_err(|_| PassedOver::NotUnicode)?;
                Ok(ItemFile::opened(self.path.into(), open_file(folder, name)?))
            }
        }
    }
}

impl OpenFolder {
    /// What tells without listing whether names in the folder may have changed.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn facts(&self) -> io::Result<FileFacts> {
        Ok(FileFacts::of(&fstat(&self.descriptor)?))
    }

    /// What tells without reading whether a file in the folder may have changed.
    ///
    /// # Errors
    /// If there is none of that name, or the file system refuses.
    pub fn facts_of(&self, name: &str) -> io::Result<FileFacts> {
        Ok(FileFacts::of(&statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }
}

impl From<OpenError> for PassedOver {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Missing => Self::Missing,
            OpenError::Link => Self::Link,
            OpenError::NotAFile => Self::Special,
            OpenError::Io(source) => Self::Unreadable(source),
        }
    }
}
