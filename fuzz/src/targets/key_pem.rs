//! Keys in PEM.

use lillux::keys::{Passphrase, PublicKey, SigningKey};

/// The passphrase of the seeds that are encrypted.
const PASSPHRASE: &str = "secret";

pub(crate) fn key_pem(bytes: &[u8]) {
    if let Ok(key) = PublicKey::from_pem(bytes) {
        let text = key.to_pem().expect("a key can be written");
        assert_eq!(PublicKey::from_pem(text).expect("what was written can be read"), key);
    }
    let passphrase = Passphrase::from(PASSPHRASE.to_owned());
    for passphrase in [None, Some(&passphrase)] {
        if let Ok(key) = SigningKey::from_pem(bytes, passphrase) {
            let text = key.to_pem(None).expect("a key can be written");
            let again = SigningKey::from_pem(text.as_bytes(), None).expect("what was written can be read");
            assert_eq!(again.public_key(), key.public_key());
            let signature = key.sign(bytes);
            assert_eq!(again.public_key().verify(bytes, &signature), Ok(()));
        }
    }
    if let Some(point) = bytes.first_chunk::<32>()
        && let Ok(key) = PublicKey::from_bytes(point)
    {
        assert_eq!(key.as_bytes(), point);
    }
}
