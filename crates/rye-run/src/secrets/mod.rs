//! The secrets of a user, sealed at rest.
//!
//! Each secret is a file of its own, so that two processes that set different ones never meet. It is sealed with
//! [`lillux::envelope`], together with its name, and only its owner can read the file. What sealing adds to that
//! is that a copy of some of the files, in a backup or a search index, tells nothing without the key.
//!
//! Nobody gets all secrets: [`SecretStore::get`] takes names, and whoever wants them.

mod error;
mod key_source;
mod name;
mod store;

pub use error::{SecretAction, SecretError, ValueProblem};
pub use key_source::KeySource;
pub use lillux::envelope::SecretEnvironment as SecretValues;
pub use name::{InvalidSecretName, SecretName};
pub use store::SecretStore;
