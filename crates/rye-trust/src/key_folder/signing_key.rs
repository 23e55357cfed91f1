//! What the operator signs with.

use std::path::PathBuf;

use lillux::clock::Timestamp;
use lillux::keys::{KeyId, Passphrase, PublicKey, SigningKey};
use lillux::stored_file::{self, Access, StoredFileError};
use zeroize::Zeroizing;

use super::signing_file::SigningFile;
use super::{Decision, KeyFolder, KeyFolderError, check_text};

/// How a signing key is taken in.
#[derive(Debug, Clone, Copy)]
pub struct NewSigningKey<'a> {
    /// Whose it is.
    pub owner: &'a str,
    /// What protects it.
    pub passphrase: Option<&'a Passphrase>,
    /// What becomes of the one that is there.
    pub existing: ExistingKey,
    /// The time.
    pub now: Timestamp,
}

/// What becomes of a signing key when another one comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingKey {
    /// It stays, and the other one is refused.
    Refuse,
    /// It is kept under another name, and still trusted.
    Rotate,
}

/// A signing key that was taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledKey {
    /// Its other half.
    pub key: PublicKey,
    /// Where it is.
    pub path: PathBuf,
    /// Where the one before it is kept.
    pub kept: Option<PathBuf>,
}

/// What can be known of the signing key without its passphrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnKey {
    /// Its other half.
    pub key: PublicKey,
    /// Whether it has a passphrase.
    pub is_protected: bool,
    /// Where it is.
    pub path: PathBuf,
}

const SIGNING: &str = "signing.pem";

impl KeyFolder {
    /// Makes a signing key, and trusts it.
    ///
    /// # Errors
    /// If there is one already that is to stay, or a file cannot be used.
    pub fn generate(&self, new: &NewSigningKey<'_>) -> Result<InstalledKey, KeyFolderError> {
        self.import(&SigningKey::generate()?, new)
    }

    /// Takes in a signing key, and trusts it. If it is the one that is there already, it is written again, with the
    /// passphrase that it is to have from now on.
    ///
    /// # Errors
    /// If there is another one that is to stay, if the key was revoked, or if a file cannot be used.
    pub fn import(&self, key: &SigningKey, new: &NewSigningKey<'_>) -> Result<InstalledKey, KeyFolderError> {
        check_text("owner", new.owner)?;
        let text = SigningFile::encode(key, new.passphrase)?;
        let _lock = self.lock()?;
        let previous = self.own_key()?.filter(|own| own.key != key.public_key());
        if let (Some(own), ExistingKey::Refuse) = (&previous, new.existing) {
            return Err(KeyFolderError::SigningKeyExists { key: own.key.id() });
        }
        // A key that is trusted without being there does no harm; one that is there and does not count would puzzle.
        match self.trust_locked(key.public_key(), new.owner, new.now) {
            // Whose it is was said before, and still holds.
            Ok(Decision::Made | Decision::Known) | Err(KeyFolderError::AlreadyTrusted { .. }) => {}
            Err(error) => return Err(error),
        }
        let kept = previous.map(|own| self.keep(own.key.id())).transpose()?;
        let path = self.signing_path();
        stored_file::replace(&path, &text, Access::Private).map_err(KeyFolderError::stored(&path))?;
        Ok(InstalledKey { key: key.public_key(), path, kept })
    }

    /// The key to sign with.
    ///
    /// # Errors
    /// If there is none, if it was revoked, or if it is protected and the passphrase is missing or wrong.
    pub fn signing_key(&self, passphrase: Option<&Passphrase>) -> Result<SigningKey, KeyFolderError> {
        let file =
            self.signing_file()?.ok_or_else(|| KeyFolderError::NoSigningKey { folder: self.path.clone() })?;
        let path = self.signing_path();
        let failed = || KeyFolderError::file(&path);
        // Nobody should have to type a passphrase to hear that the key is of no use.
        let id = file.public_key().map_err(failed())?.id();
        match self.revoked()?.and_then(|list| list.get(id)) {
            Some(revocation) => Err(KeyFolderError::revoked(id, revocation)),
            None => file.key(passphrase).map_err(failed()),
        }
    }

    /// What can be known of the signing key without its passphrase, if there is one.
    ///
    /// # Errors
    /// If its file cannot be used.
    pub fn own_key(&self) -> Result<Option<OwnKey>, KeyFolderError> {
        let Some(file) = self.signing_file()? else { return Ok(None) };
        let path = self.signing_path();
        let key = file.public_key().map_err(KeyFolderError::file(&path))?;
        Ok(Some(OwnKey { key, is_protected: file.is_protected(), path }))
    }

    /// The private key as it is kept: with its passphrase, if it has one.
    ///
    /// # Errors
    /// If there is none, or its file cannot be used.
    pub fn private_pem(&self) -> Result<Zeroizing<Vec<u8>>, KeyFolderError> {
        match self.signing_file()? {
            None => Err(KeyFolderError::NoSigningKey { folder: self.path.clone() }),
            Some(file) => {
                file.public_key().map_err(KeyFolderError::file(&self.signing_path()))?;
                Ok(file.into_bytes())
            }
        }
    }

    /// Keeps the present signing key under the name of its id.
    fn keep(&self, id: KeyId) -> Result<PathBuf, KeyFolderError> {
        let path = self.path.join(format!("signing-{id}.pem"));
        if let Some(file) = self.signing_file()? {
            stored_file::replace(&path, &file.into_bytes(), Access::Private)
                .map_err(KeyFolderError::stored(&path))?;
        }
        Ok(path)
    }

    fn signing_file(&self) -> Result<Option<SigningFile>, KeyFolderError> {
        let path = self.signing_path();
        match stored_file::read(&path, Access::Private) {
            Err(StoredFileError::NotFound) => Ok(None),
            Err(error) => Err(KeyFolderError::stored(&path)(error)),
            Ok(bytes) => Ok(Some(SigningFile::new(bytes))),
        }
    }

    fn signing_path(&self) -> PathBuf {
        self.path.join(SIGNING)
    }
}
