//! Identities in files, in the form that `age-keygen` writes.

use std::path::{Path, PathBuf};

use secrecy::ExposeSecret;
use zeroize::Zeroizing;

use super::identity::{EnvelopeIdentity, ParseIdentityError};
use crate::stored_file::{self, Access, FileAction, StoredFileError};

/// An identity file cannot be loaded or created.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} identity file `{}`", path.display())]
pub struct IdentityFileError {
    action: FileAction,
    path: PathBuf,
    #[source]
    kind: IdentityFileErrorKind,
}

/// Why an identity file cannot be loaded or created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityFileErrorKind {
    /// The file or its folder is the trouble.
    #[error(transparent)]
    File(StoredFileError),
    /// The file is not text.
    #[error("it is not a text file")]
    NotText,
    /// There are only comments and empty lines, if anything.
    #[error("there is no identity in it")]
    Empty,
    /// There is more than one, and no way to say which is meant.
    #[error("there is a second identity in line {line}")]
    Several {
        /// Where the second one is, counted from 1.
        line: usize,
    },
    /// A line is neither an identity nor a comment.
    #[error("line {line} is wrong")]
    Line {
        /// Which line, counted from 1.
        line: usize,
        /// What is wrong with it.
        #[source]
        source: ParseIdentityError,
    },
}

impl EnvelopeIdentity {
    /// Reads an identity file that only its owner can read, in a folder that only its owner can enter.
    ///
    /// # Errors
    /// If the file is missing, a symbolic link, open to others, or does not hold exactly one X25519 identity.
    pub fn load(path: &Path) -> Result<Self, IdentityFileError> {
        let failed = |kind| IdentityFileError::new(FileAction::Load, path, kind);
        let text = stored_file::read(path, Access::Private)
            .map_err(|error| failed(IdentityFileErrorKind::File(error)))?;
        parse(&text).map_err(failed)
    }

    /// Writes the identity to a file of mode 0600, in a folder that is made with mode 0700 if it is missing.
    ///
    /// # Errors
    /// If there is something at `path` already, or the folder is open to others.
    pub fn create_file(&self, path: &Path) -> Result<(), IdentityFileError> {
        let secret = self.to_secret_text();
        let text =
            Zeroizing::new(format!("# public key: {}\n{}\n", self.to_recipient(), secret.expose_secret()));
        stored_file::create(path, text.as_bytes(), Access::Private).map_err(|error| {
            IdentityFileError::new(FileAction::Create, path, IdentityFileErrorKind::File(error))
        })
    }
}

impl IdentityFileError {
    fn new(action: FileAction, path: &Path, kind: IdentityFileErrorKind) -> Self {
        Self { action, path: path.to_owned(), kind }
    }

    /// What was to be done.
    #[must_use]
    pub fn action(&self) -> FileAction {
        self.action
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &IdentityFileErrorKind {
        &self.kind
    }

    /// What went wrong, without its context.
    #[must_use]
    pub fn into_kind(self) -> IdentityFileErrorKind {
        self.kind
    }
}

fn parse(text: &[u8]) -> Result<EnvelopeIdentity, IdentityFileErrorKind> {
    let text = str::from_utf8(text).map_err(|_| IdentityFileErrorKind::NotText)?;
    let mut found = None;
    for (line, content) in (1..).zip(text.lines().map(str::trim)) {
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let identity = content.parse().map_err(|source| IdentityFileErrorKind::Line { line, source })?;
        if found.replace(identity).is_some() {
            return Err(IdentityFileErrorKind::Several { line });
        }
    }
    found.ok_or(IdentityFileErrorKind::Empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_identity_is_expected() {
        let identity = EnvelopeIdentity::generate();
        let secret = identity.to_secret_text().expose_secret().to_owned();
        let read = |text: String| parse(text.as_bytes());
        assert_eq!(read(format!("# made today\r\n\r\n  {secret}\r\n")).unwrap(), identity);
        assert!(matches!(read("# nothing\n".to_owned()), Err(IdentityFileErrorKind::Empty)));
        let several = read(format!("{secret}\n#\n{secret}"));
        assert!(matches!(several, Err(IdentityFileErrorKind::Several { line: 3 })));
        let wrong = read(format!("\n{}", identity.to_recipient()));
        assert!(matches!(wrong, Err(IdentityFileErrorKind::Line { line: 2, .. })));
        assert!(matches!(parse(&[0xFF]), Err(IdentityFileErrorKind::NotText)));
    }
}
