//! The engine, and what it finds out at the beginning of each call.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use lillux::process::Standby;
use rye_env::{Consulted, ProcessEnvironment};
use rye_item::{
    Bundle, ItemId, ItemKind, ItemRef, LayoutError, LocateError, LocateErrorKind, Located, ReadItem, Space,
    SpaceRoot, SpaceSettings, Spaces, WalkEntry,
};
use rye_run::runner::{HttpSender, WarmSource};
use rye_run::sessions::Sessions;
use rye_run::workers::{BorrowLimits, Borrower, WorkerPool};
use rye_trust::{KeyFolder, KnownSignatures, Strictness, VerifyMemo};

use crate::EngineError;
use crate::catalog::{CatalogKey, Catalogs, CurrentCatalog};
use crate::extractors::{self, ExtractorCache, ExtractorSet};
use crate::graph::KnownGraphs;
use crate::item::describe;
use crate::known_trust::KnownTrust;
use crate::laid_out::LaidOut;
use crate::late_begin::LateBegins;
use crate::memory::Memory;
use crate::metadata_store::{Described, MetadataStore};
use crate::similar::similar_ids;
use crate::witness::{Moment, Present};

/// What decides how the engine works. Whoever knows the environment fills it in.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// Where the spaces are.
    pub spaces: SpaceSettings,
    /// Where things are kept that can be made again; nothing is kept without it.
    pub cache: Option<PathBuf>,
    /// Whether it is worth while to remember things for the next call.
    pub lifetime: Lifetime,
    /// Whether signatures that are good are known to the next process. This is for whoever makes one call and ends.
    pub keeps_signatures: bool,
    /// Whether a missing or outdated signature stops a run.
    pub strictness: Strictness,
    /// The environment of our own process, which runs inherit.
    pub environment: ProcessEnvironment,
    /// Our own program.
    pub program: PathBuf,
    /// Where things are kept that must not be lost; nothing is kept without it.
    pub state: Option<PathBuf>,
    /// Where a run finds a process that is ready, so that it need not start one.
    pub warm: Warm,
    /// What keeps connections, so that a run need not make one. This is for whoever lives long, too.
    pub sessions: Option<Arc<dyn Sessions>>,
}

impl EngineSettings {
    /// Spaces and nothing else: nothing is kept, nothing is inherited, and every signature counts.
    #[must_use]
    pub fn new(spaces: SpaceSettings) -> Self {
        Self {
            spaces,
            cache: None,
            lifetime: Lifetime::Short,
            keeps_signatures: false,
            strictness: Strictness::Strict,
            environment: ProcessEnvironment::default(),
            program: PathBuf::from("rye"),
            state: None,
            warm: Warm::Cold,
            sessions: None,
        }
    }
}

/// The folder of a space.
const FOLDER: &str = ".ai";

/// Where a run finds a process that is ready.
#[derive(Debug, Clone, Default)]
pub enum Warm {
    /// Nowhere: everything is started for it.
    #[default]
    Cold,
    /// Among our own. This is for whoever lives long.
    Pool(Arc<WorkerPool>),
    /// With those who live long, if there is somebody.
    Borrow,
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
    pub(crate) settings: EngineSettings,
    bundle: Bundle,
    extractor_cache: ExtractorCache,
    metadata: Arc<MetadataStore>,
    catalogs: Catalogs,
    pub(crate) verify_memo: VerifyMemo,
    pub(crate) known_trust: KnownTrust,
    pub(crate) memory: Memory,
    laid_out: LaidOut,
    pub(crate) known_graphs: KnownGraphs,
    pub(crate) http: HttpSender,
    pub(crate) late_begins: LateBegins,
    /// What has a guard ready for the next run, if there will be one.
    pub(crate) standby: Option<Arc<Standby>>,
    borrower: OnceLock<Option<Borrower>>,
}

/// What a call sees: the spaces and extractors as they are at this moment.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) spaces: Spaces,
    pub(crate) extractors: Arc<ExtractorSet>,
    /// For how long that holds.
    pub(crate) moment: Moment,
    metadata: Arc<MetadataStore>,
    catalog_keys: [OnceLock<CatalogKey>; Space::ALL.len()],
}

impl Engine {
    /// An engine that has not looked at anything yet.
    #[must_use]
    pub fn new(settings: EngineSettings) -> Self {
        let metadata = Arc::new(MetadataStore::new(settings.cache.as_deref()));
        let verify_memo = match Spaces::user_path(&settings.spaces).filter(|_| settings.keeps_signatures) {
            Some(user) => VerifyMemo::kept_in(KnownSignatures::beside(&KeyFolder::at(&user))),
            None => VerifyMemo::default(),
        };
        let standby = (settings.lifetime == Lifetime::Long).then(Arc::default);
        Self {
            settings,
            metadata,
            bundle: rye_bundle::bundle(),
            extractor_cache: ExtractorCache::default(),
            catalogs: Catalogs::default(),
            verify_memo,
            known_trust: KnownTrust::default(),
            memory: Memory::default(),
            laid_out: LaidOut::default(),
            known_graphs: KnownGraphs::default(),
            http: HttpSender::default(),
            late_begins: LateBegins::default(),
            standby,
            borrower: OnceLock::new(),
        }
    }

    /// What it was made with.
    #[must_use]
    pub fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// Who has processes ready, if anybody does.
    pub(crate) fn warm_source<'a>(&'a self, present: &'a Present<'a>) -> Option<WarmSource<'a>> {
        match &self.settings.warm {
            Warm::Cold => None,
            Warm::Pool(pool) => Some(WarmSource::Own(pool, Some(present))),
            Warm::Borrow => self.borrower().map(WarmSource::Others),
        }
    }

    /// Whether runs may start warm.
    pub(crate) fn starts_warm(&self) -> bool {
        match &self.settings.warm {
            Warm::Cold => false,
            Warm::Pool(_) => true,
            Warm::Borrow => self.borrower().is_some(),
        }
    }

    /// Who asks others. They are looked for when something could be borrowed, which for most runs is never.
    fn borrower(&self) -> Option<&Borrower> {
        let find = |cache: &PathBuf| Borrower::find(&lending_folder(cache), BorrowLimits::default());
        self.borrower.get_or_init(|| self.settings.cache.as_ref().and_then(find)).as_ref()
    }

    pub(crate) fn call(&self) -> Result<Arc<Call>, EngineError> {
        let moment = self.memory.witness.now(self.settings.lifetime);
        if let Some(known) = self.memory.call.get(moment, &()) {
            return Ok(known);
        }
        let spaces = self.spaces()?;
        let extractors = ExtractorSet::load(&spaces, &self.extractor_cache, &self.metadata);
        // Extractors that are files decide what others mean. They are read each time, and nothing that follows is remembered.
        let is_lasting = extractors.are_part_of_the_program()
            && self.memory.witness.vouches(moment, &self.consulted_for(&spaces));
        let moment = if is_lasting { moment } else { Moment::NEVER };
        let (metadata, catalog_keys) = (Arc::clone(&self.metadata), Default::default());
        let call = Arc::new(Call { spaces, extractors, moment, metadata, catalog_keys });
        if is_lasting {
            self.memory.call.put(moment, (), Arc::clone(&call));
        }
        Ok(call)
    }

    /// What decides where the spaces are, and that they have no extractors of their own.
    fn consulted_for(&self, spaces: &Spaces) -> Vec<Consulted> {
        let SpaceSettings { start, project, system_space, .. } = &self.settings.spaces;
        let mut paths: Vec<PathBuf> = system_space.iter().cloned().chain(self.user_path()).collect();
        if let Some(project) = project {
            paths.push(start.join(project).join(FOLDER));
        } else {
            let found = spaces.project().path();
            let passed = start.ancestors().take_while(|folder| *folder != found);
            paths.extend(passed.chain([found]).map(|folder| folder.join(FOLDER)));
        }
        let folders = spaces.all().filter(|root| root.bundle().is_none());
        paths.extend(folders.map(|root| root.kind_path(ItemKind::Tool).join(extractors::FOLDER)));
        paths.into_iter().map(Consulted::Entry).collect()
    }

    /// The spaces as they are now.
    pub(crate) fn spaces(&self) -> Result<Spaces, EngineError> {
        Ok(Spaces::open(&self.settings.spaces, self.bundle)?)
    }

    pub(crate) fn user_path(&self) -> Option<PathBuf> {
        Spaces::user_path(&self.settings.spaces)
    }

    /// The system space as files, if there is a place for them.
    pub(crate) fn bundle_folder(&self) -> Result<Option<PathBuf>, LayoutError> {
        let base = self.settings.cache.as_ref().map(|cache| cache.join("bundle"));
        base.map(|base| self.laid_out.get(self.bundle, &base, self.settings.lifetime)).transpose()
    }

    /// Where the system space is on the disk: the folder that was named, or else what the program has inside, laid out and
    /// compared file by file. Without a place for files it is nowhere.
    ///
    /// # Errors
    /// If it cannot be laid out.
    pub fn system_folder(&self) -> Result<Option<PathBuf>, EngineError> {
        match &self.settings.spaces.system_space {
            Some(folder) => Ok(Some(folder.clone())),
            None => Ok(self.bundle_folder()?),
        }
    }

    /// The catalogs of all spaces as they are now, in order of precedence.
    pub(crate) fn catalogs(&self, call: &Call) -> Result<Vec<CurrentCatalog>, EngineError> {
        let current =
            |root| self.catalogs.current(root, call, self.settings.cache.as_deref(), self.settings.lifetime);
        Ok(call.spaces.all().map(current).collect::<Result<_, _>>()?)
    }
}

/// Where those are found who lend processes that are ready, below the folder of what can be made again.
#[must_use]
pub fn lending_folder(cache: &Path) -> PathBuf {
    cache.join("workers")
}

impl Call {
    /// The project's folder, if there is a project.
    pub(crate) fn project_folder(&self) -> Option<&Path> {
        self.spaces.get(Space::Project).map(|_| self.spaces.project().path())
    }

    /// Which catalog one of the call's spaces has.
    pub(crate) fn catalog_key(&self, root: &SpaceRoot) -> &CatalogKey {
        self.catalog_keys[root.space() as usize].get_or_init(|| CatalogKey::new(root, &self.extractors))
    }

    /// What a file says about itself, and what is wrong with that.
    pub(crate) fn describe(&self, file: &ReadItem) -> Arc<Described> {
        let Some(entry) = self.extractors.get(file.space(), file.extension()) else { return Arc::default() };
        self.metadata.get(file, entry.file.bytes().digest(), || self.describe_anew(file))
    }

    /// The same, without asking what was found out before and without remembering it.
    pub(crate) fn describe_anew(&self, file: &ReadItem) -> Described {
        let Some(entry) = self.extractors.get(file.space(), file.extension()) else {
            return Described::default();
        };
        let (metadata, problems) = describe(&file.file_name(), file.bytes().as_slice(), entry.extractor());
        Described { metadata: Arc::new(metadata), problems }
    }

    /// Finds an item as `from` sees it.
    pub(crate) fn locate(&self, item: &ItemRef, from: Space) -> Result<Located, LocateError> {
        self.spaces.locate(item, from, self.extractors.extensions()).map_err(|error| self.with_similar(error))
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
                Err(self.with_similar(LocateError::new(item.clone(), kind)).into())
            }
            Err(kind) => Err(self.with_similar(LocateError::new(item.clone(), kind)).into()),
        }
    }

    fn with_similar(&self, mut error: LocateError) -> LocateError {
        let wanted = error.item().clone();
        if let LocateErrorKind::NotFound { similar, .. } = error.kind_mut() {
            *similar = self.similar(&wanted);
        }
        error
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
