//! Why a secret cannot be had or kept.

use std::fmt;
use std::io;
use std::path::PathBuf;

use lillux::envelope::{OpenError, SealError};
use lillux::stored_file::StoredFileError;
use rye_item::ItemRef;

use super::{KeyError, SecretName};

/// A secret that cannot be had or kept. No variant holds a value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// Nobody has set what an item needs.
    #[error("`{wanted_by}` needs {}, which nobody has set", list(names))]
    Missing {
        /// Every secret that is missing, in the order in which they were asked for.
        names: Vec<SecretName>,
        /// The item that needs them.
        wanted_by: ItemRef,
    },
    /// The value cannot be kept.
    #[error("cannot set secret `{name}`")]
    Value {
        /// The secret.
        name: SecretName,
        /// What is wrong with its value.
        #[source]
        problem: ValueProblem,
    },
    /// The key of the store cannot be loaded, made or moved.
    #[error("cannot use the key of the secrets")]
    Key(#[from] KeyError),
    /// The file of a secret, or its folder, is the trouble.
    #[error("cannot {action} secret `{name}` in `{}`", path.display())]
    File {
        /// What was to be done.
        action: SecretAction,
        /// The secret.
        name: SecretName,
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: StoredFileError,
    },
    /// The value cannot be sealed.
    #[error("cannot seal secret `{name}`")]
    Seal {
        /// The secret.
        name: SecretName,
        /// Why not.
        #[source]
        source: Box<SealError>,
    },
    /// The file of a secret cannot be opened with the key of the store.
    #[error("cannot open secret `{name}`: set it again")]
    Open {
        /// The secret.
        name: SecretName,
        /// Why not.
        #[source]
        source: Box<OpenError>,
    },
    /// The file of a secret was sealed under another name.
    #[error("the file of secret `{name}` holds something else: set it again")]
    Renamed {
        /// The name of the file.
        name: SecretName,
    },
    /// The folder cannot be listed.
    #[error("cannot list the secrets in `{}`", folder.display())]
    List {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// What is wrong with the value of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueProblem {
    /// There is nothing.
    #[error("the value is empty")]
    Empty,
    /// No process could be given it.
    #[error("the value has a NUL in it")]
    Nul,
    /// It is longer than will be read.
    #[error("the value is longer than {limit} bytes")]
    TooLong {
        /// The most bytes that a value can have.
        limit: usize,
    },
}

/// What is done with the file of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretAction {
    /// Write it.
    Set,
    /// Read it.
    Get,
    /// Remove it.
    Remove,
}

impl fmt::Display for SecretAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Set => "set",
            Self::Get => "get",
            Self::Remove => "remove",
        })
    }
}

fn list(names: &[SecretName]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    let word = if names.len() == 1 { "secret" } else { "secrets" };
    format!("{word} {}", quoted.join(", "))
}
