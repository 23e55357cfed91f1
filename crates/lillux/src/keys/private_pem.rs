//! Private keys as PKCS#8 in PEM.

use pkcs8::der::asn1::OctetStringRef;
use pkcs8::der::pem::LineEnding;
use pkcs8::pkcs5::{self, pbes2, scrypt};
use pkcs8::{
    AlgorithmIdentifierRef, EncryptedPrivateKeyInfoRef, ObjectIdentifier, PrivateKeyInfoRef, SecretDocument,
};
use zeroize::Zeroizing;

use super::error::{EncodeKeyError, ParseKeyErrorKind};
use super::passphrase::Passphrase;
use super::pem_block::PemBlock;

const LABEL: &str = "PRIVATE KEY";
const ENCRYPTED_LABEL: &str = "ENCRYPTED PRIVATE KEY";

/// The most work that a passphrase may cost, in bytes that scrypt mixes and in rounds of PBKDF2: a few seconds, and
/// ten times what careful programs ask for. Without a bound, a few bytes of text could take all memory.
const SCRYPT_LIMIT: u64 = 1 << 30;
const PBKDF2_LIMIT: u32 = 10_000_000;

/// The algorithm identifier `id-Ed25519`, which never has parameters.
pub(super) const ED25519: AlgorithmIdentifierRef<'static> =
    AlgorithmIdentifierRef { oid: ObjectIdentifier::new_unwrap("1.3.101.112"), parameters: None };

/// An octet string of 32 bytes: what stands before the seed.
const SEED_HEADER: [u8; 2] = [0x04, 0x20];

/// The seed of a private key, and the public key that was stored beside it.
pub(super) struct StoredSeed {
    pub(super) seed: Zeroizing<[u8; 32]>,
    pub(super) public_key: Option<Vec<u8>>,
}

/// Encodes a seed, encrypted if there is a passphrase.
///
/// The public key is left out, which makes it version 1 of the format: OpenSSL 3.0 and Python's `cryptography`
/// refuse version 2.
pub(super) fn encode(
    seed: &[u8; 32],
    passphrase: Option<&Passphrase>,
) -> Result<Zeroizing<String>, EncodeKeyError> {
    let mut octets = Zeroizing::new([0; 34]);
    octets[..2].copy_from_slice(&SEED_HEADER);
    octets[2..].copy_from_slice(seed);
    let info = PrivateKeyInfoRef::new(ED25519, OctetStringRef::new(octets.as_slice())?);
    let (label, document) = match passphrase {
        None => (LABEL, SecretDocument::encode_msg(&info)?),
        Some(passphrase) => {
            (ENCRYPTED_LABEL, info.encrypt_with_params(encryption()?, passphrase.as_bytes())?)
        }
    };
    Ok(document.to_pem(label, LineEnding::LF)?)
}

/// Reads what [`encode`] and other programs write. The passphrase is not used if the key is not encrypted.
pub(super) fn parse(text: &[u8], passphrase: Option<&Passphrase>) -> Result<StoredSeed, ParseKeyErrorKind> {
    let block = PemBlock::find(text)?;
    match block.label {
        LABEL => parse_info(&block.decode()?),
        ENCRYPTED_LABEL => {
            let passphrase = passphrase.ok_or(ParseKeyErrorKind::PassphraseMissing)?;
            parse_info(&decrypt(&block.decode()?, passphrase)?)
        }
        other => Err(ParseKeyErrorKind::Label { found: other.to_owned(), expected: LABEL }),
    }
}

/// scrypt at the strength that OWASP recommends, of its equivalent choices the one that OpenSSL's limit of
/// 32 MiB admits.
fn encryption() -> Result<pbes2::Parameters, EncodeKeyError> {
    let mut random = [0; 32];
    getrandom::fill(&mut random)?;
    let (salt, rest) = random.split_at(16);
    let mut iv = [0; 16];
    iv.copy_from_slice(rest);
    let invalid = |_| pkcs5::Error::EncryptFailed;
    let cost = scrypt::Params::new(14, 8, 5).map_err(invalid).map_err(pkcs8::Error::from)?;
    Ok(pbes2::Parameters::generate_scrypt_aes256cbc(cost, salt, iv).map_err(pkcs8::Error::from)?)
}

fn decrypt(document: &SecretDocument, passphrase: &Passphrase) -> Result<SecretDocument, ParseKeyErrorKind> {
    let info = document.decode_msg::<EncryptedPrivateKeyInfoRef<'_>>().map_err(ParseKeyErrorKind::Der)?;
    if is_too_costly(&info.encryption_algorithm) {
        return Err(ParseKeyErrorKind::EncryptionCost);
    }
    info.decrypt(passphrase.as_bytes()).map_err(|error| match error {
        // A wrong key shows as wrong padding or, once in 256 times, as contents that make no sense.
        pkcs8::Error::EncryptedPrivateKey(pkcs5::Error::DecryptFailed) | pkcs8::Error::Asn1(_) => {
            ParseKeyErrorKind::PassphraseWrong
        }
        other => ParseKeyErrorKind::Encryption(other),
    })
}

fn is_too_costly(scheme: &pkcs5::EncryptionScheme) -> bool {
    match scheme.pbes2().map(|parameters| &parameters.kdf) {
        Some(pbes2::Kdf::Scrypt(scrypt)) => {
            let blocks = u64::from(scrypt.block_size) * u64::from(scrypt.parallelization);
            scrypt.cost_parameter.saturating_mul(128 * blocks) > SCRYPT_LIMIT
        }
        Some(pbes2::Kdf::Pbkdf2(pbkdf2)) => pbkdf2.iteration_count > PBKDF2_LIMIT,
        // The decryption says that it does not know any other.
        _ => false,
    }
}

fn parse_info(document: &SecretDocument) -> Result<StoredSeed, ParseKeyErrorKind> {
    let info = document.decode_msg::<PrivateKeyInfoRef<'_>>().map_err(ParseKeyErrorKind::Der)?;
    check_algorithm(&info.algorithm)?;
    let seed = info
        .private_key
        .as_bytes()
        .strip_prefix(&SEED_HEADER)
        .and_then(|seed| seed.try_into().ok())
        .ok_or(ParseKeyErrorKind::Form)?;
    let public_key = match info.public_key {
        None => None,
        Some(bits) => Some(bits.as_bytes().ok_or(ParseKeyErrorKind::Form)?.to_vec()),
    };
    Ok(StoredSeed { seed: Zeroizing::new(seed), public_key })
}

pub(super) fn check_algorithm(found: &AlgorithmIdentifierRef<'_>) -> Result<(), ParseKeyErrorKind> {
    if found.oid != ED25519.oid {
        return Err(ParseKeyErrorKind::Algorithm { oid: found.oid.to_string() });
    }
    if found.parameters.is_some() {
        return Err(ParseKeyErrorKind::Form);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encrypted(kdf: pbes2::Parameters) -> String {
        let info = EncryptedPrivateKeyInfoRef {
            encryption_algorithm: kdf.into(),
            encrypted_data: OctetStringRef::new(&[0; 64]).unwrap(),
        };
        let document = SecretDocument::encode_msg(&info).unwrap();
        document.to_pem(ENCRYPTED_LABEL, LineEnding::LF).unwrap().to_string()
    }

    #[test]
    fn a_passphrase_that_would_take_forever_is_not_tried() {
        let passphrase = Passphrase::from("secret".to_owned());
        let scrypt = scrypt::Params::new(30, 8, 1).unwrap();
        for kdf in [
            pbes2::Parameters::generate_scrypt_aes256cbc(scrypt, &[0; 16], [0; 16]).unwrap(),
            pbes2::Parameters::generate_pbkdf2_sha256_aes256cbc(PBKDF2_LIMIT + 1, &[0; 16], [0; 16]).unwrap(),
        ] {
            let kind = parse(encrypted(kdf).as_bytes(), Some(&passphrase)).map(|_| ()).unwrap_err();
            assert!(matches!(kind, ParseKeyErrorKind::EncryptionCost), "{kind}");
        }
    }
}
