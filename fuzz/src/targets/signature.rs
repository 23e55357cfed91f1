//! Signatures, key ids and digests as texts.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use lillux::Digest;
use lillux::keys::{KeyId, Signature};

pub(crate) fn signature(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    check::<Signature>(&text);
    check::<KeyId>(&text);
    check::<Digest>(&text);
    if let Some(bytes) = bytes.first_chunk::<64>() {
        let signature = Signature::from_bytes(*bytes);
        assert_eq!(signature.to_string().parse(), Ok(signature));
    }
}

/// Whatever is read is written in the same way, and only in that.
fn check<T: FromStr<Err: Display> + Display + Debug + PartialEq>(text: &str) {
    match text.parse::<T>() {
        Ok(value) => assert_eq!(value.to_string(), text),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
