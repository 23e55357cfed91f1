//! What can go wrong in a store.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::canonical_json::CanonicalJsonError;
use super::section::Section;
use super::verification::Damage;
use crate::Digest;

/// A store could not do what it was asked to.
#[derive(Debug, thiserror::Error)]
#[error("cannot {task}")]
pub struct CasError {
    task: CasTask,
    #[source]
    kind: Box<CasErrorKind>,
}

/// What a store was asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CasTask {
    /// Open the store in this folder.
    Open(PathBuf),
    /// Add an entry.
    Put(Section),
    /// Find out whether an entry is there.
    Find(Section, Digest),
    /// Read an entry.
    Read(Section, Digest),
    /// Check an entry.
    Verify(Section, Digest),
    /// Remove an entry.
    Remove(Section, Digest),
    /// Name all entries.
    List(Section),
    /// Check all entries.
    VerifyAll,
    /// Remove what dead writers left.
    Clean,
}

/// Why a store could not do it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CasErrorKind {
    /// There is no such entry.
    #[error("there is no `{}`", path.display())]
    NotFound {
        /// Where the entry would be.
        path: PathBuf,
    },
    /// The entry is there, but it is not what its digest says.
    #[error("`{}` is damaged: it should have the digest `{expected}`", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The digest by which it is known.
        expected: Digest,
        /// What is wrong with it.
        #[source]
        damage: Damage,
    },
    /// The entry is larger than the caller wants to hold in memory.
    #[error("`{}` has {size} bytes, the limit is {max}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        size: u64,
        /// The caller's limit.
        max: usize,
    },
    /// The bytes that were to be stored cannot be read.
    #[error("cannot read the input")]
    Input(#[source] io::Error),
    /// The value that was to be stored has no canonical form.
    #[error("the value has no canonical form")]
    NotCanonical(#[source] CanonicalJsonError),
    /// The file system refused.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        /// What was being done to the path.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl CasError {
    pub(super) fn new(task: CasTask, kind: CasErrorKind) -> Self {
        Self { task, kind: Box::new(kind) }
    }

    /// What the store was asked to do.
    #[must_use]
    pub fn task(&self) -> &CasTask {
        &self.task
    }

    /// Why it could not.
    #[must_use]
    pub fn kind(&self) -> &CasErrorKind {
        &self.kind
    }
}

impl CasErrorKind {
    /// Names the file and what was done to it.
    pub(super) fn io<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}

impl fmt::Display for CasTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(root) => write!(f, "open the store in `{}`", root.display()),
            Self::Put(section) => write!(f, "store the {section}"),
            Self::Find(section, digest) => write!(f, "look for {section} `{digest}`"),
            Self::Read(section, digest) => write!(f, "read {section} `{digest}`"),
            Self::Verify(section, digest) => write!(f, "verify {section} `{digest}`"),
            Self::Remove(section, digest) => write!(f, "remove {section} `{digest}`"),
            Self::List(section) => write!(f, "list the {section}s"),
            Self::VerifyAll => f.write_str("verify the store"),
            Self::Clean => f.write_str("clean the store"),
        }
    }
}
