//! Why the key of a store cannot be used.

use std::path::PathBuf;

use lillux::envelope::{IdentityFileError, Recipient};
use lillux::stored_file::StoredFileError;

use super::KeyringError;

/// A key that cannot be loaded, made or moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file that has the key cannot be used.
    #[error(transparent)]
    File(Box<IdentityFileError>),
    /// The file that tells where the key is cannot be read or written.
    #[error("cannot use `{}`, which tells where the key is", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: StoredFileError,
    },
    /// There are secrets, but nothing tells what their key is.
    #[error("there are secrets, but `{}`, which has their key or tells where it is, is missing", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// No key was made yet.
    #[error("there is none yet in `{}`: it is made with the first secret", path.display())]
    None {
        /// The file that will have it, or tell where it is.
        path: PathBuf,
    },
    /// The keyring has the key, and does not give it.
    #[error("`{}` says that the keyring of the desktop has it, as `{recipient}`, but it cannot be had from there", record.display())]
    Keyring {
        /// The public half of the key.
        recipient: Recipient,
        /// The file that tells so.
        record: PathBuf,
        /// Why not.
        #[source]
        source: Box<KeyringError>,
    },
    /// The keyring does not take the key, which stays where it is.
    #[error("it stays in its file, because the keyring of the desktop does not keep it")]
    NotTaken {
        /// Why not.
        #[source]
        source: Box<KeyringError>,
    },
}
