//! One space: a folder, or what is inside the program.

use std::path::{Path, PathBuf};

use crate::folder::{Folder, OpenError};
use crate::{Bundle, FolderIdentity, ItemFile, ItemKind, Space};

/// A space that can be searched.
#[derive(Debug)]
pub struct SpaceRoot {
    pub(crate) space: Space,
    pub(crate) content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    Folder(Folder),
    Embedded(Bundle),
}

impl SpaceRoot {
    pub(crate) fn folder(space: Space, folder: Folder) -> Self {
        Self { space, content: Content::Folder(folder) }
    }

    pub(crate) fn embedded(bundle: Bundle) -> Self {
        Self { space: Space::System, content: Content::Embedded(bundle) }
    }

    /// Which space it is.
    #[must_use]
    pub fn space(&self) -> Space {
        self.space
    }

    /// The `.ai` folder, or a name for what has none.
    #[must_use]
    pub fn path(&self) -> &Path {
        match &self.content {
            Content::Folder(folder) => folder.path(),
            Content::Embedded(_) => Path::new("<bundle>"),
        }
    }

    /// Which folder it is, whatever its path; nothing if it has none, or that cannot be told.
    #[must_use]
    pub fn identity(&self) -> Option<FolderIdentity> {
        match &self.content {
            Content::Folder(folder) => folder.identity(),
            Content::Embedded(_) => None,
        }
    }

    /// The bundle, if the space is inside the program.
    #[must_use]
    pub fn bundle(&self) -> Option<Bundle> {
        match &self.content {
            Content::Folder(_) => None,
            Content::Embedded(bundle) => Some(*bundle),
        }
    }

    /// The folder of a kind.
    #[must_use]
    pub fn kind_path(&self, kind: ItemKind) -> PathBuf {
        self.path().join(kind.folder())
    }

    /// Whether there is a plain file at a path below the folder of a kind.
    #[must_use]
    pub fn has_file(&self, kind: ItemKind, below: &str) -> bool {
        let path = format!("{}/{below}", kind.folder());
        // To ask is cheaper than to try, and most are not there.
        let is_missing = matches!(&self.content, Content::Folder(folder) if folder.look_at(&path).is_none());
        !is_missing && self.open(&path).is_ok()
    }

    /// Whether there is anything called this below the folder of a kind that a walk would have to look into.
    #[must_use]
    pub fn may_have_folder(&self, kind: ItemKind, below: &str) -> bool {
        let path = format!("{}/{below}", kind.folder());
        match &self.content {
            Content::Folder(folder) => !matches!(folder.pass_folder(&path), Err(OpenError::Missing)),
            Content::Embedded(bundle) => !bundle.below(&format!("{path}/")).is_empty(),
        }
    }

    /// Opens a file of the folder `config`, by its path there; nothing if there is none.
    ///
    /// # Errors
    /// If it is a link, is not a plain file, or cannot be opened.
    pub fn open_config(&self, below: &str) -> std::io::Result<Option<ItemFile>> {
        match self.open(&format!("config/{below}")) {
            Ok(file) => Ok(Some(file)),
            Err(OpenError::Missing) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a file by its path below `.ai`.
    pub(crate) fn open(&self, below: &str) -> Result<ItemFile, OpenError> {
        let path = self.path().join(below);
        match &self.content {
            Content::Folder(folder) => Ok(ItemFile::opened(path, folder.open_file(below)?)),
            Content::Embedded(bundle) => {
                bundle.get(below).map(|file| ItemFile::embedded(path, file)).ok_or(OpenError::Missing)
            }
        }
    }
}
