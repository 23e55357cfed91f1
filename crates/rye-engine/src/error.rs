//! What can go wrong in the engine, and the stable code of each.

use std::path::PathBuf;

use crate::CatalogError;
use rye_item::{
    InvalidId, ItemId, ItemKind, LayoutError, LocateError, LocateErrorKind, ReadError, SpaceError, StoreError,
};

/// A call that could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The id has not the form of one.
    #[error(transparent)]
    InvalidId(#[from] InvalidId),
    /// A space cannot be used.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// The item is not there, or not for certain.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The item cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The item cannot be copied.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The bundle cannot be laid out.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// What is in a space cannot be put into an index.
    #[error("cannot search")]
    Catalog(#[from] CatalogError),
    /// The item has not the part that was asked for.
    #[error("{kind} `{id}` has no {part}")]
    NoSuchPart {
        /// Its kind.
        kind: ItemKind,
        /// Its id.
        id: ItemId,
        /// The part.
        part: &'static str,
    },
    /// A file of the same id and another extension is where the copy would go.
    #[error("`{path}` has that id already")]
    IdTaken {
        /// The file.
        path: PathBuf,
    },
    /// There is no project to copy to.
    #[error("`{start}` is not in a project: no folder above it has `.ai`")]
    NoProject {
        /// Where the search began.
        start: PathBuf,
    },
    /// There is no user space, because there is no home folder.
    #[error("there is no user space: neither HOME nor USER_SPACE is set")]
    NoUserSpace,
}

/// A stable name for what went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// There is no such item.
    ItemNotFound,
    /// Several files answer to one id.
    ItemAmbiguous,
    /// The id has not the form of one.
    InvalidId,
    /// The item's file cannot be used: a link, a device, too large, unreadable.
    ItemUnreadable,
    /// A space cannot be used.
    SpaceUnusable,
    /// What is there is not overwritten.
    AlreadyExists,
}

impl ErrorCode {
    /// The code as it is printed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ItemNotFound => "ITEM_NOT_FOUND",
            Self::ItemAmbiguous => "ITEM_AMBIGUOUS",
            Self::InvalidId => "INVALID_ID",
            Self::ItemUnreadable => "ITEM_UNREADABLE",
            Self::SpaceUnusable => "SPACE_UNUSABLE",
            Self::AlreadyExists => "ALREADY_EXISTS",
        }
    }
}

impl EngineError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::InvalidId(_) => ErrorCode::InvalidId,
            Self::Space(_)
            | Self::NoProject { .. }
            | Self::NoUserSpace
            | Self::Catalog(_)
            | Self::Layout(_) => ErrorCode::SpaceUnusable,
            Self::Locate(error) => match error.kind() {
                LocateErrorKind::NotFound { .. } => ErrorCode::ItemNotFound,
                LocateErrorKind::Ambiguous { .. } => ErrorCode::ItemAmbiguous,
                _ => ErrorCode::ItemUnreadable,
            },
            Self::NoSuchPart { .. } => ErrorCode::ItemNotFound,
            Self::IdTaken { .. } => ErrorCode::AlreadyExists,
            Self::Store(error) if error.already_exists() => ErrorCode::AlreadyExists,
            Self::Read(_) | Self::Store(_) => ErrorCode::ItemUnreadable,
        }
    }

    /// What to do about it, if there is something.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Locate(error) => match error.kind() {
                LocateErrorKind::NotFound { similar, .. } if similar.is_empty() => {
                    Some(format!("run `rye search {}` to look for it", error.item().id.stem()))
                }
                LocateErrorKind::NotFound { similar, .. } if similar.contains(&error.item().id) => {
                    Some("another space has it: leave out `--from`".to_owned())
                }
                LocateErrorKind::NotFound { similar, .. } => {
                    let ids: Vec<_> = similar.iter().map(|id| format!("`{id}`")).collect();
                    Some(format!("did you mean {}?", ids.join(", ")))
                }
                LocateErrorKind::Ambiguous { candidates, .. } if have_one_id(candidates) => {
                    Some("rename or remove all of them but one".to_owned())
                }
                LocateErrorKind::Ambiguous { .. } => {
                    Some("name it by its whole path, or rename one of them".to_owned())
                }
                LocateErrorKind::Link { .. } => Some("put a copy of the file there instead".to_owned()),
                _ => None,
            },
            Self::Store(error) if error.already_exists() => Some("add `--force` to replace it".to_owned()),
            Self::IdTaken { .. } => Some("remove that file, or give it another name".to_owned()),
            Self::NoProject { .. } => {
                Some("make a folder `.ai` there, or name a project with `--project`".to_owned())
            }
            Self::NoUserSpace => Some("set HOME or USER_SPACE".to_owned()),
            _ => None,
        }
    }
}

/// Whether files differ in nothing but their extensions, so that no path tells one from the other.
fn have_one_id(files: &[PathBuf]) -> bool {
    let mut ids = files.iter().map(|file| file.with_extension(""));
    let first = ids.next();
    ids.all(|id| Some(id) == first)
}

/// An error with everything that caused it, in one line.
#[must_use]
pub fn with_sources(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", with_sources(source)),
        None => error.to_string(),
    }
}
