//! Why there is no record.

use std::io;
use std::path::{Path, PathBuf};

use super::RunId;

/// The record of runs cannot be used, or does not have what was asked for.
#[derive(Debug, thiserror::Error)]
#[error("the record of runs in `{}` failed", folder.display())]
pub struct JournalError {
    folder: PathBuf,
    #[source]
    kind: JournalErrorKind,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalErrorKind {
    /// There is no run of that name.
    #[error("there is no run `{id}`")]
    RunNotFound {
        /// The name.
        id: RunId,
    },
    /// There is a run of that name already.
    #[error("there is a run `{id}` already")]
    RunExists {
        /// The name.
        id: RunId,
    },
    /// How the run ended has been written down before.
    #[error("run `{id}` has ended already")]
    AlreadyEnded {
        /// The run.
        id: RunId,
    },
    /// Output that is not in the folder of its run.
    #[error("the output in `{}` is not in the folder of run `{id}`", path.display())]
    ForeignOutput {
        /// The run.
        id: RunId,
        /// The file.
        path: PathBuf,
    },
    /// A record that cannot be read.
    #[error("the record of run `{id}` is damaged: {what}")]
    DamagedRecord {
        /// The run.
        id: RunId,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Nowhere to write was given.
    #[error("there is no folder for it")]
    NoFolder,
    /// The folder, or the database in it, can only be read, if that.
    #[error("it cannot be written")]
    NotWritable(#[source] io::Error),
    /// The database is a symbolic link, a folder or the like.
    #[error("`{}` is not a regular file", path.display())]
    NotAFile {
        /// The database.
        path: PathBuf,
    },
    /// The file is not a database, or a broken one. It stays as it is.
    #[error("the database is damaged; move it away to start a new one")]
    Damaged(#[source] DatabaseError),
    /// The file is a database of something else. It stays as it is.
    #[error("the database belongs to another program")]
    Foreign,
    /// The database was made by a later version of this program. It stays as it is.
    #[error("the database has version {found}, and this program knows versions up to {known}")]
    Newer {
        /// The version of the database.
        found: u32,
        /// The last version that is known.
        known: u32,
    },
    /// Others have kept the database locked for too long.
    #[error("other processes keep the database locked")]
    Busy(#[source] DatabaseError),
    /// The file system refused.
    #[error("the system refused")]
    Io(#[from] io::Error),
    /// The database refused.
    #[error("the database refused")]
    Database(#[source] DatabaseError),
}

/// What the database itself said.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct DatabaseError(rusqlite::Error);

impl JournalError {
    pub(super) fn new(folder: &Path, kind: impl Into<JournalErrorKind>) -> Self {
        Self { folder: folder.to_owned(), kind: kind.into() }
    }

    /// The folder of the journal.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &JournalErrorKind {
        &self.kind
    }
}

impl From<rusqlite::Error> for JournalErrorKind {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        match error.sqlite_error_code() {
            Some(Code::NotADatabase | Code::DatabaseCorrupt) => Self::Damaged(DatabaseError(error)),
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Self::Busy(DatabaseError(error)),
            Some(Code::ReadOnly | Code::PermissionDenied | Code::CannotOpen) => {
                Self::NotWritable(io::Error::other(DatabaseError(error)))
            }
            _ => Self::Database(DatabaseError(error)),
        }
    }
}
