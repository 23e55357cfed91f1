//! Keys in files.

use std::path::{Path, PathBuf};

use super::error::{EncodeKeyError, ParseKeyError};
use super::passphrase::Passphrase;
use super::public_key::PublicKey;
use super::signing_key::SigningKey;
use crate::stored_file::{self, Access, FileAction, StoredFileError};

/// A key file cannot be loaded or created.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} key file `{}`", path.display())]
pub struct KeyFileError {
    action: FileAction,
    path: PathBuf,
    #[source]
    kind: KeyFileErrorKind,
}

/// Why a key file cannot be loaded or created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileErrorKind {
    /// The file or its folder is the trouble.
    #[error(transparent)]
    File(StoredFileError),
    /// The file does not hold the key that was expected.
    #[error(transparent)]
    Parse(ParseKeyError),
    /// The key cannot be written as PEM.
    #[error(transparent)]
    Encode(EncodeKeyError),
}

impl SigningKey {
    /// Reads a private key file that only its owner can read, in a folder that only its owner can enter.
    ///
    /// # Errors
    /// If the file is missing, a symbolic link or open to others, or if [`SigningKey::from_pem`] refuses it.
    pub fn load(path: &Path, passphrase: Option<&Passphrase>) -> Result<Self, KeyFileError> {
        let failed = |kind| KeyFileError::new(FileAction::Load, path, kind);
        let text = stored_file::read(path, Access::Private)
            .map_err(|error| failed(KeyFileErrorKind::File(error)))?;
        Self::from_pem(text.as_slice(), passphrase).map_err(|error| failed(KeyFileErrorKind::Parse(error)))
    }

    /// Writes the key to a file of mode 0600, in a folder that is made with mode 0700 if it is missing.
    ///
    /// # Errors
    /// If there is something at `path` already, or the folder is open to others.
    pub fn create_file(&self, path: &Path, passphrase: Option<&Passphrase>) -> Result<(), KeyFileError> {
        let failed = |kind| KeyFileError::new(FileAction::Create, path, kind);
        let text = self.to_pem(passphrase).map_err(|error| failed(KeyFileErrorKind::Encode(error)))?;
        stored_file::create(path, text.as_bytes(), Access::Private)
            .map_err(|error| failed(KeyFileErrorKind::File(error)))
    }
}

impl PublicKey {
    /// Reads a public key file.
    ///
    /// # Errors
    /// If the file is missing, or if [`PublicKey::from_pem`] refuses it.
    pub fn load(path: &Path) -> Result<Self, KeyFileError> {
        let failed = |kind| KeyFileError::new(FileAction::Load, path, kind);
        let text =
            stored_file::read(path, Access::Public).map_err(|error| failed(KeyFileErrorKind::File(error)))?;
        Self::from_pem(text.as_slice()).map_err(|error| failed(KeyFileErrorKind::Parse(error)))
    }

    /// Writes the key to a file that everybody may read.
    ///
    /// # Errors
    /// If there is something at `path` already.
    pub fn create_file(&self, path: &Path) -> Result<(), KeyFileError> {
        let failed = |kind| KeyFileError::new(FileAction::Create, path, kind);
        let text = self.to_pem().map_err(|error| failed(KeyFileErrorKind::Encode(error)))?;
        stored_file::create(path, text.as_bytes(), Access::Public)
            .map_err(|error| failed(KeyFileErrorKind::File(error)))
    }
}

impl KeyFileError {
    fn new(action: FileAction, path: &Path, kind: KeyFileErrorKind) -> Self {
        Self { action, path: path.to_owned(), kind }
    }

    /// What was to be done.
    #[must_use]
    pub fn action(&self) -> FileAction {
        self.action
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &KeyFileErrorKind {
        &self.kind
    }

    /// What went wrong, without its context.
    #[must_use]
    pub fn into_kind(self) -> KeyFileErrorKind {
        self.kind
    }
}
