//! The store itself.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lillux::envelope::{EnvelopeForm, open_environment, seal_environment};
use lillux::stored_file::{self, Access, SIZE_LIMIT, StoredFileError};
use rye_env::ProcessEnvironment;
use rye_item::ItemRef;
use secrecy::{ExposeSecret, SecretString};

use super::key_source::KeySource;
use super::{
    KeyLocation, KeyPlace, MovedKey, NewKey, SecretAction, SecretError, SecretName, SecretValues,
    ValueProblem,
};

/// The secrets of a user, in the folder `secrets` of the user space.
#[derive(Debug, Clone)]
pub struct SecretStore {
    folder: PathBuf,
    key: KeySource,
}

/// Each secret is in `NAME.age`; no name of a secret is that of the key's file, which has small letters.
const EXTENSION: &str = ".age";
const IDENTITY: &str = "identity";

impl SecretStore {
    /// The most bytes that a value can have.
    pub const VALUE_LIMIT: usize = 32 * 1024;

    /// The store of a user space. Nothing is read or made before it is needed.
    ///
    /// The environment tells which desktop session we belong to, if any, and so which keyring there is.
    #[must_use]
    pub fn open(user_space: &Path, environment: &ProcessEnvironment) -> Self {
        let folder = user_space.join("secrets");
        let key = KeySource::new(folder.join(IDENTITY), environment);
        Self { folder, key }
    }

    /// Waits this long for each answer of the keyring, rather than long enough for somebody to type a password.
    #[must_use]
    pub fn keyring_patience(mut self, patience: Duration) -> Self {
        self.key.keyring.patience = patience;
        self
    }

    /// The folder that holds the sealed values.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the key is, if one was made. The keyring is not asked for it.
    ///
    /// # Errors
    /// If the file that tells so is damaged, or others can get at it.
    pub fn key(&self) -> Result<Option<KeyLocation>, SecretError> {
        Ok(self.key.locate()?)
    }

    /// Takes the key to a place. It leaves the other only when it has been read from the new one.
    ///
    /// # Errors
    /// If there is no key, if the keyring does not take or give it, or if the file system refuses. The key is where it was
    /// then.
    pub fn move_key(&self, place: KeyPlace) -> Result<MovedKey, SecretError> {
        Ok(self.key.move_to(place)?)
    }

    /// Sets a secret, in place of the value that it may have. Tells about the key if that had to be made.
    ///
    /// # Errors
    /// If the value is empty, too long or cannot be in an environment, if the key cannot be had, if others can get at the
    /// folder, or if the file system refuses.
    pub fn set(&self, name: &SecretName, value: &SecretString) -> Result<Option<NewKey>, SecretError> {
        let wrong = |problem| SecretError::Value { name: name.clone(), problem };
        check(value.expose_secret()).map_err(wrong)?;
        let mut sealed = SecretValues::default();
        sealed.insert(name.as_str(), value.clone()).map_err(|_| wrong(ValueProblem::Nul))?;
        let (identity, new_key) =
            self.key.load_or_create(|| Ok::<_, SecretError>(!self.names()?.is_empty()))?;
        let envelope = seal_environment(&sealed, &[identity.to_recipient()], EnvelopeForm::Binary)
            .map_err(|source| SecretError::Seal { name: name.clone(), source: source.into() })?;
        if envelope.len() as u64 > SIZE_LIMIT {
            return Err(wrong(ValueProblem::TooLong { limit: Self::VALUE_LIMIT }));
        }
        stored_file::replace(&self.path(name), &envelope, Access::Private)
            .map_err(|source| self.failed(SecretAction::Set, name, source))?;
        Ok(new_key)
    }

    /// The values of `names`, for the item that wants them. Without names, nothing is read.
    ///
    /// # Errors
    /// If any is missing, all those that are; or if others can get at the files, or they are damaged.
    pub fn get(&self, names: &[SecretName], wanted_by: &ItemRef) -> Result<SecretValues, SecretError> {
        let mut values = SecretValues::default();
        if names.is_empty() {
            return Ok(values);
        }
        let mut envelopes = Vec::with_capacity(names.len());
        let mut missing = Vec::new();
        for name in names {
            match stored_file::read(&self.path(name), Access::Private) {
                Ok(envelope) => envelopes.push((name, envelope)),
                Err(StoredFileError::NotFound) => missing.push(name.clone()),
                Err(source) => return Err(self.failed(SecretAction::Get, name, source)),
            }
        }
        if !missing.is_empty() {
            return Err(SecretError::Missing { names: missing, wanted_by: wanted_by.clone() });
        }
        let identity = self.key.load()?;
        for (name, envelope) in envelopes {
            let opened = open_environment(&envelope, &identity)
                .map_err(|source| SecretError::Open { name: name.clone(), source: source.into() })?;
            let value = opened.get(name.as_str()).filter(|_| opened.len() == 1);
            let inserted = value.map(|value| values.insert(name.as_str(), value.clone()));
            if !matches!(inserted, Some(Ok(_))) {
                return Err(SecretError::Renamed { name: name.clone() });
            }
        }
        Ok(values)
    }

    /// The names of all secrets that are set, in order. Files that are something else are passed over.
    ///
    /// # Errors
    /// If the folder cannot be listed. One that is missing has no secrets.
    pub fn names(&self) -> Result<Vec<SecretName>, SecretError> {
        let failed = |source| SecretError::List { folder: self.folder.clone(), source };
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let file = entry.map_err(failed)?.file_name();
            let stem = file.to_str().and_then(|file| file.strip_suffix(EXTENSION));
            names.extend(stem.and_then(|stem| SecretName::new(stem).ok()));
        }
        names.sort();
        Ok(names)
    }

    /// Removes a secret, and says whether there was one.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn remove(&self, name: &SecretName) -> Result<bool, SecretError> {
        match std::fs::remove_file(self.path(name)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.failed(SecretAction::Remove, name, error.into())),
        }
    }

    fn path(&self, name: &SecretName) -> PathBuf {
        self.folder.join(format!("{name}{EXTENSION}"))
    }

    fn failed(&self, action: SecretAction, name: &SecretName, source: StoredFileError) -> SecretError {
        SecretError::File { action, name: name.clone(), path: self.path(name), source }
    }
}

fn check(value: &str) -> Result<(), ValueProblem> {
    if value.is_empty() {
        return Err(ValueProblem::Empty);
    }
    if value.len() > SecretStore::VALUE_LIMIT {
        return Err(ValueProblem::TooLong { limit: SecretStore::VALUE_LIMIT });
    }
    if value.contains('\0') { Err(ValueProblem::Nul) } else { Ok(()) }
}
