//! Telling what kind of key a file holds.

use std::path::{Path, PathBuf};

use lillux::envelope::{ParseRecipientError, Recipient};

use crate::code::Code;
use crate::failure::Failure;
use crate::input::InputSource;

/// Far more than any key needs.
const LIMIT: u64 = 64 * 1024;

/// What a file holds by its looks. Whether it is in order, and kept as it should be, is seen when it is loaded.
#[derive(Debug)]
pub(crate) enum KeyFile {
    /// A private signing key.
    Private,
    /// A public signing key.
    Public,
    /// What opens envelopes.
    Identity,
    /// Whom to seal envelopes to.
    Recipient(Recipient),
}

/// A file that holds something else.
#[derive(Debug, thiserror::Error)]
#[error("there is no key in `{}`", path.display())]
struct NoKey {
    path: PathBuf,
    #[source]
    source: Option<ParseRecipientError>,
}

impl KeyFile {
    pub(crate) fn look(path: &Path) -> Result<Self, Failure> {
        let bytes = InputSource::File(path.to_owned()).read_within(LIMIT)?;
        Self::of_text(&String::from_utf8_lossy(&bytes))
            .map_err(|source| Failure::new(Code::KeyInvalid, &NoKey { path: path.to_owned(), source }))
    }

    fn of_text(text: &str) -> Result<Self, Option<ParseRecipientError>> {
        if text.contains("-----BEGIN PUBLIC KEY-----") {
            return Ok(Self::Public);
        }
        if text.contains("-----BEGIN ") {
            return Ok(Self::Private);
        }
        let is_content = |line: &&str| !line.is_empty() && !line.starts_with('#');
        let content = text.lines().map(str::trim).find(is_content).ok_or(None)?;
        if content.get(..15).is_some_and(|start| start.eq_ignore_ascii_case("AGE-SECRET-KEY-")) {
            return Ok(Self::Identity);
        }
        if !content.starts_with("age1") {
            return Err(None);
        }
        content.parse().map(Self::Recipient).map_err(Some)
    }
}
