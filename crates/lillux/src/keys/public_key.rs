//! The half of a key pair that verifies.

use std::fmt;
use std::hash::{Hash, Hasher};

use ed25519_dalek::VerifyingKey;

use super::error::{EncodeKeyError, ParseKeyError, ParseKeyErrorKind, VerifyError};
use super::key_id::KeyId;
use super::public_pem;
use super::signature::Signature;

/// An Ed25519 public key that is a canonically encoded point and not of small order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// The key with these bytes.
    ///
    /// # Errors
    /// If they are not a point of the curve, not its canonical encoding, or a point of small order.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, ParseKeyError> {
        let key = VerifyingKey::from_bytes(bytes)
            .map_err(|_| ParseKeyError::public(ParseKeyErrorKind::NotAPoint))?;
        if key.is_weak() {
            return Err(ParseKeyError::public(ParseKeyErrorKind::Weak));
        }
        if !is_canonical(bytes) {
            return Err(ParseKeyError::public(ParseKeyErrorKind::NonCanonical));
        }
        Ok(Self(key))
    }

    /// Reads SPKI in PEM.
    ///
    /// # Errors
    /// If `text` is not one PEM block with an Ed25519 public key that [`Self::from_bytes`] accepts.
    pub fn from_pem(text: impl AsRef<[u8]>) -> Result<Self, ParseKeyError> {
        let bytes = public_pem::parse(text.as_ref()).map_err(ParseKeyError::public)?;
        Self::from_bytes(&bytes)
    }

    /// Writes SPKI in PEM.
    ///
    /// # Errors
    /// If the encoder fails, which it has no reason to.
    pub fn to_pem(&self) -> Result<String, EncodeKeyError> {
        public_pem::encode(self.as_bytes())
    }

    /// The raw 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// The key's short name.
    #[must_use]
    pub fn id(&self) -> KeyId {
        KeyId::of(self.as_bytes())
    }

    /// Checks that this key signed `message`.
    ///
    /// Of the signatures that some verifiers take and others refuse, none is accepted.
    ///
    /// # Errors
    /// If it did not, or if the signature is not in its one canonical form.
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), VerifyError> {
        let signature = ed25519_dalek::Signature::from_bytes(signature.as_bytes());
        self.0.verify_strict(message, &signature).map_err(|_| VerifyError { key: self.id() })
    }

    pub(super) fn of_signer(key: VerifyingKey) -> Self {
        Self(key)
    }
}

/// Whether a point that is not of small order is spelled in its one way. The decoder takes a second spelling for a few points,
/// which would give one key two ids: a height of 2²⁵⁵ − 19 or more. The other second spelling is a sign for a width of
/// zero, and only points of small order have that.
fn is_canonical(bytes: &[u8; 32]) -> bool {
    let [low, middle @ .., high] = bytes;
    *low < 0xed || high & 0x7f != 0x7f || middle.iter().any(|byte| *byte != 0xff)
}

impl Hash for PublicKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_spelling() {
        let mut seen = [0, 0];
        for sign in [0x00, 0x80] {
            for (rest, low) in (0..=255).map(|low| (0xff, low)).chain((0..=255).map(|low| (0, low))) {
                let mut bytes = [rest; 32];
                (bytes[0], bytes[31]) = (low, rest & 0x7f | sign);
                let Some(key) = VerifyingKey::from_bytes(&bytes).ok().filter(|key| !key.is_weak()) else {
                    continue;
                };
                let is_canonical = key.to_edwards().compress().as_bytes() == &bytes;
                assert_eq!(PublicKey::from_bytes(&bytes).is_ok(), is_canonical, "{bytes:02x?}");
                seen[usize::from(is_canonical)] += 1;
            }
        }
        assert!(seen[0] >= 10 && seen[1] >= 100, "{seen:?}");
    }

    #[test]
    fn a_weak_key_verifies_nothing_even_if_there_were_one() {
        // The neutral element: for it, the signature (neutral element, 0) satisfies the equation for any message.
        let mut neutral = [0; 32];
        neutral[0] = 1;
        let mut signature = [0; 64];
        signature[0] = 1;
        let lax = ed25519_dalek::Signature::from_bytes(&signature);
        let key = VerifyingKey::from_bytes(&neutral).unwrap();
        assert!(ed25519_dalek::Verifier::verify(&key, b"anything", &lax).is_ok());
        assert!(PublicKey(key).verify(b"anything", &Signature::from_bytes(signature)).is_err());
    }
}
