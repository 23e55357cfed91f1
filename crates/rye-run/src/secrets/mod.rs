//! The secrets of a user, sealed at rest.
//!
//! Each secret is a file of its own, so that two processes that set different ones never meet. It is sealed with
//! [`lillux::envelope`], together with its name, and only its owner can read the file. What sealing adds to that
//! is that a copy of some of the files, in a backup or a search index, tells nothing without the key.
//!
//! The key is in a file beside them, or in the keyring of the desktop where there is one; the file tells which. A key changes
//! its place only when somebody asks for that, and no secret is ever sealed with another key than those that are there.
//!
//! Nobody gets all secrets: [`SecretStore::get`] takes names, and whoever wants them.

mod error;
mod key_error;
mod key_file;
mod key_source;
mod keyring;
mod name;
mod store;

pub use error::{SecretAction, SecretError, ValueProblem};
pub use key_error::KeyError;
pub use key_source::{KeyLocation, KeyPlace, MovedKey, NewKey};
pub use keyring::{KeyringAction, KeyringError};
pub use lillux::envelope::SecretEnvironment as SecretValues;
pub use name::{InvalidSecretName, SecretName};
pub use store::SecretStore;
