//! The extractors of a call: how the files of each space are understood.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use lillux::Digest;
use lillux::digest::Hasher;
use rye_item::{Extensions, ItemKind, ItemRef, Located, ReadItem, Space, SpaceRoot, Spaces, WalkEntry};
use rye_metadata::{Extractor, SignatureComment};

/// Where extractors are, in every space.
const FOLDER: &str = "rye/core/extractors";

/// The extractors of all spaces of a call.
#[derive(Debug)]
pub(crate) struct ExtractorSet {
    entries: Vec<Entry>,
    extensions: Extensions,
    problems: Vec<ExtractorProblem>,
}

/// An extractor and the file that it was read from.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) file: ReadItem,
    pub(crate) extractor: Arc<Extractor>,
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
            for entry in set.entries.iter().filter(|entry| space.may_depend_on(entry.file.space())) {
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
        for entry in self.entries.iter().filter(|entry| space.may_depend_on(entry.file.space())) {
            hasher.update(&[entry.file.space() as u8]);
            hasher.update(entry.file.bytes().digest().as_bytes());
        }
        hasher.finish()
    }

    /// The extractor for files of a space with this extension: the one of the nearest space that the file's own
    /// may depend on. So a project's extractor never decides what a user's or the system's file means.
    pub(crate) fn get(&self, space: Space, extension: &str) -> Option<&Entry> {
        let entries = self.entries.iter().filter(|entry| space.may_depend_on(entry.file.space()));
        entries.filter(|entry| entry.extractor.handles(extension)).min_by_key(|entry| entry.file.space())
    }

    /// How signatures are written in the files of a space, by their extensions.
    pub(crate) fn comments(&self, space: Space) -> BTreeMap<String, SignatureComment> {
        let extensions = self.entries.iter().flat_map(|entry| entry.extractor.extensions());
        let comment = |extension: &String| {
            let comment = self.get(space, extension)?.extractor.signature()?;
            Some((extension.clone(), comment.clone()))
        };
        extensions.filter_map(comment).collect()
    }

    fn load_space(&mut self, root: &SpaceRoot, cache: &ExtractorCache) {
        let mut yaml = Extensions::default();
        yaml.add(root.space(), "yaml");
        let mut ids = Vec::new();
        root.walk(ItemKind::Tool, FOLDER, &yaml, &mut |entry: &WalkEntry<'_>| ids.push(entry.id.clone()));
        ids.sort();
        for id in ids {
            let path = root.kind_path(ItemKind::Tool).join(format!("{id}.yaml"));
            match root.locate_exactly(&ItemRef::new(ItemKind::Tool, id), &yaml) {
                Ok(None) => {}
                Ok(Some(located)) => match cache.read(located) {
                    Ok(entry) => self.entries.push(entry),
                    Err(source) => self.problems.push(ExtractorProblem { path, source }),
                },
                Err(source) => self.problems.push(ExtractorProblem { path, source: source.into() }),
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
    fn read(&self, located: Located) -> Result<Entry, Box<dyn std::error::Error + Send + Sync>> {
        let file = located.read()?;
        let digest = file.bytes().digest();
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&digest).cloned();
        let extractor = match known {
            Some(extractor) => extractor,
            None => Arc::new(Extractor::parse(file.bytes().as_slice())?),
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(digest, Arc::clone(&extractor));
        Ok(Entry { file, extractor })
    }
}
