//! The short name of a key.

use std::fmt;
use std::str::FromStr;

use crate::digest::Digest;
use crate::hex;

/// Names a public key: the first 32 hex digits of the SHA-256 digest of its 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId([u8; 16]);

/// A text that is not 32 lower-case hex digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a key id: expected 32 lower-case hex digits")]
pub struct ParseKeyIdError {
    text: String,
}

impl KeyId {
    pub(super) fn of(public_key: &[u8; 32]) -> Self {
        let digest = Digest::of(public_key);
        let mut id = [0; 16];
        id.copy_from_slice(&digest.as_bytes()[..16]);
        Self(id)
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::write(&self.0, f)
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({self})")
    }
}

impl FromStr for KeyId {
    type Err = ParseKeyIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        hex::parse(text).map(Self).ok_or_else(|| ParseKeyIdError { text: text.to_owned() })
    }
}

impl serde::Serialize for KeyId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for KeyId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_head_of_the_digest() {
        let id = KeyId::of(&[7; 32]);
        assert_eq!(id.to_string(), Digest::of(&[7; 32]).to_string()[..32]);
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn only_the_canonical_spelling_is_read() {
        let id = KeyId::of(&[7; 32]).to_string();
        for text in ["", &id[..31], &format!("{id}0"), &id.to_uppercase(), &format!(" {}", &id[1..])] {
            assert!(text.parse::<KeyId>().is_err(), "{text}");
        }
    }
}
