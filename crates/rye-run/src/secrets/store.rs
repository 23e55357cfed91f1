//! The store itself.

use std::io;
use std::path::{Path, PathBuf};

use lillux::envelope::{EnvelopeForm, open_environment, seal_environment};
use lillux::stored_file::{self, Access, SIZE_LIMIT, StoredFileError};
use rye_item::ItemRef;
use secrecy::{ExposeSecret, SecretString};

use super::{KeySource, SecretAction, SecretError, SecretName, SecretValues, ValueProblem};

/// The secrets of a user, in the folder `secrets` of the user space.
#[derive(Debug, Clone)]
pub struct SecretStore {
    folder: PathBuf,
    key: KeySource,
}

/// Each secret is in `NAME.age`; no name of a secret is that of the key, which has small letters.
const EXTENSION: &str = ".age";
const IDENTITY: &str = "identity";

impl SecretStore {
    /// The most bytes that a value can have.
    pub const VALUE_LIMIT: usize = 32 * 1024;

    /// The store of a user space. Nothing is read or made before it is needed.
    #[must_use]
    pub fn open(user_space: &Path) -> Self {
        let folder = user_space.join("secrets");
        let key = KeySource::IdentityFile(folder.join(IDENTITY));
        Self { folder, key }
    }

    /// The folder that holds the sealed values.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the key comes from.
    #[must_use]
    pub fn key_source(&self) -> &KeySource {
        &self.key
    }

    /// Sets a secret, in place of the value that it may have.
    ///
    /// # Errors
    /// If the value is empty, too long or cannot be in an environment, if others can get at the folder, or if the
    /// file system refuses.
    pub fn set(&self, name: &SecretName, value: &SecretString) -> Result<(), SecretError> {
        let wrong = |problem| SecretError::Value { name: name.clone(), problem };
        check(value.expose_secret()).map_err(wrong)?;
        let mut sealed = SecretValues::default();
        sealed.insert(name.as_str(), value.clone()).map_err(|_| wrong(ValueProblem::Nul))?;
        let identity = self.key.load_or_create().map_err(|error| SecretError::Key(error.into()))?;
        let envelope = seal_environment(&sealed, &[identity.to_recipient()], EnvelopeForm::Binary)
            .map_err(|source| SecretError::Seal { name: name.clone(), source: source.into() })?;
        if envelope.len() as u64 > SIZE_LIMIT {
            return Err(wrong(ValueProblem::TooLong { limit: Self::VALUE_LIMIT }));
        }
        stored_file::replace(&self.path(name), &envelope, Access::Private)
            .map_err(|source| self.failed(SecretAction::Set, name, source))
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
        let identity = self.key.load().map_err(|error| SecretError::Key(error.into()))?;
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
