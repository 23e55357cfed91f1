//! The engine, and what it finds out at the beginning of each call.

use std::path::PathBuf;

use rye_item::{
    Bundle, ItemId, ItemRef, LocateError, LocateErrorKind, Located, Space, SpaceSettings, Spaces, WalkEntry,
};

use crate::EngineError;
use crate::catalog::{Catalogs, CurrentCatalog};
use crate::extractors::{ExtractorCache, ExtractorSet};
use crate::similar::similar_ids;

/// What decides how the engine works. Whoever knows the environment fills it in.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// Where the spaces are.
    pub spaces: SpaceSettings,
    /// Where things are kept that can be made again; nothing is kept without it.
    pub cache: Option<PathBuf>,
    /// Whether it is worth while to remember things for the next call.
    pub lifetime: Lifetime,
}

/// How long a process is going to live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// For one call.
    Short,
    /// For many.
    Long,
}

/// Does the five things that can be done with items.
#[derive(Debug)]
pub struct Engine {
    settings: EngineSettings,
    bundle: Bundle,
    extractor_cache: ExtractorCache,
    catalogs: Catalogs,
}

/// What a call sees: the spaces and extractors as they are at this moment.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) spaces: Spaces,
    pub(crate) extractors: ExtractorSet,
}

impl Engine {
    /// An engine that has not looked at anything yet.
    #[must_use]
    pub fn new(settings: EngineSettings) -> Self {
        Self {
            settings,
            bundle: rye_bundle::bundle(),
            extractor_cache: ExtractorCache::default(),
            catalogs: Catalogs::default(),
        }
    }

    pub(crate) fn call(&self) -> Result<Call, EngineError> {
        let spaces = Spaces::open(&self.settings.spaces, self.bundle)?;
        let extractors = ExtractorSet::load(&spaces, &self.extractor_cache);
        Ok(Call { spaces, extractors })
    }

    pub(crate) fn user_path(&self) -> Option<PathBuf> {
        Spaces::user_path(&self.settings.spaces)
    }

    /// The system space as files, if there is a place for them.
    pub(crate) fn lay_out_bundle(&self) -> Result<Option<PathBuf>, EngineError> {
        let base = self.settings.cache.as_ref().map(|cache| cache.join("bundle"));
        Ok(base.map(|base| self.bundle.lay_out(&base)).transpose()?)
    }

    /// The catalogs of all spaces as they are now, in order of precedence.
    pub(crate) fn catalogs(&self, call: &Call) -> Result<Vec<CurrentCatalog>, EngineError> {
        let current =
            |root| self.catalogs.current(root, call, self.settings.cache.as_deref(), self.settings.lifetime);
        Ok(call.spaces.all().map(current).collect::<Result<_, _>>()?)
    }
}

impl Call {
    /// Finds an item as `from` sees it.
    pub(crate) fn locate(&self, item: &ItemRef, from: Space) -> Result<Located, EngineError> {
        self.spaces
            .locate(item, from, self.extractors.extensions())
            .map_err(|source| self.not_located(source))
    }

    /// Finds an item in one space alone.
    pub(crate) fn locate_in(&self, item: &ItemRef, space: Space) -> Result<Located, EngineError> {
        let root = self.spaces.get(space);
        let found = root.map(|root| root.locate(item, self.extractors.extensions())).transpose();
        match found.map(Option::flatten) {
            Ok(Some(located)) => Ok(located),
            Ok(None) => {
                let searched = root.map(|root| root.kind_path(item.kind)).into_iter().collect();
                let kind = LocateErrorKind::NotFound { searched, similar: Vec::new() };
                Err(self.not_located(LocateError::new(item.clone(), kind)))
            }
            Err(kind) => Err(self.not_located(LocateError::new(item.clone(), kind))),
        }
    }

    fn not_located(&self, mut error: LocateError) -> EngineError {
        let wanted = error.item().clone();
        if let LocateErrorKind::NotFound { similar, .. } = error.kind_mut() {
            *similar = self.similar(&wanted);
        }
        error.into()
    }

    /// Ids of the same kind that look like the wanted one.
    fn similar(&self, wanted: &ItemRef) -> Vec<ItemId> {
        let mut ids = Vec::new();
        for root in self.spaces.all() {
            root.walk(wanted.kind, "", self.extractors.extensions(), &mut |entry: &WalkEntry<'_>| {
                ids.push(entry.id.clone());
            });
        }
        similar_ids(&wanted.id, ids)
    }
}
