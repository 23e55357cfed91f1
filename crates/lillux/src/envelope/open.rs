//! Opening an envelope.

use std::io::{self, Read};
use std::iter;

use age::armor::ArmoredReader;
use age::{DecryptError, Decryptor};
use secrecy::{ExposeSecret, SecretSlice};
use zeroize::Zeroizing;

use super::HEADER_LIMIT;
use super::environment::SecretEnvironment;
use super::identity::EnvelopeIdentity;
use super::recipient::Recipient;

const TEXT_START: &[u8] = b"-----BEGIN AGE ENCRYPTED FILE-----";
const BINARY_START: &[u8] = b"age-encryption.org/";

/// An envelope cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot open the envelope as `{recipient}`")]
pub struct OpenError {
    recipient: Recipient,
    #[source]
    kind: OpenErrorKind,
}

/// Why an envelope cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenErrorKind {
    /// The bytes are something else.
    #[error("it is not an envelope")]
    NotAnEnvelope,
    /// The envelope is of a version that is unknown here.
    #[error("it is an envelope of an unknown version")]
    UnknownVersion,
    /// The envelope is for others. One whose list of recipients was damaged looks the same.
    #[error("it was sealed for somebody else")]
    WrongIdentity,
    /// The envelope was changed or cut off.
    #[error("it is damaged or cut off")]
    Damaged(#[source] DecryptError),
    /// The list of recipients is longer than will be read.
    #[error("its list of recipients does not end within {limit} bytes")]
    HeaderTooLong {
        /// How many bytes are read.
        limit: usize,
    },
    /// The envelope is in order, and holds something that is not an environment.
    #[error("what it holds is not an environment")]
    NotAnEnvironment(#[source] serde_json::Error),
}

/// Opens an envelope in either form, and gives what is in it.
///
/// # Errors
/// If it is not for this identity, or is not an envelope as [`seal`](super::seal) made it.
pub fn open(envelope: &[u8], identity: &EnvelopeIdentity) -> Result<SecretSlice<u8>, OpenError> {
    decrypt(envelope, identity).map_err(|kind| OpenError { recipient: identity.to_recipient(), kind })
}

/// Opens an envelope that holds an environment.
///
/// # Errors
/// If [`open`] fails, or there is something else in it.
pub fn open_environment(
    envelope: &[u8],
    identity: &EnvelopeIdentity,
) -> Result<SecretEnvironment, OpenError> {
    let contents = open(envelope, identity)?;
    SecretEnvironment::from_json(contents.expose_secret()).map_err(|error| OpenError {
        recipient: identity.to_recipient(),
        kind: OpenErrorKind::NotAnEnvironment(error),
    })
}

impl OpenError {
    /// Who tried to open it.
    #[must_use]
    pub fn recipient(&self) -> &Recipient {
        &self.recipient
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &OpenErrorKind {
        &self.kind
    }

    /// What went wrong, without its context.
    #[must_use]
    pub fn into_kind(self) -> OpenErrorKind {
        self.kind
    }
}

fn decrypt(envelope: &[u8], identity: &EnvelopeIdentity) -> Result<SecretSlice<u8>, OpenErrorKind> {
    let decoded;
    let binary = if envelope.starts_with(TEXT_START) {
        decoded = remove_armor(envelope).map_err(|error| OpenErrorKind::Damaged(error.into()))?;
        decoded.as_slice()
    } else {
        envelope
    };
    if !binary.starts_with(BINARY_START) {
        return Err(OpenErrorKind::NotAnEnvelope);
    }
    let head = &binary[..binary.len().min(HEADER_LIMIT)];
    if binary.len() > HEADER_LIMIT && !head.windows(5).any(|window| window == b"\n--- ") {
        return Err(OpenErrorKind::HeaderTooLong { limit: HEADER_LIMIT });
    }
    let mut reader = Decryptor::new_buffered(binary)
        .and_then(|decryptor| decryptor.decrypt(iter::once(identity.as_age() as _)))
        .map_err(judge)?;
    // What is inside is shorter than the envelope, so the buffer never grows and leaves no copies behind.
    let mut contents = Zeroizing::new(Vec::with_capacity(binary.len()));
    reader.read_to_end(&mut contents).map_err(|error| OpenErrorKind::Damaged(error.into()))?;
    Ok(SecretSlice::from(contents.to_vec()))
}

fn remove_armor(envelope: &[u8]) -> io::Result<Vec<u8>> {
    let mut binary = Vec::with_capacity(envelope.len());
    ArmoredReader::new(envelope).read_to_end(&mut binary)?;
    Ok(binary)
}

fn judge(error: DecryptError) -> OpenErrorKind {
    match error {
        DecryptError::NoMatchingKeys => OpenErrorKind::WrongIdentity,
        DecryptError::UnknownFormat => OpenErrorKind::UnknownVersion,
        other => OpenErrorKind::Damaged(other),
    }
}
