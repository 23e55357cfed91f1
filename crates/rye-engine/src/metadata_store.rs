//! What files say, remembered by their content: in memory, and between processes in a folder of our own.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lillux::Digest;
use lillux::digest::Hasher;
use rye_item::ReadItem;
use rye_metadata::{Metadata, Problem};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What a file says about itself, and what is wrong with that.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Described {
    #[serde(with = "shared")]
    pub(crate) metadata: Arc<Metadata>,
    pub(crate) problems: Vec<Problem>,
}

/// Descriptions that were made before. The same bytes under the same name, read by the same extractor of the same program,
/// say the same thing: there is nothing to go stale.
#[derive(Debug, Default)]
pub(crate) struct MetadataStore {
    memory: Mutex<HashMap<Digest, Arc<Described>>>,
    cache: Option<PathBuf>,
    folder: OnceLock<Option<PathBuf>>,
}

/// Part of every key: another program may understand a file in another way.
const PROGRAM: &str = concat!("rye:", env!("CARGO_PKG_VERSION"), ":metadata:3");
/// So many descriptions are kept in memory.
const IN_MEMORY: usize = 16 * 1024;
/// So many are kept in the folder, about.
const IN_FOLDER: usize = 4096;

impl MetadataStore {
    /// A store that keeps things in a cache folder too, if there is one.
    pub(crate) fn new(cache: Option<&Path>) -> Self {
        Self { cache: cache.map(Path::to_owned), ..Self::default() }
    }

    /// What a file says, as it was found out before or as `describe` finds it out.
    pub(crate) fn get(
        &self,
        file: &ReadItem,
        extractor: Digest,
        describe: impl FnOnce() -> Described,
    ) -> Arc<Described> {
        let mut hasher = Hasher::default();
        for part in [PROGRAM.as_bytes(), extractor.as_bytes(), file.file_name().as_bytes()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.update(file.bytes().digest().as_bytes());
        let key = hasher.finish();
        if let Some(known) = self.lock().get(&key) {
            return Arc::clone(known);
        }
        let described = self.read(key).unwrap_or_else(|| {
            let described = describe();
            self.write(key, &described);
            described
        });
        let described = Arc::new(described);
        let mut memory = self.lock();
        if memory.len() >= IN_MEMORY {
            memory.clear();
        }
        memory.insert(key, Arc::clone(&described));
        described
    }

    /// Something that another process has kept under this key.
    pub(crate) fn read<T: DeserializeOwned>(&self, key: Digest) -> Option<T> {
        let bytes = fs::read(self.folder()?.join(key.to_string())).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Keeps something for other processes. If that fails, they find it out for themselves.
    pub(crate) fn write(&self, key: Digest, value: &impl Serialize) {
        let (Some(folder), Ok(bytes)) = (self.folder(), serde_json::to_vec(value)) else { return };
        // Now and then somebody has to clean up.
        if key.as_bytes()[0] == 0 && fs::read_dir(folder).is_ok_and(|entries| entries.count() > IN_FOLDER) {
            let _ = fs::remove_dir_all(folder);
            let _ = make(folder);
        }
        let draft = folder.join(format!(".{}-{key}", std::process::id()));
        let written = fs::File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&draft)
            .and_then(|mut file| file.write_all(&bytes))
            .and_then(|()| fs::rename(&draft, folder.join(key.to_string())));
        if written.is_err() {
            let _ = fs::remove_file(&draft);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Digest, Arc<Described>>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folder, if nobody else can write there.
    fn folder(&self) -> Option<&Path> {
        let folder = self.folder.get_or_init(|| {
            let folder = self.cache.as_ref()?.join("metadata");
            let found =
                folder.symlink_metadata().or_else(|_| make(&folder).and_then(|()| folder.symlink_metadata()));
            let found = found.ok()?;
            let is_private = found.is_dir()
                && found.uid() == rustix::process::geteuid().as_raw()
                && found.mode() & 0o022 == 0;
            is_private.then_some(folder)
        });
        folder.as_deref()
    }
}

/// A value that several have is written like one that a single owner has.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T: Serialize, S: Serializer>(value: &Arc<T>, to: S) -> Result<S::Ok, S::Error> {
        (**value).serialize(to)
    }

    pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Arc<T>, D::Error> {
        T::deserialize(from).map(Arc::new)
    }
}

fn make(folder: &Path) -> std::io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}
