//! Telling apart what can be wrong with a PEM text before its contents are looked at.

use pkcs8::der::{self, SecretDocument, pem};

use super::error::ParseKeyErrorKind;

/// A text that has the outward form of one PEM block.
pub(super) struct PemBlock<'text> {
    /// What the block says that it is.
    pub(super) label: &'text str,
    text: &'text str,
}

impl<'text> PemBlock<'text> {
    /// Finds the label. The contents are left alone, since those of other kinds of block may be in a form
    /// that the strict reader of [`decode`](Self::decode) does not know.
    pub(super) fn find(text: &'text [u8]) -> Result<Self, ParseKeyErrorKind> {
        let text = str::from_utf8(text).map_err(|_| ParseKeyErrorKind::NotPem)?;
        if !text.contains("-----BEGIN ") {
            return Err(ParseKeyErrorKind::NotPem);
        }
        // Editors leave empty lines at the end, which the strict reader would refuse.
        let text = text.trim_ascii_end();
        let last_line = text.lines().next_back().unwrap_or_default();
        if !(last_line.starts_with("-----END ") && last_line.ends_with("-----")) {
            return Err(ParseKeyErrorKind::Truncated);
        }
        let label = pem::decode_label(text.as_bytes()).map_err(ParseKeyErrorKind::Pem)?;
        Ok(Self { label, text })
    }

    /// What the block encodes.
    pub(super) fn decode(&self) -> Result<SecretDocument, ParseKeyErrorKind> {
        match SecretDocument::from_pem(self.text) {
            Ok((_, document)) => Ok(document),
            Err(error) => Err(match error.kind() {
                der::ErrorKind::Pem(error) => ParseKeyErrorKind::Pem(error),
                _ => ParseKeyErrorKind::Der(error),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outward_form_is_judged_first() {
        use ParseKeyErrorKind::{NotPem, Pem, Truncated};
        let label = |text: &'static str| PemBlock::find(text.as_bytes()).map(|block| block.label);
        assert!(matches!(label(""), Err(NotPem)));
        assert!(matches!(label("ssh-ed25519 AAAA"), Err(NotPem)));
        assert!(matches!(PemBlock::find(&[0xFF, 0xFE]), Err(NotPem)));
        assert!(matches!(label("-----BEGIN KEY-----\nAAAA\n"), Err(Truncated)));
        assert!(matches!(label("-----BEGIN KEY-----\nAAAA\n-----END KEY"), Err(Truncated)));
        assert!(matches!(label("-----BEGIN KEY-----\nAAAA\n-----END LOCK-----"), Err(Pem(_))));
        assert!(matches!(label("-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n\n"), Ok("KEY")));
    }
}
