//! A signature and its text form.

use std::fmt;
use std::str::FromStr;

use base64ct::{Base64UrlUnpadded, Encoding};

/// How many characters 64 bytes take in base64 without padding.
const TEXT_LENGTH: usize = 86;

/// An Ed25519 signature.
///
/// Its text form is URL-safe base64 without padding, which needs no escaping in a comment, a path or a query.
/// Each signature has exactly one text that is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature([u8; 64]);

/// A text that is not the base64 form of a signature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a signature: expected {TEXT_LENGTH} characters of canonical URL-safe base64")]
pub struct ParseSignatureError {
    text: String,
}

impl Signature {
    /// The signature with these bytes. Whether they verify is only known when they are tried.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 64]) -> Self {
        Self(bytes)
    }

    /// The raw 64 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; TEXT_LENGTH];
        f.pad(Base64UrlUnpadded::encode(&self.0, &mut text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({self})")
    }
}

impl FromStr for Signature {
    type Err = ParseSignatureError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 64];
        match Base64UrlUnpadded::decode(text, &mut bytes) {
            Ok(decoded) if decoded.len() == 64 => Ok(Self(bytes)),
            _ => Err(ParseSignatureError { text: text.to_owned() }),
        }
    }
}

impl serde::Serialize for Signature {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Signature {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_the_canonical_spelling_is_read() {
        let text = Signature([0xFB; 64]).to_string();
        assert_eq!(text.len(), TEXT_LENGTH);
        assert!(text.parse::<Signature>().is_ok());
        let standard = text.replace('-', "+").replace('_', "/");
        // The last character carries two bits of the signature; the other four have to be zero.
        let stray_bits = format!("{}x", &text[..85]);
        for wrong in [
            "",
            &text[..85],
            &format!("{text}A"),
            &format!("{text}=="),
            &format!("{text}\n"),
            &format!(" {text}"),
            &standard,
            &stray_bits,
            &text.replace('-', "é"),
        ] {
            assert_ne!(wrong, text);
            assert!(wrong.parse::<Signature>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_other_last_character_is_refused() {
        let text = Signature([0; 64]).to_string();
        let alphabet = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['-', '_']);
        let accepted: String =
            alphabet.filter(|last| format!("{}{last}", &text[..85]).parse::<Signature>().is_ok()).collect();
        assert_eq!(accepted, "AQgw");
    }

    proptest! {
        #[test]
        fn text_round_trips(head: [u8; 32], tail: [u8; 32]) {
            let mut bytes = [0; 64];
            bytes[..32].copy_from_slice(&head);
            bytes[32..].copy_from_slice(&tail);
            let signature = Signature(bytes);
            prop_assert_eq!(signature.to_string().parse(), Ok(signature));
        }

        #[test]
        fn what_is_read_is_what_would_be_written(text in "[A-Za-z0-9_-]{85,87}") {
            if let Ok(signature) = text.parse::<Signature>() {
                prop_assert_eq!(signature.to_string(), text);
            }
        }
    }
}
