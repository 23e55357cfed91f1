//! An item whose file was read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{FileFacts, FileStatus, ItemBytes, ItemRef, Located, ReadError, Space};

/// An item together with the bytes that its file had. It can be made in no other way than by reading the file, and to
/// clone it is cheap.
#[derive(Debug, Clone)]
pub struct ReadItem(Arc<Content>);

#[derive(Debug)]
struct Content {
    item: ItemRef,
    space: Space,
    path: PathBuf,
    extension: String,
    bytes: ItemBytes,
    embedded: bool,
    executable: bool,
    facts: Option<FileFacts>,
}

impl Located {
    /// Reads the file.
    ///
    /// # Errors
    /// If it is too large or the file system refuses.
    pub fn read(self) -> Result<ReadItem, ReadError> {
        let Self { item, space, extension, file } = self;
        let (path, embedded) = (file.path().to_owned(), file.is_embedded());
        let FileStatus { facts, executable } = file.status();
        let bytes = file.read()?;
        Ok(ReadItem(Arc::new(Content { item, space, path, extension, bytes, embedded, executable, facts })))
    }
}

impl ReadItem {
    /// Its name.
    #[must_use]
    pub fn item(&self) -> &ItemRef {
        &self.0.item
    }

    /// Its space.
    #[must_use]
    pub fn space(&self) -> Space {
        self.0.space
    }

    /// Where it was found. What is there now need not be what was read.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The file's extension, without its dot.
    #[must_use]
    pub fn extension(&self) -> &str {
        &self.0.extension
    }

    /// The file's path below the folder of its kind.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.0.item.id, self.0.extension)
    }

    /// What tells whether the file is still the one that was read; nothing for what is inside the program.
    #[must_use]
    pub fn facts(&self) -> Option<FileFacts> {
        self.0.facts
    }

    /// What was read.
    #[must_use]
    pub fn bytes(&self) -> &ItemBytes {
        &self.0.bytes
    }

    /// Whether it is a part of the program.
    #[must_use]
    pub fn is_embedded(&self) -> bool {
        self.0.embedded
    }

    /// Whether its owner may execute the file.
    #[must_use]
    pub fn is_executable(&self) -> bool {
        self.0.executable
    }
}
