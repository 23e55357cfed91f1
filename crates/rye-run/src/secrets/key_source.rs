//! Where the key of the store comes from.

use std::path::PathBuf;

use lillux::envelope::{EnvelopeIdentity, IdentityFileError, IdentityFileErrorKind};
use lillux::stored_file::StoredFileError;

/// Where the key comes from that seals and opens the secrets.
///
/// A key in the keyring of the desktop would be another variant; there is one way as yet, which works everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeySource {
    /// A file that only its owner can read, made when the first secret is set.
    IdentityFile(PathBuf),
}

impl KeySource {
    pub(super) fn load(&self) -> Result<EnvelopeIdentity, IdentityFileError> {
        let Self::IdentityFile(path) = self;
        EnvelopeIdentity::load(path)
    }

    /// The key, which is made if there is none. Of two processes that do so at once, both get the same.
    pub(super) fn load_or_create(&self) -> Result<EnvelopeIdentity, IdentityFileError> {
        match self.load() {
            Err(error) if is(&error, |file| matches!(file, StoredFileError::NotFound)) => {}
            loaded => return loaded,
        }
        let Self::IdentityFile(path) = self;
        let identity = EnvelopeIdentity::generate();
        match identity.create_file(path) {
            Ok(()) => Ok(identity),
            Err(error) if is(&error, |file| matches!(file, StoredFileError::AlreadyExists)) => self.load(),
            Err(error) => Err(error),
        }
    }
}

fn is(error: &IdentityFileError, what: fn(&StoredFileError) -> bool) -> bool {
    matches!(error.kind(), IdentityFileErrorKind::File(file) if what(file))
}
