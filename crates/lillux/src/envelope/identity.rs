//! What opens an envelope.

use std::fmt;
use std::str::FromStr;

use secrecy::SecretString;

use super::recipient::Recipient;

/// A secret X25519 key, written `AGE-SECRET-KEY-1…`.
///
/// It is wiped from memory when it is dropped, and its `Debug` form shows the recipient only.
#[derive(Clone)]
pub struct EnvelopeIdentity(age::x25519::Identity);

/// A text that is not an identity. It is not repeated, since it may be a damaged secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an X25519 identity (`AGE-SECRET-KEY-1…`): {reason}")]
pub struct ParseIdentityError {
    reason: &'static str,
}

impl EnvelopeIdentity {
    /// An identity from the randomness of the system.
    ///
    /// # Panics
    /// If the system has none to give.
    #[must_use]
    pub fn generate() -> Self {
        Self(age::x25519::Identity::generate())
    }

    /// Whom to seal to, so that this identity can open.
    #[must_use]
    pub fn to_recipient(&self) -> Recipient {
        Recipient::of_identity(self.0.to_public())
    }

    /// The secret text of the identity, which [`FromStr`] reads.
    #[must_use]
    pub fn to_secret_text(&self) -> SecretString {
        self.0.to_string()
    }

    pub(super) fn as_age(&self) -> &age::x25519::Identity {
        &self.0
    }
}

impl FromStr for EnvelopeIdentity {
    type Err = ParseIdentityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self).map_err(|reason| ParseIdentityError { reason })
    }
}

impl PartialEq for EnvelopeIdentity {
    fn eq(&self, other: &Self) -> bool {
        // Identities are equal when their public halves are, and comparing those gives nothing away.
        self.to_recipient() == other.to_recipient()
    }
}

impl Eq for EnvelopeIdentity {}

impl fmt::Debug for EnvelopeIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EnvelopeIdentity({})", self.to_recipient())
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[test]
    fn the_secret_text_round_trips() {
        let identity = EnvelopeIdentity::generate();
        assert_eq!(identity.to_secret_text().expose_secret().parse(), Ok(identity));
    }

    #[test]
    fn debug_does_not_show_the_secret() {
        let identity = EnvelopeIdentity::generate();
        let shown = format!("{identity:?} {:?}", identity.to_secret_text());
        assert!(!shown.to_uppercase().contains("AGE-SECRET-KEY"), "{shown}");
        assert!(shown.contains(&identity.to_recipient().to_string()));
    }

    #[test]
    fn an_error_does_not_repeat_a_damaged_secret() {
        let identity = EnvelopeIdentity::generate();
        let secret = identity.to_secret_text().expose_secret().to_owned();
        let damaged = &secret[..secret.len() - 1];
        let error = damaged.parse::<EnvelopeIdentity>().unwrap_err();
        assert!(!format!("{error} {error:?}").contains(&damaged[16..]));
    }
}
