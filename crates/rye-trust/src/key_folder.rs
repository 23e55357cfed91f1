//! The operator's keys on disk: what they sign with, whom they trust, and whom they do not any more.

mod error;
mod revocation_list;
mod signing_file;
mod signing_key;
mod trusted_file;

use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use lillux::clock::Timestamp;
use lillux::keys::{KeyId, PublicKey};
use lillux::stored_file::{self, Access, StoredFileError, StoredFolder};
use rustix::fs::OFlags;

pub use error::{KeyFileProblem, KeyFolderError, shell_word};
pub use signing_key::{ExistingKey, InstalledKey, NewSigningKey, OwnKey};

use crate::plain_text::check_plain_text;
use crate::{KeyOrigin, KeyStatus, Keyring, Revocation, TrustedKey};
use revocation_list::RevocationList;

/// The folder `keys` of the user space.
///
/// It holds `signing.pem`, a file `trusted/<key id>.toml` for each trusted key, `revoked.toml`, and
/// [`KnownSignatures`](crate::KnownSignatures). All of it has to be out of reach for everybody else. A file that is not as
/// it should be is an error and never passed over, because what it was to say, a revocation perhaps, would be lost; only
/// signatures that are not known are none.
#[derive(Debug, Clone)]
pub struct KeyFolder {
    path: PathBuf,
}

/// Whether a decision was new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It was written down.
    Made,
    /// It was there already, and stays as it was.
    Known,
}

const TRUSTED: &str = "trusted";
const REVOKED: &str = "revoked.toml";
const LOCK: &str = ".lock";

impl KeyFolder {
    /// The folder in a user space. Nothing is looked at yet, and nothing is made before it is needed.
    #[must_use]
    pub fn at(user_space: &Path) -> Self {
        Self { path: user_space.join("keys") }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All keys that the operator has decided about: none if there is no folder.
    ///
    /// # Errors
    /// If any file is not as it should be. Then no key counts.
    pub fn keyring(&self) -> Result<Keyring, KeyFolderError> {
        let mut keyring = Keyring::default();
        let Some(revoked) = self.revoked()? else { return Ok(keyring) };
        for (key, revocation) in revoked.entries() {
            keyring.revoke(key, revocation);
        }
        let path = self.path.join(TRUSTED);
        let folder = match StoredFolder::open(&path, Access::Private) {
            Err(StoredFileError::NotFound) => return Ok(keyring),
            folder => folder.map_err(KeyFolderError::stored(&path))?,
        };
        for name in folder.names().map_err(KeyFolderError::stored(&path))? {
            keyring.trust(trusted_file::read(&folder, &path, &name)?);
        }
        Ok(keyring)
    }

    /// Lets the signatures of a key count everywhere.
    ///
    /// # Errors
    /// If it was revoked, if it is trusted under another name, or if a file cannot be used.
    pub fn trust(&self, key: PublicKey, owner: &str, now: Timestamp) -> Result<Decision, KeyFolderError> {
        check_text("owner", owner)?;
        let _lock = self.lock()?;
        self.trust_locked(key, owner, now)
    }

    fn trust_locked(&self, key: PublicKey, owner: &str, now: Timestamp) -> Result<Decision, KeyFolderError> {
        let id = key.id();
        let path = self.trusted_path(id);
        match self.keyring()?.status(id) {
            KeyStatus::Revoked(revocation) => Err(KeyFolderError::revoked(id, revocation.clone())),
            KeyStatus::Trusted(known) if known.owner == owner => Ok(Decision::Known),
            KeyStatus::Trusted(known) => {
                Err(KeyFolderError::AlreadyTrusted { key: id, owner: known.owner.clone(), path })
            }
            KeyStatus::Unknown => {
                let trusted_at = now.whole_seconds();
                let key = TrustedKey { key, owner: owner.to_owned(), trusted_at, origin: KeyOrigin::User };
                stored_file::create(&path, trusted_file::encode(&key)?.as_bytes(), Access::Private)
                    .map_err(KeyFolderError::stored(&path))?;
                Ok(Decision::Made)
            }
        }
    }

    /// Takes away the effect of a key for good, whether it was ever trusted or not.
    ///
    /// # Errors
    /// If a file cannot be used.
    pub fn revoke(
        &self,
        key: KeyId,
        reason: Option<&str>,
        now: Timestamp,
    ) -> Result<Decision, KeyFolderError> {
        if let Some(reason) = reason {
            check_text("reason", reason)?;
        }
        let _lock = self.lock()?;
        let mut list = self.revoked()?.unwrap_or_default();
        if list.get(key).is_some() {
            return Ok(Decision::Known);
        }
        list.add(key, Revocation { revoked_at: now.whole_seconds(), reason: reason.map(str::to_owned) });
        let path = self.path.join(REVOKED);
        stored_file::replace(&path, list.encode()?.as_bytes(), Access::Private)
            .map_err(KeyFolderError::stored(&path))?;
        Ok(Decision::Made)
    }

    /// The file of a trusted key, whether it is there or not.
    #[must_use]
    pub fn trusted_path(&self, key: KeyId) -> PathBuf {
        self.path.join(TRUSTED).join(trusted_file::name(key))
    }

    /// The revoked keys, if there is a folder of keys at all.
    fn revoked(&self) -> Result<Option<RevocationList>, KeyFolderError> {
        let folder = match StoredFolder::open(&self.path, Access::Private) {
            Err(StoredFileError::NotFound) => return Ok(None),
            folder => folder.map_err(KeyFolderError::stored(&self.path))?,
        };
        let path = self.path.join(REVOKED);
        match folder.read(OsStr::new(REVOKED)) {
            Err(StoredFileError::NotFound) => Ok(Some(RevocationList::default())),
            Err(error) => Err(KeyFolderError::stored(&path)(error)),
            Ok(bytes) => RevocationList::parse(&bytes).map(Some).map_err(KeyFolderError::file(&path)),
        }
    }

    /// Keeps other processes from changing the folder, until the file is closed. What is read is whole without it.
    fn lock(&self) -> Result<File, KeyFolderError> {
        let path = self.path.join(LOCK);
        let failed = |error: std::io::Error| KeyFolderError::stored(&path)(error.into());
        DirBuilder::new().recursive(true).mode(0o700).create(&self.path).map_err(failed)?;
        let no_links = OFlags::NOFOLLOW.bits().cast_signed();
        let mut options = File::options();
        options.write(true).create(true).truncate(false).mode(0o600).custom_flags(no_links);
        let file = options.open(&path).map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(file)
    }
}

impl KeyFolderError {
    fn revoked(key: KeyId, revocation: Revocation) -> Self {
        Self::Revoked { key, revoked_at: revocation.revoked_at, reason: revocation.reason }
    }
}

fn check_text(what: &'static str, text: &str) -> Result<(), KeyFolderError> {
    check_plain_text(text).map_err(|problem| KeyFolderError::Text { what, problem })
}
