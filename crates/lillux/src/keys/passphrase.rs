//! The secret that protects a private key file.

use secrecy::{ExposeSecret, SecretString};

/// A passphrase. It is wiped from memory when it is dropped, and its `Debug` form does not show it.
#[derive(Debug, Clone)]
pub struct Passphrase(SecretString);

impl Passphrase {
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.expose_secret().as_bytes()
    }
}

impl From<SecretString> for Passphrase {
    fn from(secret: SecretString) -> Self {
        Self(secret)
    }
}

impl From<String> for Passphrase {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}
