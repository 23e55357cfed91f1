//! Values in a journal: small ones in the database, large ones by their digest in a content store beside it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lillux::Digest;
use lillux::cas::Store;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::GraphJournalErrorKind as Kind;

/// The largest value, in bytes of JSON, that is kept in the database itself.
pub const INLINE_LIMIT: usize = 64 * 1024;

/// More than any value of a run can have: its state and the list that it goes through, and something for names.
const READ_LIMIT: usize = 1024 * 1024 * 1024;

/// A value as two columns, of which one is set.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) body: Option<String>,
    pub(super) digest: Option<String>,
    pub(super) bytes: usize,
}

/// Where large values are, which is made when there is one.
#[derive(Debug)]
pub(super) struct Values {
    folder: PathBuf,
    store: OnceLock<Store>,
}

impl Values {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, store: OnceLock::new() }
    }

    pub(super) fn keep(&self, value: &impl Serialize) -> Result<Kept, Kind> {
        let json = serde_json::to_string(value).map_err(|error| Kind::Io(error.into()))?;
        let bytes = json.len();
        if bytes <= INLINE_LIMIT {
            return Ok(Kept { body: Some(json), digest: None, bytes });
        }
        let stored = self.store()?.put_bytes(json.as_bytes())?;
        Ok(Kept { body: None, digest: Some(stored.digest.to_string()), bytes })
    }

    pub(super) fn read<T: DeserializeOwned>(&self, kept: &Kept, what: &str) -> Result<T, Kind> {
        let damaged = |error: &dyn std::fmt::Display| Kind::damaged(format!("{what}: {error}"));
        match (&kept.body, &kept.digest) {
            (Some(json), None) => serde_json::from_str(json).map_err(|error| damaged(&error)),
            (None, Some(digest)) => {
                let digest: Digest = digest.parse().map_err(|error| damaged(&error))?;
                let bytes = self.store()?.read(digest, READ_LIMIT)?;
                serde_json::from_slice(&bytes).map_err(|error| damaged(&error))
            }
            _ => Err(damaged(&"it is not there")),
        }
    }

    fn store(&self) -> Result<&Store, Kind> {
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let store = Store::open(self.folder.clone())?;
        Ok(self.store.get_or_init(|| store))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}
