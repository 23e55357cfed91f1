//! What can be wrong with the operator's keys.

use std::path::{Path, PathBuf};

use lillux::clock::Timestamp;
use lillux::keys::{EncodeKeyError, GenerateKeyError, KeyId, ParseKeyError, ParseKeyErrorKind};
use lillux::stored_file::StoredFileError;

use crate::{PlainTextError, PublicKeyFileError, SyntaxError};

/// Something that cannot be done with the operator's keys.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFolderError {
    /// A file of the folder cannot be used.
    #[error("cannot use `{}`", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        problem: KeyFileProblem,
    },
    /// There is nothing to sign with.
    #[error("there is no signing key in `{}`", folder.display())]
    NoSigningKey {
        /// The folder of keys.
        folder: PathBuf,
    },
    /// There is a signing key, which is not replaced without being told so.
    #[error("there is a signing key already: {key}")]
    SigningKeyExists {
        /// The key that is there.
        key: KeyId,
    },
    /// The key is trusted already, under another name.
    #[error("the key {key} is trusted already, as that of `{owner}`")]
    AlreadyTrusted {
        /// The key.
        key: KeyId,
        /// Whose it is said to be.
        owner: String,
        /// The file that says so.
        path: PathBuf,
    },
    /// The key does not count any more, and never will again.
    #[error("the key {key} was revoked on {revoked_at}{}", reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    Revoked {
        /// The key.
        key: KeyId,
        /// Since when.
        revoked_at: Timestamp,
        /// Why.
        reason: Option<String>,
    },
    /// A name or a reason cannot be shown.
    #[error("the {what} cannot be written down")]
    Text {
        /// Which one.
        what: &'static str,
        /// What is wrong with it.
        #[source]
        problem: PlainTextError,
    },
    /// A key cannot be made.
    #[error(transparent)]
    Generate(#[from] GenerateKeyError),
    /// A key cannot be written as PEM.
    #[error(transparent)]
    Encode(#[from] EncodeKeyError),
    /// A file cannot be written as TOML.
    #[error(transparent)]
    Write(#[from] toml::ser::Error),
}

/// What is wrong with a file of the operator's keys.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileProblem {
    /// It is not kept as it should be.
    #[error(transparent)]
    Stored(StoredFileError),
    /// It is not called as files of trusted keys are.
    #[error("its name is not a key id with `.toml`")]
    Name,
    /// It is called like another key.
    #[error("its name is not that of the key in it")]
    OtherName {
        /// The name that it should have.
        expected: PathBuf,
    },
    /// It is not text.
    #[error("it is not text")]
    NotText,
    /// It has not the form that it should have.
    #[error(transparent)]
    Syntax(SyntaxError),
    /// The public key in it cannot be used.
    #[error(transparent)]
    PublicKey(PublicKeyFileError),
    /// The private key in it cannot be used.
    #[error(transparent)]
    PrivateKey(ParseKeyError),
    /// The public key that it begins with is not that of the private key.
    #[error("the public key in its first line belongs to another private key")]
    Mismatch,
}

impl KeyFolderError {
    pub(super) fn stored(path: &Path) -> impl FnOnce(StoredFileError) -> Self {
        move |error| Self::file(path)(KeyFileProblem::Stored(error))
    }

    pub(super) fn file(path: &Path) -> impl FnOnce(KeyFileProblem) -> Self {
        move |problem| Self::File { path: path.to_owned(), problem }
    }

    /// Whether the only reason is that the signing key is protected and no passphrase was given.
    #[must_use]
    pub fn needs_passphrase(&self) -> bool {
        self.private_key().is_some_and(|kind| matches!(kind, ParseKeyErrorKind::PassphraseMissing))
    }

    /// Whether the only reason is that the passphrase is not that of the signing key.
    #[must_use]
    pub fn has_wrong_passphrase(&self) -> bool {
        self.private_key().is_some_and(|kind| matches!(kind, ParseKeyErrorKind::PassphraseWrong))
    }

    fn private_key(&self) -> Option<&ParseKeyErrorKind> {
        match self {
            Self::File { problem: KeyFileProblem::PrivateKey(error), .. } => Some(error.kind()),
            _ => None,
        }
    }

    /// The command that puts a file right, if its message does not name one already.
    #[must_use]
    pub fn repair(&self) -> Option<String> {
        let (path, problem) = match self {
            Self::File { path, problem } => (path, problem),
            Self::AlreadyTrusted { path, .. } => return Some(format!("rm {}", shell_word(path))),
            _ => return None,
        };
        let file = shell_word(path);
        match problem {
            KeyFileProblem::OtherName { expected } => Some(format!("mv {file} {}", shell_word(expected))),
            KeyFileProblem::Stored(StoredFileError::Owner { path, .. }) => {
                Some(format!("sudo chown \"$USER\" {}", shell_word(path)))
            }
            KeyFileProblem::Stored(StoredFileError::Symlink) => {
                Some(format!("cp --remove-destination \"$(readlink -f {file})\" {file}"))
            }
            // A trusted key can be trusted again. Without the list of the revoked ones, they would count again.
            KeyFileProblem::Stored(StoredFileError::NotRegular | StoredFileError::TooLarge { .. })
            | KeyFileProblem::Name
            | KeyFileProblem::NotText
            | KeyFileProblem::Syntax(_)
            | KeyFileProblem::PublicKey(_)
                if is_trusted_file(path) =>
            {
                Some(format!("rm -r {file}"))
            }
            _ => None,
        }
    }
}

/// A path as it is typed in a shell.
#[must_use]
pub fn shell_word(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./+,@%".contains(c);
    if text.chars().all(is_plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

fn is_trusted_file(path: &Path) -> bool {
    path.parent().and_then(Path::file_name).is_some_and(|folder| folder == super::TRUSTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_typed_as_it_is_shown() {
        for (path, word) in [
            ("/home/ada/.ai/keys", "/home/ada/.ai/keys"),
            ("/home/ada b/x", "'/home/ada b/x'"),
            ("/a'b/$(reboot)", r"'/a'\''b/$(reboot)'"),
        ] {
            assert_eq!(shell_word(Path::new(path)), word);
        }
    }
}
