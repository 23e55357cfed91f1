//! Signature lines and signed documents.

use rye_metadata::SignatureComment;
use rye_trust::{Keyring, Manifest, PublicKeyFile, Seal, SignedDocument, SignedText};

pub(crate) fn signature_line(bytes: &[u8]) {
    for (prefix, suffix, after_shebang) in [("#", "", true), ("//", "", true), ("<!--", "-->", false)] {
        let comment =
            SignatureComment { prefix: prefix.to_owned(), suffix: suffix.to_owned(), after_shebang };
        let Ok(text) = SignedText::split(bytes, &comment) else { continue };
        if let Some(seal) = text.seal() {
            assert_eq!(text.with_seal(seal, &comment), bytes, "a content has one signed form");
            assert!(seal.to_string().is_ascii());
        }
    }
    if let Some(seal) = str::from_utf8(bytes).ok().and_then(|text| text.parse::<Seal>().ok()) {
        assert_eq!(seal.to_string().as_bytes(), bytes);
    }
}

pub(crate) fn signed_document(bytes: &[u8]) {
    if let Ok(document) = SignedDocument::<Manifest>::parse(bytes) {
        assert_eq!(document.to_bytes().expect("it was read"), bytes);
        let statement = rye_trust::Statement::Manifest { kind: rye_item::ItemKind::Tool, folder: "a" };
        assert!(document.open(&statement, &Keyring::default()).is_err(), "no key counts");
    }
    let _ = PublicKeyFile::parse(bytes);
}
