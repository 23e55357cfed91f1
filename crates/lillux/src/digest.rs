//! The one digest of the project: SHA-256, written as 64 lower-case hex digits.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::hex;

/// A SHA-256 digest.
///
/// ```
/// use lillux::Digest;
///
/// let digest = Digest::of(b"abc");
/// assert_eq!(digest.to_string().parse::<Digest>()?, digest);
/// # Ok::<(), lillux::digest::ParseDigestError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// A text that is not 64 lower-case hex digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a SHA-256 digest: expected 64 lower-case hex digits")]
pub struct ParseDigestError {
    text: String,
}

/// Computes a [`Digest`] from bytes that arrive in pieces.
#[derive(Debug, Clone, Default)]
pub struct Hasher(Sha256);

impl Digest {
    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of everything that `reader` gives.
    ///
    /// # Errors
    /// Whatever reading gives.
    pub fn of_reader(mut reader: impl Read) -> io::Result<Self> {
        let mut hasher = Hasher::default();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(hasher.finish()),
                Ok(count) => hasher.update(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The raw 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Hasher {
    /// Adds `bytes`.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all that was added.
    #[must_use]
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::write(&self.0, f)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        hex::parse(text).map(Self).ok_or_else(|| ParseDigestError { text: text.to_owned() })
    }
}

impl serde::Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn known_digests() {
        assert_eq!(Digest::of(b"").to_string(), EMPTY);
        assert_eq!(Digest::of_reader(&b"abc"[..]).unwrap(), Digest::of(b"abc"));
    }

    #[test]
    fn only_the_canonical_spelling_is_read() {
        for text in [
            "",
            "e3b0",
            &EMPTY.to_uppercase(),
            &format!("{EMPTY}0"),
            &EMPTY.replace('e', "é"),
            &EMPTY.replace('e', "g"),
        ] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
        assert_eq!(EMPTY.parse::<Digest>().unwrap(), Digest::of(b""));
    }
}
