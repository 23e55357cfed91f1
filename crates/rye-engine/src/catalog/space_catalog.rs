//! The catalog of one space, and those of all spaces that a process has seen.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lillux::Digest;
use rye_item::{FolderIdentity, Space, SpaceRoot, WalkProblem};
use rye_search::Index;

use super::CatalogError;
use super::index_file::IndexFile;
use super::passed_over::PassedOver;
use super::refresh::Refresh;
use crate::engine::{Call, Lifetime};
use crate::extractors::ExtractorSet;
use crate::folder_watch::FolderWatch;

/// What a catalog has in it depends on the program too. Whoever changes how files are read or kept counts up.
const FORMAT: &str = concat!(env!("CARGO_PKG_VERSION"), "/1");

/// Everything in one space, as it was at a moment.
#[derive(Debug)]
pub(crate) struct SpaceCatalog {
    /// The items.
    pub(crate) index: Index<Vec<u8>>,
    /// The files that look like items and are none.
    pub(crate) passed_over: PassedOver,
}

/// Which catalog a space has in a call: it takes a while to find out, and is the same for as long as the call's spaces and
/// extractors are.
#[derive(Debug)]
pub(crate) struct CatalogKey {
    place: String,
    /// The extractors that say what its files mean.
    rules: Digest,
}

impl CatalogKey {
    pub(crate) fn new(root: &SpaceRoot, extractors: &ExtractorSet) -> Self {
        let place = format!("{} {}", root.space(), identity(root));
        Self { place, rules: extractors.digest(root.space()) }
    }
}

/// A catalog as it is now, and what is missing from it.
#[derive(Debug)]
pub(crate) struct CurrentCatalog {
    /// The space that all of its items are in.
    pub(crate) space: Space,
    pub(crate) catalog: Arc<SpaceCatalog>,
    /// Folders that could not be listed.
    pub(crate) problems: Vec<WalkProblem>,
}

/// The catalogs of a process, one for each space.
#[derive(Debug, Default)]
pub(crate) struct Catalogs(Mutex<HashMap<String, Slot>>);

/// One catalog. Whoever refreshes it keeps others waiting, but not those who search another space.
type Slot = Arc<Mutex<Option<Watched>>>;

#[derive(Debug)]
struct Watched {
    catalog: Arc<SpaceCatalog>,
    /// The extractors that say what its files mean.
    rules: Digest,
    watch: Option<FolderWatch>,
    /// The folder that is watched. Another one may have taken its place without anything happening inside of it.
    folder: Option<FolderIdentity>,
}

impl Catalogs {
    /// The catalog of a space as it is now.
    pub(crate) fn current(
        &self,
        root: &SpaceRoot,
        call: &Call,
        cache: Option<&Path>,
        lifetime: Lifetime,
    ) -> Result<CurrentCatalog, CatalogError> {
        let (space, CatalogKey { place, rules }) = (root.space(), call.catalog_key(root));
        let slot = self.slot(place);
        let mut slot = lock(&slot);
        if let Some(known) = &*slot
            && known.rules == *rules
            && known.is_current(root)
        {
            return Ok(CurrentCatalog { space, catalog: Arc::clone(&known.catalog), problems: Vec::new() });
        }
        let file = cache.map(|cache| IndexFile::new(cache, &format!("{FORMAT} {place} {rules}")));
        // What other extractors have made of the files is of no use.
        let before = match slot.take().filter(|known| known.rules == *rules) {
            Some(known) => Some(known.catalog),
            None => file.as_ref().and_then(IndexFile::load).map(Arc::new),
        };
        let is_watched = lifetime == Lifetime::Long && root.bundle().is_none();
        let watch = if is_watched { FolderWatch::new() } else { None };
        let refreshed = Refresh::new(root, &call.extractors, before.as_deref(), watch).run()?;
        let catalog = match (refreshed.changed, before) {
            (None, Some(before)) => before,
            (changed, _) => {
                let catalog = changed.ok_or(CatalogError::Unbuilt)?;
                // A catalog that cannot be kept is made again by the next process.
                let _ = file.map(|file| file.save(&catalog));
                Arc::new(catalog)
            }
        };
        // What could not be listed is not watched either, so it has to be looked at again.
        let watch = refreshed.watch.filter(|_| refreshed.problems.is_empty());
        *slot =
            Some(Watched { catalog: Arc::clone(&catalog), rules: *rules, watch, folder: root.identity() });
        Ok(CurrentCatalog { space, catalog, problems: refreshed.problems })
    }

    fn slot(&self, place: &str) -> Slot {
        let mut slots = lock(&self.0);
        match slots.get(place) {
            Some(slot) => Arc::clone(slot),
            None => Arc::clone(slots.entry(place.to_owned()).or_default()),
        }
    }
}

impl Watched {
    /// Whether it is certain that no file has changed. Inside the program, none can.
    fn is_current(&self, root: &SpaceRoot) -> bool {
        let is_quiet = || self.watch.as_ref().is_some_and(FolderWatch::is_quiet);
        root.bundle().is_some() || (self.folder.is_some() && self.folder == root.identity() && is_quiet())
    }
}

/// What tells one space from another: its place, or what the program has inside.
fn identity(root: &SpaceRoot) -> String {
    match root.bundle() {
        Some(bundle) => bundle.digest().to_string(),
        None => root.path().display().to_string(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
