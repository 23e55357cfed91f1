//! Public keys as SPKI in PEM.

use pkcs8::der::asn1::BitStringRef;
use pkcs8::der::pem::LineEnding;
use pkcs8::{Document, SubjectPublicKeyInfoRef};

use super::error::{EncodeKeyError, ParseKeyErrorKind};
use super::pem_block::PemBlock;
use super::private_pem::{ED25519, check_algorithm};

const LABEL: &str = "PUBLIC KEY";

pub(super) fn encode(public_key: &[u8; 32]) -> Result<String, EncodeKeyError> {
    let info =
        SubjectPublicKeyInfoRef { algorithm: ED25519, subject_public_key: BitStringRef::new(0, public_key)? };
    Ok(Document::encode_msg(&info)?.to_pem(LABEL, LineEnding::LF)?)
}

pub(super) fn parse(text: &[u8]) -> Result<[u8; 32], ParseKeyErrorKind> {
    let block = PemBlock::find(text)?;
    if block.label != LABEL {
        return Err(ParseKeyErrorKind::Label { found: block.label.to_owned(), expected: LABEL });
    }
    let document = block.decode()?;
    let info = document.decode_msg::<SubjectPublicKeyInfoRef<'_>>().map_err(ParseKeyErrorKind::Der)?;
    check_algorithm(&info.algorithm)?;
    let bytes = info.subject_public_key.as_bytes().ok_or(ParseKeyErrorKind::Form)?;
    bytes.try_into().map_err(|_| ParseKeyErrorKind::Form)
}
