//! The file that says what the key of the store is: it holds the key, or tells that the keyring does.
//!
//! There is one such file, so a store has one key at any time, and a key changes its place in one step.

use std::io;
use std::path::{Path, PathBuf};

use lillux::envelope::{EnvelopeIdentity, IdentityFileErrorKind, Recipient};
use lillux::stored_file::{self, Access, StoredFileError};

use super::KeyError;

/// What a file says about a key.
#[derive(Debug)]
pub(super) enum KeyRecord {
    /// Here it is.
    Here(EnvelopeIdentity),
    /// The keyring has the key with this public half.
    InKeyring(Recipient),
}

/// Whether a file was made, or somebody else was faster.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Made {
    Now,
    Before,
}

/// The file.
#[derive(Debug, Clone)]
pub(super) struct KeyFile {
    pub(super) path: PathBuf,
}

/// The line that names a key of the keyring. No identity begins so.
const IN_KEYRING: &str = "in keyring: ";

impl KeyFile {
    /// What the file says, if there is one.
    pub(super) fn read(&self) -> Result<Option<KeyRecord>, KeyError> {
        let error = match EnvelopeIdentity::load(&self.path) {
            Ok(identity) => return Ok(Some(KeyRecord::Here(identity))),
            Err(error) => error,
        };
        match error.kind() {
            IdentityFileErrorKind::File(StoredFileError::NotFound) => return Ok(None),
            IdentityFileErrorKind::Line { .. } => {}
            _ => return Err(KeyError::File(error.into())),
        }
        let text = stored_file::read(&self.path, Access::Private).map_err(|source| self.failed(source))?;
        match str::from_utf8(&text).ok().and_then(recipient) {
            Some(recipient) => Ok(Some(KeyRecord::InKeyring(recipient))),
            None => Err(KeyError::File(error.into())),
        }
    }

    /// Makes the file, unless there is one.
    pub(super) fn create(&self, record: &KeyRecord) -> Result<Made, KeyError> {
        match record {
            KeyRecord::Here(identity) => match identity.create_file(&self.path) {
                Ok(()) => Ok(Made::Now),
                Err(error) => match error.kind() {
                    IdentityFileErrorKind::File(StoredFileError::AlreadyExists) => Ok(Made::Before),
                    _ => Err(KeyError::File(error.into())),
                },
            },
            KeyRecord::InKeyring(recipient) => {
                match stored_file::create(&self.path, text(recipient).as_bytes(), Access::Private) {
                    Ok(()) => Ok(Made::Now),
                    Err(StoredFileError::AlreadyExists) => Ok(Made::Before),
                    Err(source) => Err(self.failed(source)),
                }
            }
        }
    }

    /// Puts the file in the place of the one that is there. Callers are alone with it.
    pub(super) fn replace(&self, record: &KeyRecord) -> Result<(), KeyError> {
        match record {
            KeyRecord::InKeyring(recipient) => {
                stored_file::replace(&self.path, text(recipient).as_bytes(), Access::Private)
                    .map_err(|source| self.failed(source))
            }
            KeyRecord::Here(identity) => {
                // What somebody left who was interrupted is a copy.
                let draft = Self { path: self.path.with_extension("draft") };
                remove(&draft.path).map_err(|source| draft.failed(source.into()))?;
                draft.create(record)?;
                match draft.read()? {
                    Some(KeyRecord::Here(read)) if read == *identity => {}
                    _ => {
                        return Err(
                            draft.failed(io::Error::other("it does not hold what was written").into())
                        );
                    }
                }
                std::fs::rename(&draft.path, &self.path).map_err(|source| {
                    // The key is where it was, so this copy is one too many.
                    let _ = remove(&draft.path);
                    self.failed(source.into())
                })
            }
        }
    }

    fn failed(&self, source: StoredFileError) -> KeyError {
        KeyError::Record { path: self.path.clone(), source }
    }
}

fn text(recipient: &Recipient) -> String {
    format!("# The keyring of the desktop has this key; see `rye secret key`.\n{IN_KEYRING}{recipient}\n")
}

fn recipient(text: &str) -> Option<Recipient> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let recipient = lines.next()?.strip_prefix(IN_KEYRING)?.parse().ok()?;
    lines.next().is_none().then_some(recipient)
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_key_of_the_keyring() {
        let key = EnvelopeIdentity::generate().to_recipient();
        assert_eq!(recipient(&text(&key)), Some(key.clone()));
        assert_eq!(recipient(&format!("\r\n{IN_KEYRING}{key}\r\n")), Some(key.clone()));
        for wrong in [String::new(), key.to_string(), format!("{IN_KEYRING}age1"), text(&key).repeat(2)] {
            assert_eq!(recipient(&wrong), None, "{wrong}");
        }
    }
}
