//! Why a journal cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use lillux::cas::CasError;
use rusqlite::ErrorCode as Code;

use crate::RestoreError;

/// The journal of a run cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the journal `{}` failed", path.display())]
pub struct GraphJournalError {
    path: PathBuf,
    #[source]
    kind: GraphJournalErrorKind,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphJournalErrorKind {
    /// There is no journal.
    #[error("there is no such run")]
    NotFound,
    /// There is a journal of that name already.
    #[error("there is a run of that id already")]
    Exists,
    /// The process was gone before the run had begun.
    #[error("the run never began")]
    NeverBegan,
    /// The journal is a symbolic link, a folder or the like.
    #[error("it is not a regular file")]
    NotAFile,
    /// It can only be read, if that.
    #[error("it cannot be written")]
    NotWritable(#[source] io::Error),
    /// The file is not a database, or a broken one. It stays as it is.
    #[error("the database is damaged, and was left as it is")]
    DamagedDatabase(#[source] rusqlite::Error),
    /// The database is whole, and what is in it is not. It stays as it is.
    #[error("the journal is damaged, and was left as it is: {what}")]
    Damaged {
        /// What is wrong with it.
        what: String,
    },
    /// The database belongs to something else. It stays as it is.
    #[error("the database belongs to another program")]
    Foreign,
    /// The database was made by a later version of this program. It stays as it is.
    #[error("the journal has version {found}, and this program knows versions up to {known}")]
    Newer {
        /// The version of the database.
        found: u32,
        /// The last version that is known.
        known: u32,
    },
    /// Another process drives the run.
    #[error("another process drives the run")]
    Driven,
    /// Others have kept the database locked for too long.
    #[error("other processes keep the database locked")]
    Busy(#[source] rusqlite::Error),
    /// The graph is not the one that the run began with.
    #[error("the run cannot go on with the graph as it is now")]
    Graph(#[source] RestoreError),
    /// A large value could not be kept, or is gone.
    #[error("a large value cannot be kept or read")]
    Value(#[from] CasError),
    /// The file system refused.
    #[error("the system refused")]
    Io(#[from] io::Error),
    /// The database refused.
    #[error("the database refused")]
    Database(#[source] rusqlite::Error),
}

impl GraphJournalError {
    pub(super) fn new(path: &Path, kind: impl Into<GraphJournalErrorKind>) -> Self {
        Self { path: path.to_owned(), kind: kind.into() }
    }

    /// The database.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &GraphJournalErrorKind {
        &self.kind
    }
}

impl GraphJournalErrorKind {
    pub(super) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged { what: what.into() }
    }
}

impl From<rusqlite::Error> for GraphJournalErrorKind {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(Code::NotADatabase | Code::DatabaseCorrupt) => Self::DamagedDatabase(error),
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Self::Busy(error),
            Some(Code::ReadOnly | Code::PermissionDenied | Code::CannotOpen) => {
                Self::NotWritable(io::Error::other(error))
            }
            _ => Self::Database(error),
        }
    }
}
