//! Whom an envelope is for.

use std::fmt;
use std::str::FromStr;

/// The public half of an [`EnvelopeIdentity`](super::EnvelopeIdentity), written `age1…`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Recipient(age::x25519::Recipient);

/// A text that does not name a recipient.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an X25519 recipient (`age1…`): {reason}")]
pub struct ParseRecipientError {
    text: String,
    reason: &'static str,
}

impl Recipient {
    pub(super) fn of_identity(recipient: age::x25519::Recipient) -> Self {
        Self(recipient)
    }

    pub(super) fn as_age(&self) -> &age::x25519::Recipient {
        &self.0
    }
}

impl FromStr for Recipient {
    type Err = ParseRecipientError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Somebody who mixes up the halves must not find the secret one in a log.
        if text.get(..15).is_some_and(|start| start.eq_ignore_ascii_case("AGE-SECRET-KEY-")) {
            let text = "AGE-SECRET-KEY-…".to_owned();
            return Err(ParseRecipientError { text, reason: "it is the secret half" });
        }
        let invalid = |reason| ParseRecipientError { text: text.to_owned(), reason };
        let recipient = text.parse::<age::x25519::Recipient>().map_err(invalid)?;
        if has_small_order(text) {
            return Err(invalid("its point has small order, so that anybody could open the envelope"));
        }
        Ok(Self(recipient))
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipient({self})")
    }
}

/// Whether the point of a recipient gives the same shared secret, zero, to everybody.
///
/// The age library panics when it seals to such a point, since it takes it for a failure of the randomness.
fn has_small_order(text: &str) -> bool {
    // Whether the text is in order is the library's to say; this only has to find the point in it.
    let point = bech32::decode(text).ok().and_then(|(_, bytes)| <[u8; 32]>::try_from(bytes).ok());
    point.is_none_or(|point| x25519_dalek::x25519([1; 32], point) == [0; 32])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(point: [u8; 32]) -> String {
        bech32::encode::<bech32::Bech32>(bech32::Hrp::parse("age").unwrap(), &point).unwrap()
    }

    #[test]
    fn points_of_small_order_are_refused() {
        let hex = |text: &str| crate::hex::parse::<32>(text).unwrap();
        // The list of https://cr.yp.to/ecdh.html#validate, without those that only differ in the ignored bit.
        for point in [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ] {
            let text = text_of(hex(point));
            assert!(text.parse::<age::x25519::Recipient>().is_ok(), "the library takes {point}");
            assert!(text.parse::<Recipient>().is_err(), "{point}");
        }
    }

    #[test]
    fn a_secret_is_not_repeated() {
        for secret in ["AGE-SECRET-KEY-1QQQSYRHQ", "age-secret-key-1qqqsyrhq"] {
            let error = secret.parse::<Recipient>().unwrap_err();
            assert!(!format!("{error} {error:?}").to_lowercase().contains("qqqsyrhq"));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let good = text_of([9; 32]);
        assert_eq!(good.parse::<Recipient>().unwrap().to_string(), good);
        for text in ["", "age1", "ssh-ed25519 AAAA", &good[..good.len() - 1], &good.replace("age1", "age2")] {
            assert!(text.parse::<Recipient>().is_err(), "{text}");
        }
    }
}
