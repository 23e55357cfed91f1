//! The file of the signing key.

use lillux::keys::{EncodeKeyError, ParseKeyErrorKind, Passphrase, PublicKey, SigningKey};
use zeroize::Zeroizing;

use super::error::KeyFileProblem;
use crate::public_key_file::{decode_key, encode_key};

/// What the first line begins with. PEM allows such text before its block, and the public key has to be known without
/// the passphrase.
const PUBLIC_KEY: &str = "rye public key: ";

/// A private key as it is kept.
pub(super) struct SigningFile {
    bytes: Zeroizing<Vec<u8>>,
}

impl SigningFile {
    pub(super) fn new(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self { bytes }
    }

    pub(super) fn encode(
        key: &SigningKey,
        passphrase: Option<&Passphrase>,
    ) -> Result<Zeroizing<Vec<u8>>, EncodeKeyError> {
        let head = format!("{PUBLIC_KEY}{}\n", encode_key(&key.public_key()));
        let pem = key.to_pem(passphrase)?;
        // The buffer has its final size from the start: one that grows leaves copies of a secret behind.
        let mut bytes = Zeroizing::new(Vec::with_capacity(head.len() + pem.len()));
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(pem.as_bytes());
        Ok(bytes)
    }

    pub(super) fn into_bytes(self) -> Zeroizing<Vec<u8>> {
        self.bytes
    }

    /// The key. It has to be that which the first line names, if it names one.
    pub(super) fn key(&self, passphrase: Option<&Passphrase>) -> Result<SigningKey, KeyFileProblem> {
        let key =
            SigningKey::from_pem(self.bytes.as_slice(), passphrase).map_err(KeyFileProblem::PrivateKey)?;
        match self.named_key()? {
            Some(named) if named != key.public_key() => Err(KeyFileProblem::Mismatch),
            _ => Ok(key),
        }
    }

    /// Its public key, which needs no passphrase.
    pub(super) fn public_key(&self) -> Result<PublicKey, KeyFileProblem> {
        match (self.key(None), self.named_key()?) {
            (Err(KeyFileProblem::PrivateKey(error)), Some(named))
                if matches!(error.kind(), ParseKeyErrorKind::PassphraseMissing) =>
            {
                Ok(named)
            }
            (key, _) => Ok(key?.public_key()),
        }
    }

    pub(super) fn is_protected(&self) -> bool {
        self.key(None).is_err_and(|problem| {
            matches!(problem, KeyFileProblem::PrivateKey(error) if matches!(error.kind(), ParseKeyErrorKind::PassphraseMissing))
        })
    }

    fn named_key(&self) -> Result<Option<PublicKey>, KeyFileProblem> {
        let first_line = self.bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        match str::from_utf8(first_line).ok().and_then(|line| line.strip_prefix(PUBLIC_KEY)) {
            None => Ok(None),
            Some(key) => decode_key(key.trim_end()).map(Some).map_err(KeyFileProblem::PublicKey),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(key: &SigningKey, passphrase: Option<&Passphrase>) -> SigningFile {
        SigningFile::new(SigningFile::encode(key, passphrase).unwrap())
    }

    #[test]
    fn the_public_key_of_a_protected_one_is_known() {
        let key = SigningKey::from_seed(&[7; 32]);
        let passphrase = Passphrase::from("secret".to_owned());
        let (plain, protected) = (file(&key, None), file(&key, Some(&passphrase)));
        assert!(!plain.is_protected() && protected.is_protected());
        for file in [plain, protected] {
            assert_eq!(file.public_key().unwrap(), key.public_key());
            assert_eq!(file.key(Some(&passphrase)).unwrap().public_key(), key.public_key());
        }
    }

    #[test]
    fn a_first_line_that_names_another_key_is_refused() {
        let (one, other) = (SigningKey::from_seed(&[7; 32]), SigningKey::from_seed(&[8; 32]));
        let text = format!("{PUBLIC_KEY}{}\n{}", encode_key(&other.public_key()), *one.to_pem(None).unwrap());
        let file = SigningFile::new(Zeroizing::new(text.into_bytes()));
        assert!(matches!(file.key(None), Err(KeyFileProblem::Mismatch)));
        assert!(matches!(file.public_key(), Err(KeyFileProblem::Mismatch)));
    }

    #[test]
    fn a_key_of_another_program_is_taken_as_it_is() {
        let key = SigningKey::from_seed(&[7; 32]);
        let file = SigningFile::new(Zeroizing::new(key.to_pem(None).unwrap().as_bytes().to_vec()));
        assert_eq!(file.public_key().unwrap(), key.public_key());
    }
}
