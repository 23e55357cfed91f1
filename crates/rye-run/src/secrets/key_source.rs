//! Where the key of the store is, and how it gets there.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use lillux::envelope::{EnvelopeIdentity, Recipient};
use rye_env::ProcessEnvironment;

use super::key_file::{KeyFile, KeyRecord, Made};
use super::keyring::DesktopKeyring;
use super::{KeyError, KeyringError};

/// A place that can have the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace {
    /// The file, which only its owner can read.
    File,
    /// The keyring of the desktop.
    Keyring,
}

/// Where the key of a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyLocation {
    /// Which place has it.
    pub place: KeyPlace,
    /// The file that has the key, or tells that the keyring has it.
    pub file: PathBuf,
    /// Its public half, under which the keyring has it.
    pub recipient: Recipient,
}

/// A key that was made because there was none.
#[derive(Debug)]
pub struct NewKey {
    /// Where it is.
    pub location: KeyLocation,
    /// Why it is not in the keyring, if there is one that did not take it.
    pub refused: Option<KeyringError>,
}

/// A key that is where it was wanted.
#[derive(Debug)]
pub struct MovedKey {
    /// Where it is.
    pub location: KeyLocation,
    /// Whether it was somewhere else before.
    pub was_elsewhere: bool,
    /// Why the keyring has a copy still, if it has.
    pub left_behind: Option<KeyringError>,
}

/// The file that tells where the key is, and the keyring that may have it.
#[derive(Debug, Clone)]
pub(super) struct KeySource {
    pub(super) file: KeyFile,
    pub(super) keyring: DesktopKeyring,
}

/// The key that the keyring gave last. A process that runs many tools asks for it once, and what masks the output of a run
/// has the key that the run had, even if the keyring is locked in between.
static OPENED: Mutex<Option<EnvelopeIdentity>> = Mutex::new(None);

impl KeySource {
    pub(super) fn new(path: PathBuf, environment: &ProcessEnvironment) -> Self {
        Self { file: KeyFile { path }, keyring: DesktopKeyring::new(environment) }
    }

    /// Where the key is, if there is one. The keyring is not asked.
    pub(super) fn locate(&self) -> Result<Option<KeyLocation>, KeyError> {
        Ok(self.file.read()?.map(|record| self.location(&record)))
    }

    pub(super) fn load(&self) -> Result<EnvelopeIdentity, KeyError> {
        let record = self.file.read()?.ok_or_else(|| self.missing())?;
        match self.open(record) {
            // Somebody may have moved it since the file was read.
            Err(error) => match self.file.read()? {
                Some(KeyRecord::Here(identity)) => Ok(identity),
                _ => Err(error),
            },
            opened => opened,
        }
    }

    /// The key, which is made if there is none. Of two processes that do so at once, both get the same.
    ///
    /// No key is made if there are secrets: another one could not open them.
    pub(super) fn load_or_create<E: From<KeyError>>(
        &self,
        has_secrets: impl FnOnce() -> Result<bool, E>,
    ) -> Result<(EnvelopeIdentity, Option<NewKey>), E> {
        // The first secret comes after the key, so whoever sees a secret sees the key when looking again.
        if self.file.read()?.is_some() || has_secrets()? {
            return Ok((self.load()?, None));
        }
        let identity = EnvelopeIdentity::generate();
        let (record, refused) = match self.keyring.keep(&identity) {
            Ok(()) => (KeyRecord::InKeyring(identity.to_recipient()), None),
            Err(KeyringError::NoSession | KeyringError::NoProgram(_)) => {
                (KeyRecord::Here(identity.clone()), None)
            }
            Err(error) => (KeyRecord::Here(identity.clone()), Some(error)),
        };
        match self.file.create(&record) {
            Ok(Made::Now) => Ok((identity, Some(NewKey { location: self.location(&record), refused }))),
            not_made => {
                if matches!(record, KeyRecord::InKeyring(_)) {
                    // Nothing is sealed with it. If it stays, it opens nothing.
                    let _ = self.keyring.forget(&identity.to_recipient());
                }
                not_made?;
                Ok((self.load()?, None))
            }
        }
    }

    /// Takes the key to a place. It leaves the other only when it has been read from the new one.
    pub(super) fn move_to(&self, place: KeyPlace) -> Result<MovedKey, KeyError> {
        let folder = self.lock()?;
        let record = self.file.read()?.ok_or_else(|| KeyError::None { path: self.file.path.clone() })?;
        let (record, left_behind) = match (record, place) {
            (KeyRecord::Here(identity), KeyPlace::Keyring) => {
                let recipient = identity.to_recipient();
                self.keyring
                    .keep(&identity)
                    .map_err(|source| KeyError::NotTaken { source: source.into() })?;
                let record = KeyRecord::InKeyring(recipient);
                self.file.replace(&record)?;
                (record, None)
            }
            (KeyRecord::InKeyring(recipient), KeyPlace::File) => {
                let identity =
                    self.keyring.get(&recipient).map_err(|source| self.closed(&recipient, source))?;
                let record = KeyRecord::Here(identity);
                self.file.replace(&record)?;
                // Only what is on the disk for sure is a reason to forget the other.
                folder.sync_all().map_err(|source| self.folder_failed(source))?;
                (record, self.keyring.forget(&recipient).err())
            }
            (record, _) => {
                let location = self.location(&record);
                return Ok(MovedKey { location, was_elsewhere: false, left_behind: None });
            }
        };
        Ok(MovedKey { location: self.location(&record), was_elsewhere: true, left_behind })
    }

    fn open(&self, record: KeyRecord) -> Result<EnvelopeIdentity, KeyError> {
        let recipient = match record {
            KeyRecord::Here(identity) => return Ok(identity),
            KeyRecord::InKeyring(recipient) => recipient,
        };
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(identity) = opened.as_ref().filter(|identity| identity.to_recipient() == recipient) {
            return Ok(identity.clone());
        }
        let identity = self.keyring.get(&recipient).map_err(|source| self.closed(&recipient, source))?;
        Ok(opened.insert(identity).clone())
    }

    /// Keeps others from moving the key, until the folder is dropped.
    fn lock(&self) -> Result<File, KeyError> {
        let folder = self.file.path.parent().unwrap_or(&self.file.path);
        let locked = File::open(folder).and_then(|folder| folder.lock().map(|()| folder));
        locked.map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => KeyError::None { path: self.file.path.clone() },
            _ => self.folder_failed(source),
        })
    }

    fn location(&self, record: &KeyRecord) -> KeyLocation {
        let (place, recipient) = match record {
            KeyRecord::Here(identity) => (KeyPlace::File, identity.to_recipient()),
            KeyRecord::InKeyring(recipient) => (KeyPlace::Keyring, recipient.clone()),
        };
        KeyLocation { place, file: self.file.path.clone(), recipient }
    }

    fn missing(&self) -> KeyError {
        KeyError::Missing { path: self.file.path.clone() }
    }

    fn closed(&self, recipient: &Recipient, source: KeyringError) -> KeyError {
        let (recipient, record) = (recipient.clone(), self.file.path.clone());
        KeyError::Keyring { recipient, record, source: source.into() }
    }

    fn folder_failed(&self, source: std::io::Error) -> KeyError {
        KeyError::Record { path: self.file.path.clone(), source: source.into() }
    }
}
