//! What can be wrong with a key or a signature.

use std::fmt;

use pkcs8::der;

use super::key_id::KeyId;

/// Text or bytes that are not a usable key.
#[derive(Debug, thiserror::Error)]
#[error("not a usable Ed25519 {role} key")]
pub struct ParseKeyError {
    role: KeyRole,
    #[source]
    kind: ParseKeyErrorKind,
}

/// Which half of a key pair was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRole {
    /// The half that signs.
    Private,
    /// The half that verifies.
    Public,
}

/// Why something is not a usable key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseKeyErrorKind {
    /// There is no PEM block at all.
    #[error("there is no PEM block in it")]
    NotPem,
    /// A PEM block begins and does not end.
    #[error("its PEM block has no end: the text was cut off")]
    Truncated,
    /// The PEM block holds something else.
    #[error("its PEM block is a `{found}`, not a `{expected}`")]
    Label {
        /// What the block says that it is.
        found: String,
        /// What was wanted.
        expected: &'static str,
    },
    /// The PEM block is damaged.
    #[error("its PEM block is malformed")]
    Pem(#[source] der::pem::Error),
    /// What the PEM block encodes is damaged.
    #[error("what its PEM block encodes is malformed")]
    Der(#[source] der::Error),
    /// The key is for another algorithm.
    #[error("it is a key for the algorithm with object identifier {oid}")]
    Algorithm {
        /// The algorithm, in dotted form.
        oid: String,
    },
    /// The key itself does not have the form that its algorithm demands.
    #[error("the key inside has the wrong form")]
    Form,
    /// The private key comes with a public key that is not its own.
    #[error("the public key beside it belongs to another private key")]
    Mismatch,
    /// The key is encrypted, and no passphrase was given.
    #[error("it is encrypted and needs a passphrase")]
    PassphraseMissing,
    /// The passphrase does not fit.
    #[error("the passphrase is wrong")]
    PassphraseWrong,
    /// The key is encrypted in a way that is unknown here.
    #[error("it is encrypted in an unsupported way")]
    Encryption(#[source] pkcs8::Error),
    /// The key is encrypted so that trying a passphrase would take far too long, or far too much memory.
    #[error("it is encrypted at a cost that nobody needs")]
    EncryptionCost,
    /// The bytes are not a point of the curve.
    #[error("it is not a point of the curve")]
    NotAPoint,
    /// The bytes are a second spelling of a point.
    #[error("it is not the canonical encoding of its point")]
    NonCanonical,
    /// A key of small order, for which one signature fits many messages.
    #[error("it has small order, so that its signatures prove nothing")]
    Weak,
}

/// The signature does not verify.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the signature is not one of key `{key}` for this message")]
pub struct VerifyError {
    pub(super) key: KeyId,
}

/// A key cannot be written as PEM.
#[derive(Debug, thiserror::Error)]
#[error("cannot encode the key")]
pub struct EncodeKeyError(#[source] EncodeKeyErrorKind);

#[derive(Debug, thiserror::Error)]
pub(super) enum EncodeKeyErrorKind {
    #[error(transparent)]
    Der(der::Error),
    #[error(transparent)]
    Pkcs8(pkcs8::Error),
    #[error(transparent)]
    Randomness(getrandom::Error),
}

/// The system gave no randomness for a key.
#[derive(Debug, thiserror::Error)]
#[error("the system gave no randomness")]
pub struct GenerateKeyError(#[source] pub(super) getrandom::Error);

impl ParseKeyError {
    pub(super) fn private(kind: ParseKeyErrorKind) -> Self {
        Self { role: KeyRole::Private, kind }
    }

    pub(super) fn public(kind: ParseKeyErrorKind) -> Self {
        Self { role: KeyRole::Public, kind }
    }

    /// Which half of a key pair was expected.
    #[must_use]
    pub fn role(&self) -> KeyRole {
        self.role
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ParseKeyErrorKind {
        &self.kind
    }

    /// What is wrong, without its context.
    #[must_use]
    pub fn into_kind(self) -> ParseKeyErrorKind {
        self.kind
    }
}

impl VerifyError {
    /// The key that was used.
    #[must_use]
    pub fn key(&self) -> KeyId {
        self.key
    }
}

impl fmt::Display for KeyRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Private => "private",
            Self::Public => "public",
        })
    }
}

impl From<der::Error> for EncodeKeyError {
    fn from(error: der::Error) -> Self {
        Self(EncodeKeyErrorKind::Der(error))
    }
}

impl From<pkcs8::Error> for EncodeKeyError {
    fn from(error: pkcs8::Error) -> Self {
        Self(EncodeKeyErrorKind::Pkcs8(error))
    }
}

impl From<getrandom::Error> for EncodeKeyError {
    fn from(error: getrandom::Error) -> Self {
        Self(EncodeKeyErrorKind::Randomness(error))
    }
}
