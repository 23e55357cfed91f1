//! The beginning of a key id, which is what people type.

use std::fmt;
use std::str::FromStr;

use lillux::keys::KeyId;

use crate::Keyring;

/// The first digits of a key id, or all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyIdPrefix(String);

/// A text that no key id begins with, or too short a one to name a key by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a key is named by at least {} of the {} lower-case hex digits of its id",
    KeyIdPrefix::SHORTEST,
    KeyIdPrefix::WHOLE
)]
pub struct ParseKeyIdPrefixError;

/// A prefix that does not name one key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindKeyError {
    /// No key has such an id.
    #[error("there is no key `{prefix}`")]
    Unknown {
        /// What was looked for.
        prefix: KeyIdPrefix,
    },
    /// Several keys have such ids.
    #[error("several keys begin with `{prefix}`: {}", list(keys))]
    Ambiguous {
        /// What was looked for.
        prefix: KeyIdPrefix,
        /// The keys.
        keys: Vec<KeyId>,
    },
}

impl KeyIdPrefix {
    const SHORTEST: usize = 6;
    const WHOLE: usize = 32;

    /// The id, if all of its digits are there.
    #[must_use]
    pub fn as_whole(&self) -> Option<KeyId> {
        self.0.parse().ok()
    }
}

impl Keyring {
    /// The one key that was trusted or revoked, and whose id begins so.
    ///
    /// # Errors
    /// If there is none, or more than one.
    pub fn find(&self, prefix: &KeyIdPrefix) -> Result<KeyId, FindKeyError> {
        let known = self.trusted().map(|(id, _)| id).chain(self.revoked().map(|(id, _)| id));
        let mut keys: Vec<KeyId> = known.filter(|id| id.to_string().starts_with(&prefix.0)).collect();
        keys.sort_unstable();
        keys.dedup();
        match keys.as_slice() {
            [] => Err(FindKeyError::Unknown { prefix: prefix.clone() }),
            [key] => Ok(*key),
            _ => Err(FindKeyError::Ambiguous { prefix: prefix.clone(), keys }),
        }
    }
}

impl FromStr for KeyIdPrefix {
    type Err = ParseKeyIdPrefixError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if (Self::SHORTEST..=Self::WHOLE).contains(&text.len()) && text.bytes().all(is_digit) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ParseKeyIdPrefixError)
        }
    }
}

impl fmt::Display for KeyIdPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn list(keys: &[KeyId]) -> String {
    keys.iter().map(KeyId::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use crate::Revocation;

    use super::*;

    fn prefix(text: &str) -> KeyIdPrefix {
        text.parse().unwrap()
    }

    #[test]
    fn only_enough_digits_are_a_prefix() {
        for text in ["", "abcde", "ABCDEF", "abcdeg", "abcde ", &"a".repeat(33)] {
            assert_eq!(text.parse::<KeyIdPrefix>(), Err(ParseKeyIdPrefixError), "{text}");
        }
        assert_eq!(prefix("abcdef").as_whole(), None);
        assert_eq!(prefix(&"a".repeat(32)).as_whole().unwrap().to_string(), "a".repeat(32));
    }

    #[test]
    fn a_prefix_names_one_key_or_none() {
        let (one, other) = (format!("abcdef0{}", "1".repeat(25)), format!("abcdef1{}", "1".repeat(25)));
        let mut keyring = Keyring::default();
        for id in [&one, &other] {
            let revoked_at = "2026-01-01T00:00:00Z".parse().unwrap();
            keyring.revoke(id.parse().unwrap(), Revocation { revoked_at, reason: None });
        }
        assert_eq!(keyring.find(&prefix("abcdef0")), Ok(one.parse().unwrap()));
        assert_eq!(keyring.find(&prefix(&other)), Ok(other.parse().unwrap()));
        assert!(
            matches!(keyring.find(&prefix("abcdef")), Err(FindKeyError::Ambiguous { keys, .. }) if keys.len() == 2)
        );
        assert!(matches!(keyring.find(&prefix("abcdee")), Err(FindKeyError::Unknown { .. })));
    }
}
