//! The half of a key pair that signs.

use std::fmt;

use ed25519_dalek::Signer;
use zeroize::Zeroizing;

use super::error::{EncodeKeyError, GenerateKeyError, ParseKeyError, ParseKeyErrorKind};
use super::passphrase::Passphrase;
use super::private_pem;
use super::public_key::PublicKey;
use super::signature::Signature;

/// An Ed25519 private key. It is wiped from memory when it is dropped, and its `Debug` form shows the id only.
#[derive(Clone)]
pub struct SigningKey(ed25519_dalek::SigningKey);

impl SigningKey {
    /// A key from the randomness of the system.
    ///
    /// # Errors
    /// If the system has none to give.
    pub fn generate() -> Result<Self, GenerateKeyError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(seed.as_mut_slice()).map_err(GenerateKeyError)?;
        Ok(Self::from_seed(&seed))
    }

    /// The key that follows from 32 secret bytes, which RFC 8032 calls the private key.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// Reads PKCS#8 in PEM. The passphrase is not used if the key is not encrypted.
    ///
    /// # Errors
    /// If `text` is not one PEM block with an Ed25519 private key, or the passphrase is missing or wrong.
    pub fn from_pem(text: impl AsRef<[u8]>, passphrase: Option<&Passphrase>) -> Result<Self, ParseKeyError> {
        let stored = private_pem::parse(text.as_ref(), passphrase).map_err(ParseKeyError::private)?;
        let key = Self::from_seed(&stored.seed);
        match stored.public_key {
            Some(stored) if stored != key.public_key().as_bytes() => {
                Err(ParseKeyError::private(ParseKeyErrorKind::Mismatch))
            }
            _ => Ok(key),
        }
    }

    /// Writes PKCS#8 in PEM, encrypted if there is a passphrase.
    ///
    /// # Errors
    /// If the system has no randomness for the encryption.
    pub fn to_pem(&self, passphrase: Option<&Passphrase>) -> Result<Zeroizing<String>, EncodeKeyError> {
        private_pem::encode(self.0.as_bytes(), passphrase)
    }

    /// The other half of the pair.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        PublicKey::of_signer(self.0.verifying_key())
    }

    /// Signs `message`. The same key and message always give the same signature.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Signature {
        Signature::from_bytes(self.0.sign(message).to_bytes())
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.public_key().id())
    }
}
