//! Signed statements in files of their own: manifests and lock files.

use lillux::Digest;
use lillux::clock::Timestamp;
use lillux::keys::SigningKey;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Keyring, Seal, SealError, Statement, TrustedKey};

/// A JSON file that carries its own signature. Each content has one spelling, and no other is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedDocument<T> {
    content: T,
    seal: Seal,
}

/// A signed document that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// It has not the form of one.
    #[error("it cannot be read")]
    Syntax(#[source] serde_json::Error),
    /// It has another spelling than the one that would be written.
    #[error("it was changed after it was signed")]
    NotAsWritten,
    /// Its content is another one than that which was signed.
    #[error("it was changed after it was signed")]
    Changed,
    /// Its signature does not count.
    #[error(transparent)]
    Seal(#[from] SealError),
}

impl<T: Serialize + DeserializeOwned> SignedDocument<T> {
    /// Signs a content.
    ///
    /// # Errors
    /// If the content cannot be written as JSON.
    pub fn sign(
        content: T,
        statement: &Statement<'_>,
        time: Timestamp,
        key: &SigningKey,
    ) -> Result<Self, DocumentError> {
        let digest = digest(&content)?;
        Ok(Self { content, seal: Seal::new(statement, digest, time, key) })
    }

    /// Reads a document. Nothing in it counts before [`open`](Self::open).
    ///
    /// # Errors
    /// If it has not the form of one.
    pub fn parse(bytes: &[u8]) -> Result<Self, DocumentError> {
        let document: Self = serde_json::from_slice(bytes).map_err(DocumentError::Syntax)?;
        if document.to_bytes()? == bytes { Ok(document) } else { Err(DocumentError::NotAsWritten) }
    }

    /// The document as it is written.
    ///
    /// # Errors
    /// If the content cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, DocumentError> {
        let mut bytes = serde_json::to_vec_pretty(self).map_err(DocumentError::Syntax)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// The content, and the key that has signed it, if that counts for the statement.
    ///
    /// # Errors
    /// If it does not.
    pub fn open<'k>(
        &self,
        statement: &Statement<'_>,
        keyring: &'k Keyring,
    ) -> Result<(&T, &'k TrustedKey), DocumentError> {
        let key = self.seal.check(statement, keyring)?;
        if digest(&self.content)? == self.seal.digest() {
            Ok((&self.content, key))
        } else {
            Err(DocumentError::Changed)
        }
    }

    /// Its signature, whether it counts or not.
    pub fn seal(&self) -> &Seal {
        &self.seal
    }

    /// What it says, whether that counts or not.
    pub fn alleged_content(&self) -> &T {
        &self.content
    }
}

fn digest(content: &impl Serialize) -> Result<Digest, DocumentError> {
    Ok(Digest::of(&serde_json::to_vec(content).map_err(DocumentError::Syntax)?))
}
