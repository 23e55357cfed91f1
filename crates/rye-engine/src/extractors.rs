//! The extractors of a call: how the files of each space are understood.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lillux::Digest;
use lillux::digest::Hasher;
use rye_item::{Extensions, ItemKind, ItemRef, Located, ReadItem, Space, SpaceRoot, Spaces, WalkEntry};
use rye_metadata::{Extractor, SignatureComment};
use serde::{Deserialize, Serialize};

use crate::metadata_store::MetadataStore;

/// Where extractors are, in every space.
pub(crate) const FOLDER: &str = "rye/core/extractors";
/// What they are written in.
const EXTENSION: &str = "yaml";

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
    known: Arc<Known>,
}

/// What is known of an extractor. Most calls need no more than its summary.
#[derive(Debug)]
struct Known {
    summary: Summary,
    extractor: OnceLock<Extractor>,
}

/// What has to be known of each extractor before any is used.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Summary {
    extensions: Vec<String>,
    signature: Option<SignatureComment>,
    /// Whether its files have anything in them beside metadata.
    has_code: bool,
}

/// An extractor that cannot be used. The files it was meant for are not items.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the extractor `{path}`")]
pub struct ExtractorProblem {
    path: PathBuf,
    #[source]
    source: Box<dyn std::error::Error + Send + Sync>,
}

/// Extractors that were read before.
#[derive(Debug, Default)]
pub(crate) struct ExtractorCache {
    by_digest: Mutex<HashMap<Digest, Arc<Known>>>,
    /// Those that are inside the program.
    embedded: OnceLock<Vec<ReadItem>>,
    /// Those of the last call.
    last: Mutex<Option<Arc<ExtractorSet>>>,
}

impl ExtractorSet {
    /// Reads the extractors of all spaces.
    pub(crate) fn load(spaces: &Spaces, cache: &ExtractorCache, store: &MetadataStore) -> Arc<Self> {
        let mut set = Self { entries: Vec::new(), extensions: Extensions::default(), problems: Vec::new() };
        let mut files = Vec::new();
        for root in spaces.all() {
            if root.bundle().is_some() {
                files.extend_from_slice(cache.embedded.get_or_init(|| set.find(root)));
            } else {
                files.extend(set.find(root));
            }
        }
        let mut last = cache.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref().filter(|last| last.is_made_of(&files) && set.problems.is_empty()) {
            return Arc::clone(last);
        }
        set.read(files, cache, store);
        for space in Space::ALL {
            for entry in set.entries.iter().filter(|entry| space.may_depend_on(entry.file.space())) {
                for extension in &entry.known.summary.extensions {
                    set.extensions.add(space, extension);
                }
            }
        }
        let set = Arc::new(set);
        cache.keep_only(&set);
        *last = Some(Arc::clone(&set));
        set
    }

    /// Whether these files would give the same set.
    fn is_made_of(&self, files: &[ReadItem]) -> bool {
        let same = |(entry, file): (&Entry, &ReadItem)| {
            entry.file.space() == file.space()
                && entry.file.bytes().digest() == file.bytes().digest()
                && entry.file.path() == file.path()
        };
        self.problems.is_empty()
            && self.entries.len() == files.len()
            && self.entries.iter().zip(files).all(same)
    }

    /// Whether no file decides anything here that is not inside the program.
    pub(crate) fn are_part_of_the_program(&self) -> bool {
        self.problems.is_empty() && self.entries.iter().all(|entry| entry.file.is_embedded())
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
        let handles = |entry: &&Entry| entry.known.summary.extensions.iter().any(|known| known == extension);
        entries.filter(handles).min_by_key(|entry| entry.file.space())
    }

    /// How signatures are written in the files of a space, by their extensions. Where the extractor is not one that
    /// counts, nobody knows.
    pub(crate) fn comments(
        &self,
        space: Space,
        counts: impl Fn(&ReadItem) -> bool,
    ) -> BTreeMap<String, SignatureComment> {
        let mut comments = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| space.may_depend_on(entry.file.space())) {
            let serves = |extension: &&String| {
                self.get(space, extension).is_some_and(|serving| std::ptr::eq(serving, entry))
            };
            let mut extensions = entry.known.summary.extensions.iter().filter(serves).peekable();
            if let Some(comment) = entry.signature()
                && extensions.peek().is_some()
                && counts(&entry.file)
            {
                comments.extend(extensions.map(|extension| (extension.clone(), comment.clone())));
            }
        }
        comments
    }

    fn find(&mut self, root: &SpaceRoot) -> Vec<ReadItem> {
        let mut files = Vec::new();
        let mut yaml = Extensions::default();
        yaml.add(root.space(), EXTENSION);
        let mut ids = Vec::new();
        root.walk(ItemKind::Tool, FOLDER, &yaml, &mut |entry: &WalkEntry<'_>| ids.push(entry.id.clone()));
        ids.sort();
        for id in ids {
            let item = ItemRef::new(ItemKind::Tool, id);
            let located = root.locate_file(&item, EXTENSION);
            match located
                .map_err(Into::into)
                .and_then(|located| Ok(located.map(Located::read).transpose()?))
            {
                Ok(file) => files.extend(file),
                Err(source) => {
                    let path = root.kind_path(item.kind).join(format!("{}.{EXTENSION}", item.id));
                    self.problems.push(ExtractorProblem { path, source });
                }
            }
        }
        files
    }

    /// Finds out what the extractors are for: from before, from another process, or by reading them all.
    fn read(&mut self, files: Vec<ReadItem>, cache: &ExtractorCache, store: &MetadataStore) {
        let digests: Vec<Digest> = files.iter().map(|file| file.bytes().digest()).collect();
        if cache.has_all(&digests) {
            return self.entries.extend(files.into_iter().filter_map(|file| cache.entry(file)));
        }
        let key = set_key(&digests);
        if let Some(summaries) = store.read::<Vec<Summary>>(key).filter(|found| found.len() == files.len()) {
            for (file, summary) in files.into_iter().zip(summaries) {
                self.entries.push(cache.put(file, Known { summary, extractor: OnceLock::new() }));
            }
            return;
        }
        for file in files {
            match Extractor::parse(file.bytes().as_slice()) {
                Ok(extractor) => self.entries.push(cache.put(file, Known::of(extractor))),
                Err(source) => {
                    let path = file.path().to_owned();
                    self.problems.push(ExtractorProblem { path, source: source.into() });
                }
            }
        }
        if self.problems.is_empty() {
            store.write(key, &self.entries.iter().map(|entry| &entry.known.summary).collect::<Vec<_>>());
        }
    }
}

impl Entry {
    /// The extractor itself.
    pub(crate) fn extractor(&self) -> Option<&Extractor> {
        if let Some(extractor) = self.known.extractor.get() {
            return Some(extractor);
        }
        // It was read before, by another process.
        let extractor = Extractor::parse(self.file.bytes().as_slice()).ok()?;
        Some(self.known.extractor.get_or_init(|| extractor))
    }

    /// How its files carry a signature, if they can.
    pub(crate) fn signature(&self) -> Option<&SignatureComment> {
        self.known.summary.signature.as_ref()
    }

    /// Whether its files have anything in them beside metadata.
    pub(crate) fn has_code(&self) -> bool {
        self.known.summary.has_code
    }
}

impl Known {
    fn of(extractor: Extractor) -> Self {
        let summary = Summary {
            extensions: extractor.extensions().to_vec(),
            signature: extractor.signature().cloned(),
            has_code: !extractor.parser().is_data(),
        };
        Self { summary, extractor: OnceLock::from(extractor) }
    }
}

/// The key of what is known about a set of extractors.
fn set_key(digests: &[Digest]) -> Digest {
    let mut hasher = Hasher::default();
    hasher.update(concat!("rye:", env!("CARGO_PKG_VERSION"), ":extractors:1").as_bytes());
    for digest in digests {
        hasher.update(digest.as_bytes());
    }
    hasher.finish()
}

impl ExtractorProblem {
    /// The extractor's file.
    #[must_use]
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }
}

impl ExtractorCache {
    fn has_all(&self, digests: &[Digest]) -> bool {
        let known = self.by_digest.lock().unwrap_or_else(PoisonError::into_inner);
        digests.iter().all(|digest| known.contains_key(digest))
    }

    fn entry(&self, file: ReadItem) -> Option<Entry> {
        let known = self.by_digest.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get(&file.bytes().digest()).map(Arc::clone)?;
        Some(Entry { file, known })
    }

    /// Forgets those that no call has any more.
    fn keep_only(&self, set: &ExtractorSet) {
        let current: HashSet<_> = set.entries.iter().map(|entry| entry.file.bytes().digest()).collect();
        let mut known = self.by_digest.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|digest, _| current.contains(digest));
    }

    fn put(&self, file: ReadItem, known: Known) -> Entry {
        let known = Arc::new(known);
        let mut all = self.by_digest.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(file.bytes().digest(), Arc::clone(&known));
        Entry { file, known }
    }
}
