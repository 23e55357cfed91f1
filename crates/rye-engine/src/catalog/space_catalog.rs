//! The catalog of one space, and those of all spaces that a process has seen.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rye_item::{FolderIdentity, SpaceRoot, WalkProblem};
use rye_search::Index;

use super::CatalogError;
use super::index_file::IndexFile;
use super::passed_over::PassedOver;
use super::refresh::Refresh;
use crate::engine::{Call, Lifetime};
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

/// A catalog as it is now, and what is missing from it.
#[derive(Debug)]
pub(crate) struct CurrentCatalog {
    pub(crate) catalog: Arc<SpaceCatalog>,
    /// Folders that could not be listed.
    pub(crate) problems: Vec<WalkProblem>,
}

/// The catalogs of a process, by all that they depend on beside the files.
#[derive(Debug, Default)]
pub(crate) struct Catalogs(Mutex<HashMap<String, Slot>>);

/// One catalog. Whoever refreshes it keeps others waiting, but not those who search another space.
type Slot = Arc<Mutex<Option<Watched>>>;

#[derive(Debug)]
struct Watched {
    catalog: Arc<SpaceCatalog>,
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
        let rules = call.extractors.digest(root.space());
        let key = format!("{FORMAT} {} {rules} {}", root.space(), identity(root));
        let slot = Arc::clone(lock(&self.0).entry(key.clone()).or_default());
        let mut slot = lock(&slot);
        if let Some(known) = &*slot
            && known.is_current(root)
        {
            return Ok(CurrentCatalog { catalog: Arc::clone(&known.catalog), problems: Vec::new() });
        }
        let file = cache.map(|cache| IndexFile::new(cache, &key));
        let before = match slot.take() {
            Some(known) => Some(known.catalog),
            None => file.as_ref().and_then(IndexFile::load).map(Arc::new),
        };
        let watch = if lifetime == Lifetime::Long { FolderWatch::new() } else { None };
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
        *slot = Some(Watched { catalog: Arc::clone(&catalog), watch, folder: root.identity() });
        Ok(CurrentCatalog { catalog, problems: refreshed.problems })
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
