//! A signature, together with what it says and who has made it.

use std::fmt;
use std::str::FromStr;

use lillux::Digest;
use lillux::clock::Timestamp;
use lillux::digest::Hasher;
use lillux::keys::{KeyId, PublicKey, Signature, SigningKey};
use rye_item::ItemKind;

use crate::{KeyStatus, Keyring, TrustedKey};

/// What a signature is about. A signature for one statement is none for any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statement<'a> {
    /// "This is the content of the item."
    Item {
        /// The item's kind.
        kind: ItemKind,
        /// Its id with the file's extension, which decides how the content is understood.
        path: &'a str,
    },
    /// "These are the files below the folder."
    Manifest {
        /// The kind of items that the folder holds.
        kind: ItemKind,
        /// The folder's path below that of the kind; empty for that one itself.
        folder: &'a str,
    },
    /// "This is the chain of the item."
    Lock {
        /// The item's kind.
        kind: ItemKind,
        /// Its id.
        id: &'a str,
    },
}

/// A signature over a statement about a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seal {
    time: Timestamp,
    digest: Digest,
    signature: Signature,
    key: KeyId,
}

/// Why a seal does not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// Nobody has said that the key counts.
    #[error("the key {key} is not trusted")]
    UnknownKey {
        /// The key.
        key: KeyId,
    },
    /// The key does not count any more.
    #[error("the key {key} was revoked on {revoked_at}{}", reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    RevokedKey {
        /// The key.
        key: KeyId,
        /// Since when.
        revoked_at: Timestamp,
        /// Why.
        reason: Option<String>,
    },
    /// The key has not signed this: the line was changed, or the file was signed under another id or kind.
    #[error("the signature does not fit: the signature was changed, or the file was signed under another id")]
    WrongSignature {
        /// The key that is said to have signed.
        key: KeyId,
    },
}

/// A text that is not a seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it has not the form `{}<time>:<sha256>:<signature>:<key id>`", Seal::MARK)]
pub struct ParseSealError;

impl Seal {
    /// What every seal begins with.
    pub const MARK: &'static str = "rye:signed:v1:";
    /// Every seal has as many bytes.
    pub const LENGTH: usize = Self::MARK.len() + 20 + 1 + 64 + 1 + 86 + 1 + 32;

    /// Signs a statement.
    #[must_use]
    pub fn new(statement: &Statement<'_>, digest: Digest, time: Timestamp, key: &SigningKey) -> Self {
        let time = time.whole_seconds();
        let signature = key.sign(&message(statement, digest, time));
        Self { time, digest, signature, key: key.public_key().id() }
    }

    /// Decides whether the seal counts for a statement. Its digest still has to be compared with the content's.
    ///
    /// # Errors
    /// If it does not.
    pub fn check<'k>(
        &self,
        statement: &Statement<'_>,
        keyring: &'k Keyring,
    ) -> Result<&'k TrustedKey, SealError> {
        let key = self.key_status(keyring)?;
        let message = message(statement, self.digest, self.time);
        match key.key.verify(&message, &self.signature) {
            Ok(()) => Ok(key),
            Err(_) => Err(SealError::WrongSignature { key: self.key }),
        }
    }

    /// Decides whether the seal's key counts at all.
    pub(crate) fn key_status<'k>(&self, keyring: &'k Keyring) -> Result<&'k TrustedKey, SealError> {
        match keyring.status(self.key) {
            KeyStatus::Trusted(key) => Ok(key),
            KeyStatus::Unknown => Err(SealError::UnknownKey { key: self.key }),
            KeyStatus::Revoked(revocation) => Err(SealError::RevokedKey {
                key: self.key,
                revoked_at: revocation.revoked_at,
                reason: revocation.reason.clone(),
            }),
        }
    }

    /// What no other signature has in common with this one: the bytes that were signed, the signature, and all of the key.
    pub(crate) fn fingerprint(&self, statement: &Statement<'_>, key: &PublicKey) -> Digest {
        let mut hasher = Hasher::default();
        // Another program may be stricter. What follows has a fixed length, except for the last.
        hasher.update(concat!("rye:", env!("CARGO_PKG_VERSION"), ":known-signature\0").as_bytes());
        hasher.update(key.as_bytes());
        hasher.update(self.signature.as_bytes());
        hasher.update(&message(statement, self.digest, self.time));
        hasher.finish()
    }

    /// When it was made, as its maker says.
    #[must_use]
    pub fn time(&self) -> Timestamp {
        self.time
    }

    /// The digest of the content that it is about.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Whose it claims to be.
    #[must_use]
    pub fn key(&self) -> KeyId {
        self.key
    }
}

/// The bytes that are signed. No part can hold a NUL, so no two statements have the same bytes.
fn message(statement: &Statement<'_>, digest: Digest, time: Timestamp) -> Vec<u8> {
    let (subject, kind, path) = match statement {
        Statement::Item { kind, path } => ("item", kind, path),
        Statement::Manifest { kind, folder } => ("manifest", kind, folder),
        Statement::Lock { kind, id } => ("lock", kind, id),
    };
    let mark = Seal::MARK;
    format!("{mark}\0{subject}\0{}\0{path}\0{time}\0{digest}", kind.name()).into_bytes()
}

impl fmt::Display for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { time, digest, signature, key } = self;
        write!(f, "{}{time}:{digest}:{signature}:{key}", Self::MARK)
    }
}

impl FromStr for Seal {
    type Err = ParseSealError;

    /// Reads what [`Display`](fmt::Display) writes, and no other spelling of it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fields = text.strip_prefix(Self::MARK).ok_or(ParseSealError)?;
        let part = |range: std::ops::Range<usize>| fields.get(range).ok_or(ParseSealError);
        let seal = Self {
            time: part(0..20)?.parse().map_err(|_| ParseSealError)?,
            digest: part(21..85)?.parse().map_err(|_| ParseSealError)?,
            signature: part(86..172)?.parse().map_err(|_| ParseSealError)?,
            key: part(173..205)?.parse().map_err(|_| ParseSealError)?,
        };
        if seal.to_string() == text { Ok(seal) } else { Err(ParseSealError) }
    }
}

impl serde::Serialize for Seal {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Seal {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyOrigin, Revocation};

    const TOOL: Statement<'_> = Statement::Item { kind: ItemKind::Tool, path: "a/b.py" };

    fn time() -> Timestamp {
        "2026-03-01T10:00:00Z".parse().unwrap()
    }

    fn sealed() -> (Seal, Keyring) {
        let key = SigningKey::from_seed(&[7; 32]);
        let mut keyring = Keyring::default();
        let owner = "me".to_owned();
        keyring.trust(TrustedKey {
            key: key.public_key(),
            owner,
            trusted_at: time(),
            origin: KeyOrigin::User,
        });
        (Seal::new(&TOOL, Digest::of(b"content"), time(), &key), keyring)
    }

    #[test]
    fn a_seal_is_for_one_statement() {
        let (seal, keyring) = sealed();
        assert!(seal.check(&TOOL, &keyring).is_ok());
        for other in [
            Statement::Item { kind: ItemKind::Tool, path: "a/c.py" },
            Statement::Item { kind: ItemKind::Tool, path: "a/b.sh" },
            Statement::Item { kind: ItemKind::Knowledge, path: "a/b.py" },
            Statement::Manifest { kind: ItemKind::Tool, folder: "a/b.py" },
            Statement::Lock { kind: ItemKind::Tool, id: "a/b.py" },
        ] {
            assert_eq!(seal.check(&other, &keyring), Err(SealError::WrongSignature { key: seal.key() }));
        }
    }

    #[test]
    fn a_revoked_key_does_not_count() {
        let (seal, mut keyring) = sealed();
        keyring.revoke(seal.key(), Revocation { revoked_at: time(), reason: Some("lost".to_owned()) });
        assert!(matches!(seal.check(&TOOL, &keyring), Err(SealError::RevokedKey { .. })));
    }

    #[test]
    fn every_changed_character_is_noticed() {
        let (seal, keyring) = sealed();
        let text = seal.to_string();
        assert_eq!(text.len(), Seal::LENGTH);
        assert_eq!(text.parse(), Ok(seal));
        for at in 0..text.len() {
            for byte in 0..=127u8 {
                let mut bytes = text.clone().into_bytes();
                if std::mem::replace(&mut bytes[at], byte) == byte {
                    continue;
                }
                let text = String::from_utf8(bytes).unwrap();
                if let Ok(changed) = text.parse::<Seal>() {
                    assert!(changed.check(&TOOL, &keyring).is_err(), "{text}");
                }
            }
        }
    }
}
