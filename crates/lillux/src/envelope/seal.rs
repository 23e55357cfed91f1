//! Closing an envelope.

use std::io::{self, Write};

use age::armor::{ArmoredWriter, Format};

use super::RECIPIENT_LIMIT;
use super::environment::SecretEnvironment;
use super::recipient::Recipient;

/// How an envelope is written. Either form is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvelopeForm {
    /// ASCII text, a third longer, for where text is expected.
    Text,
    /// Bytes.
    Binary,
}

/// An envelope cannot be sealed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// Nobody could open it.
    #[error("an envelope needs a recipient")]
    NoRecipients,
    /// It has more recipients than will be read.
    #[error("an envelope has at most {limit} recipients, not {count}")]
    TooManyRecipients {
        /// How many were given.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// The encryption failed.
    #[error("cannot encrypt the envelope")]
    Encrypt(#[source] age::EncryptError),
    /// The environment could not be written as JSON.
    #[error("cannot write the environment as JSON")]
    Json(#[source] serde_json::Error),
}

/// Seals `contents`, so that the identity of each of `recipients` can open it.
///
/// # Errors
/// If there are no recipients, or too many.
pub fn seal(contents: &[u8], recipients: &[Recipient], form: EnvelopeForm) -> Result<Vec<u8>, SealError> {
    if recipients.is_empty() {
        return Err(SealError::NoRecipients);
    }
    if recipients.len() > RECIPIENT_LIMIT {
        return Err(SealError::TooManyRecipients { count: recipients.len(), limit: RECIPIENT_LIMIT });
    }
    let encryptor = age::Encryptor::with_recipients(recipients.iter().map(|one| one.as_age() as _))
        .map_err(SealError::Encrypt)?;
    write(encryptor, contents, form).map_err(|error| SealError::Encrypt(error.into()))
}

/// Seals an environment, as a JSON object, so that the identity of each of `recipients` can open it.
///
/// # Errors
/// If there are no recipients, or too many.
pub fn seal_environment(
    environment: &SecretEnvironment,
    recipients: &[Recipient],
    form: EnvelopeForm,
) -> Result<Vec<u8>, SealError> {
    seal(&environment.to_json().map_err(SealError::Json)?, recipients, form)
}

fn write(encryptor: age::Encryptor, contents: &[u8], form: EnvelopeForm) -> io::Result<Vec<u8>> {
    let format = match form {
        EnvelopeForm::Text => Format::AsciiArmor,
        EnvelopeForm::Binary => Format::Binary,
    };
    let armor = ArmoredWriter::wrap_output(Vec::new(), format)?;
    let mut writer = encryptor.wrap_output(armor)?;
    writer.write_all(contents)?;
    writer.finish()?.finish()
}
