//! The extractors of a call: how the files of each space are understood.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use lillux::Digest;
use lillux::digest::Hasher;
use rye_item::{Extensions, ItemFile, ItemKind, Space, SpaceRoot, Spaces, WalkEntry};
use rye_metadata::Extractor;

/// Where extractors are, in every space.
const FOLDER: &str = "rye/core/extractors";

/// The extractors of all spaces of a call.
#[derive(Debug)]
pub(crate) struct ExtractorSet {
    entries: Vec<Entry>,
    extensions: Extensions,
    problems: Vec<ExtractorProblem>,
}

#[derive(Debug)]
struct Entry {
    space: Space,
    digest: Digest,
    extractor: Arc<Extractor>,
}

/// An extractor that cannot be used. The files it was meant for are not items.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the extractor `{path}`")]
pub struct ExtractorProblem {
    path: PathBuf,
    #[source]
    source: Box<dyn std::error::Error + Send + Sync>,
}

/// Extractors that were read before, by the digest of their bytes.
#[derive(Debug, Default)]
pub(crate) struct ExtractorCache(Mutex<HashMap<Digest, Arc<Extractor>>>);

impl ExtractorSet {
    /// Reads the extractors of all spaces.
    pub(crate) fn load(spaces: &Spaces, cache: &ExtractorCache) -> Self {
        let mut set = Self { entries: Vec::new(), extensions: Extensions::default(), problems: Vec::new() };
        for root in spaces.all() {
            set.load_space(root, cache);
        }
        for space in Space::ALL {
            for entry in set.entries.iter().filter(|entry| space.may_depend_on(entry.space)) {
                for extension in entry.extractor.extensions() {
                    set.extensions.add(space, extension);
                }
            }
        }
        set
    }

    /// Which files are items.
    pub(crate) fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// Extractors that cannot be used.
    pub(crate) fn problems(&self) -> &[ExtractorProblem] {
        &self.problems
    }

    /// Changes when any extractor does that may serve this space.
    pub(crate) fn digest(&self, space: Space) -> Digest {
        let mut hasher = Hasher::default();
        for entry in self.entries.iter().filter(|entry| space.may_depend_on(entry.space)) {
            hasher.update(&[entry.space as u8]);
            hasher.update(entry.digest.as_bytes());
        }
        hasher.finish()
    }

    /// The extractor for files of a space with this extension: the one of the nearest space that the file's own
    /// may depend on. So a project's extractor never decides what a user's or the system's file means.
    pub(crate) fn get(&self, space: Space, extension: &str) -> Option<&Extractor> {
        let entries = self.entries.iter().filter(|entry| space.may_depend_on(entry.space));
        entries
            .filter(|entry| entry.extractor.handles(extension))
            .min_by_key(|entry| entry.space)
            .map(|entry| &*entry.extractor)
    }

    fn load_space(&mut self, root: &SpaceRoot, cache: &ExtractorCache) {
        let mut yaml = Extensions::default();
        yaml.add(root.space(), "yaml");
        let mut files = Vec::new();
        root.walk(ItemKind::Tool, FOLDER, &yaml, &mut |entry: &WalkEntry<'_>| {
            files.push((entry.id.clone(), entry.open()));
        });
        files.sort_by(|one, other| one.0.cmp(&other.0));
        for (id, file) in files {
            let path = root.kind_path(ItemKind::Tool).join(format!("{id}.yaml"));
            match file.map_err(Into::into).and_then(|file| cache.read(file)) {
                Ok((digest, extractor)) => {
                    self.entries.push(Entry { space: root.space(), digest, extractor });
                }
                Err(source) => self.problems.push(ExtractorProblem { path, source }),
            }
        }
    }
}

impl ExtractorProblem {
    /// The extractor's file.
    #[must_use]
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }
}

impl ExtractorCache {
    fn read(
        &self,
        file: ItemFile,
    ) -> Result<(Digest, Arc<Extractor>), Box<dyn std::error::Error + Send + Sync>> {
        let bytes = file.read()?;
        let digest = bytes.digest();
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&digest).cloned();
        let extractor = match known {
            Some(extractor) => extractor,
            None => Arc::new(Extractor::parse(bytes.as_slice())?),
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(digest, Arc::clone(&extractor));
        Ok((digest, extractor))
    }
}
