//! Signing items, one or many.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use globset::GlobBuilder;
use lillux::clock::{Clock as _, SystemClock, Timestamp};
use lillux::keys::SigningKey;
use rye_item::{
    ItemId, ItemKind, ItemRef, ReadItem, ReplaceError, Replacements, Space, SpaceRoot, WalkEntry,
};
use rye_metadata::metadata::VerifyDeps;
use rye_metadata::{Problem, SignatureComment};
use rye_plan::parameters::{Schema, SchemaError};
use rye_plan::{AnchorPlace, ChainDraft, ChainIssue, Element, ElementSource, FindError};
use rye_trust::{
    DependencyRules, DocumentError, Manifest, ManifestChanges, ManifestError, Seal, SignatureLineError,
    SignedText, Signer, Statement, UntrustedProject,
};

use crate::engine::Call;
use crate::extractors::Entry;
use crate::items::Items;
use crate::trust::Trust;
use crate::{Engine, EngineError};

/// What to sign.
#[derive(Debug, Clone)]
pub struct SignRequest {
    /// An id, or a pattern such as `my/**`.
    pub pattern: String,
    /// The kind of items; all kinds for a pattern, and tools for an id, if it is not said.
    pub kind: Option<ItemKind>,
    /// The space; the nearest one that has it, if it is not said.
    pub space: Option<Space>,
}

/// What was signed.
#[derive(Debug)]
pub struct SignReport {
    /// The key that has signed.
    pub key: String,
    /// Each item, by space, kind and id.
    pub items: Vec<SignedItem>,
    /// Each list of files that was signed with them.
    pub manifests: Vec<SignedManifest>,
}

/// What became of one item.
#[derive(Debug)]
pub struct SignedItem {
    /// The item.
    pub item: ItemRef,
    /// Its space.
    pub space: Space,
    /// Its file.
    pub path: PathBuf,
    /// What was done, or why nothing was.
    pub result: Result<Signed, SignRefusal>,
}

/// What was done to sign an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signed {
    /// It has a new signature line.
    Line,
    /// It was listed in the manifest of its folder.
    Manifest,
    /// Nothing: its signature is as it has to be.
    Already,
}

/// A list of files that was signed.
#[derive(Debug)]
pub struct SignedManifest {
    /// Its file.
    pub path: PathBuf,
    /// How many files it lists.
    pub files: usize,
    /// What is new in it.
    pub changes: ManifestChanges,
    /// Why it could not be signed, if it could not.
    pub error: Option<SignRefusal>,
}

/// Why an item was not signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignRefusal {
    /// What it says about itself is wrong.
    #[error("{}", problems.iter().map(|problem| format!("`{}` {}", problem.field, problem.message)).collect::<Vec<_>>().join("; "))]
    Metadata {
        /// What is wrong.
        problems: Vec<Problem>,
    },
    /// The schema of its parameters is none.
    #[error("its `config_schema` is not a JSON Schema: {0}")]
    Schema(#[from] SchemaError),
    /// It could not run, signed or not.
    #[error("{}", issues.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Chain {
        /// Everything that is wrong.
        issues: Vec<ChainIssue>,
    },
    /// Something in it looks like a signature line and is none.
    #[error(transparent)]
    Line(#[from] SignatureLineError),
    /// It cannot be read.
    #[error(transparent)]
    Find(#[from] FindError),
    /// It cannot be written.
    #[error("{}", crate::error::with_sources(.0))]
    Replace(#[from] ReplaceError),
    /// A list of its files cannot be made.
    #[error("{}", crate::error::with_sources(.0))]
    Manifest(#[from] ManifestError),
    /// A list of its files cannot be signed.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// It is part of the program.
    #[error("it is part of the program, which needs no signature")]
    Program,
    /// It belongs to a project that is not trusted.
    #[error(transparent)]
    Untrusted(#[from] UntrustedProject),
}

/// Something that happens while many items are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignEvent {
    /// So many items are to be signed.
    Found(usize),
    /// So many have been looked at.
    Done(usize),
}

/// So many files reach the disk together.
const BATCH: usize = 2048;

impl Engine {
    /// Signs items, after looking whether they could run.
    ///
    /// # Errors
    /// If nothing matches, the project is not trusted, or a space cannot be used. What is wrong with single items is part
    /// of the report.
    pub fn sign(
        &self,
        request: &SignRequest,
        key: &SigningKey,
        events: &(dyn Fn(SignEvent) + Sync),
    ) -> Result<SignReport, EngineError> {
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let wanted = select(&call, request)?;
        if let Some(untrusted) = trust.project().err()
            && wanted.iter().any(|(_, space)| *space == Space::Project)
        {
            return Err(EngineError::UntrustedProject(untrusted.clone()));
        }
        events(SignEvent::Found(wanted.len()));
        let signing = Signing::new(self, &call, &trust, key);
        let mut items = Vec::with_capacity(wanted.len());
        for batch in wanted.chunks(BATCH) {
            items.extend(signing.sign_batch(batch, events));
        }
        items.sort_by(|one, other| {
            (one.space, one.item.kind, &one.item.id).cmp(&(other.space, other.item.kind, &other.item.id))
        });
        let manifests = signing.sign_manifests();
        Ok(SignReport { key: key.public_key().id().to_string(), items, manifests })
    }
}

/// The items that a request names.
fn select(call: &Call, request: &SignRequest) -> Result<Vec<(ItemRef, Space)>, EngineError> {
    if !request.pattern.contains(['*', '?', '[', '{']) {
        let item =
            ItemRef::new(request.kind.unwrap_or(ItemKind::Tool), ItemId::new(request.pattern.as_str())?);
        let located = match request.space {
            None => call.locate(&item, Space::Project)?,
            Some(space) => call.locate_in(&item, space)?,
        };
        return Ok(vec![(located.item, located.space)]);
    }
    let glob = GlobBuilder::new(&request.pattern).literal_separator(true).build();
    let matcher =
        glob.map_err(|error| EngineError::InvalidPattern { message: error.to_string() })?.compile_matcher();
    let folders = |space: &Space| call.spaces.get(*space).filter(|root| root.bundle().is_none());
    let nearest = || Space::ALL.into_iter().find(|space| folders(space).is_some());
    let Some(root) = request.space.or_else(nearest).and_then(|space| folders(&space)) else {
        return Err(EngineError::NothingMatches { pattern: request.pattern.clone() });
    };
    let mut found = Vec::new();
    for kind in ItemKind::ALL.into_iter().filter(|kind| request.kind.is_none_or(|wanted| wanted == *kind)) {
        root.walk(kind, "", call.extractors.extensions(), &mut |entry: &WalkEntry<'_>| {
            if matcher.is_match(entry.id.as_str()) {
                found.push((ItemRef::new(kind, entry.id.clone()), root.space()));
            }
        });
    }
    found.sort();
    found.dedup();
    if found.is_empty() {
        return Err(EngineError::NothingMatches { pattern: request.pattern.clone() });
    }
    Ok(found)
}

/// What is the same for all items of a call.
struct Signing<'a> {
    call: &'a Call,
    trust: &'a Trust,
    engine: &'a Engine,
    items: RememberedItems<'a>,
    key: &'a SigningKey,
    now: Timestamp,
    done: AtomicUsize,
    /// The folders whose manifests have to be made anew, and what they list.
    manifests: Mutex<BTreeMap<(Space, ItemKind, String), ManifestWish>>,
}

/// What a manifest is to list.
#[derive(Debug, Clone, Default)]
struct ManifestWish {
    rules: Option<DependencyRules>,
    entries: Vec<(String, lillux::Digest)>,
}

impl<'a> Signing<'a> {
    fn new(engine: &'a Engine, call: &'a Call, trust: &'a Trust, key: &'a SigningKey) -> Self {
        let items = Items { call, verifier: trust.verifier(engine) };
        let items = RememberedItems { items, known: Mutex::default() };
        let (now, done) = (SystemClock.now(), AtomicUsize::new(0));
        Self { call, trust, engine, items, key, now, done, manifests: Mutex::default() }
    }

    /// Signs on all cores, and puts the signed files in place together.
    fn sign_batch(&self, batch: &[(ItemRef, Space)], events: &(dyn Fn(SignEvent) + Sync)) -> Vec<SignedItem> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(batch.len().max(1));
        let parts = batch.chunks(batch.len().div_ceil(threads).max(1));
        let (mut items, mut all) = (Vec::new(), Vec::new());
        std::thread::scope(|scope| {
            let workers: Vec<_> = parts
                .map(|part| {
                    scope.spawn(move || {
                        let mut replacements = Replacements::default();
                        let signed = part.iter().map(|(item, space)| {
                            let signed = self.sign_one(item, *space, &mut replacements);
                            events(SignEvent::Done(self.done.fetch_add(1, Ordering::Relaxed) + 1));
                            signed
                        });
                        let signed: Vec<_> = signed.flatten().collect();
                        (signed, replacements)
                    })
                })
                .collect();
            for worker in workers {
                if let Ok((signed, replacements)) = worker.join() {
                    items.extend(signed);
                    all.push(replacements);
                }
            }
        });
        for error in all.into_iter().filter_map(|replacements| replacements.commit().err()).flatten() {
            if let Some(item) = items.iter_mut().find(|item: &&mut SignedItem| item.path == error.path()) {
                item.result = Err(error.into());
            }
        }
        items
    }

    /// Signs one item; nothing if it is a file that only looks like one.
    fn sign_one(&self, item: &ItemRef, space: Space, replacements: &mut Replacements) -> Option<SignedItem> {
        let root = self.call.spaces.get(space)?;
        let located = root.locate_exactly(item, self.call.extractors.extensions());
        let found = located.map_err(|kind| FindError::from(rye_item::LocateError::new(item.clone(), kind)));
        let element = match found
            .and_then(|located| located.map(|located| self.items.items.look_at(located)).transpose())
        {
            Ok(element) => element?,
            Err(error) => {
                let path = root.kind_path(item.kind).join(item.id.as_str());
                return Some(SignedItem { item: item.clone(), space, path, result: Err(error.into()) });
            }
        };
        if item.kind == ItemKind::Tool && !crate::catalog::is_tool(&element.metadata, &element.problems) {
            return None;
        }
        let path = element.file.path().to_owned();
        let result = self.sign_element(element, root, replacements);
        Some(SignedItem { item: item.clone(), space, path, result })
    }

    fn sign_element(
        &self,
        element: Element,
        root: &SpaceRoot,
        replacements: &mut Replacements,
    ) -> Result<Signed, SignRefusal> {
        if element.file.is_embedded() {
            return Err(SignRefusal::Program);
        }
        let file = element.file.clone();
        let own_key = self.key.public_key().id();
        let is_signed = matches!(&element.trust, Ok(verified) if matches!(verified.signer(), Signer::Key { key, .. } if *key == own_key));
        self.validate(element, root)?;
        let entry = self.call.extractors.get(file.space(), file.extension());
        match entry.and_then(Entry::signature) {
            _ if is_signed => Ok(Signed::Already),
            Some(comment) => {
                let bytes = self.signed_bytes(&file, comment)?;
                replacements.add(root, file.item().kind, &file.file_name(), &bytes)?;
                Ok(Signed::Line)
            }
            None => {
                let name = file.file_name();
                let (folder, name) = name.rsplit_once('/').unwrap_or(("", &name));
                let wish = (name.to_owned(), file.bytes().digest());
                self.wish(&file, folder, |manifest| manifest.entries.push(wish));
                Ok(Signed::Manifest)
            }
        }
    }

    fn signed_bytes(&self, file: &ReadItem, comment: &SignatureComment) -> Result<Vec<u8>, SignRefusal> {
        let text = SignedText::split(file.bytes().as_slice(), comment)?;
        let completed = text.completed();
        let text = match &completed {
            Some(bytes) => SignedText::split(bytes, comment)?,
            None => text,
        };
        let name = file.file_name();
        let statement = Statement::Item { kind: file.item().kind, path: &name };
        Ok(text.with_seal(&Seal::new(&statement, text.digest(), self.now, self.key), comment))
    }

    /// Looks whether an item could run, and remembers which list of files has to be signed with it.
    fn validate(&self, element: Element, root: &SpaceRoot) -> Result<(), SignRefusal> {
        let problems: Vec<_> = element.errors().cloned().collect();
        if !problems.is_empty() {
            return Err(SignRefusal::Metadata { problems });
        }
        if let Some(schema) = &element.metadata.config_schema {
            Schema::compile(schema)?;
        }
        let is_executed = element.item().kind == ItemKind::Tool
            && !element.metadata.is_library()
            && !matches!(element.metadata.executor_id, rye_metadata::ExecutorId::Primitive);
        if !is_executed {
            return Ok(());
        }
        let file = element.file.clone();
        let draft = ChainDraft::explore_from(element, &self.items);
        let anchor = draft.elements.iter().find_map(|element| element.metadata.anchor.as_ref());
        let rules = draft.elements.iter().find_map(|element| element.metadata.verify_deps.as_ref());
        if let (Some(anchor), Some(rules)) = (anchor, rules.filter(|rules: &&VerifyDeps| rules.enabled))
            && let AnchorPlace::Folder(folder) = AnchorPlace::find(anchor, &file.item().id, root)
        {
            self.wish(&file, &folder, |manifest| manifest.rules = Some(DependencyRules::from(rules)));
        }
        // Whether the others are signed is not this item's affair.
        let issues: Vec<_> =
            draft.issues.into_iter().filter(|issue| !matches!(issue, ChainIssue::Refused(_))).collect();
        if issues.is_empty() { Ok(()) } else { Err(SignRefusal::Chain { issues }) }
    }

    fn wish(&self, file: &ReadItem, folder: &str, change: impl FnOnce(&mut ManifestWish)) {
        let mut manifests = self.manifests.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        change(manifests.entry((file.space(), file.item().kind, folder.to_owned())).or_default());
    }

    fn sign_manifests(&self) -> Vec<SignedManifest> {
        let wishes =
            std::mem::take(&mut *self.manifests.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        let sign = |((space, kind, folder), wish): ((Space, ItemKind, String), ManifestWish)| {
            let root = self.call.spaces.get(space)?;
            let name = if folder.is_empty() {
                Manifest::FILE_NAME.to_owned()
            } else {
                format!("{folder}/{}", Manifest::FILE_NAME)
            };
            let path = root.kind_path(kind).join(&name);
            Some(match self.sign_manifest(root, kind, &folder, &name, &wish) {
                Ok((files, changes)) => SignedManifest { path, files, changes, error: None },
                Err(error) => {
                    SignedManifest { path, files: 0, changes: ManifestChanges::default(), error: Some(error) }
                }
            })
        };
        wishes.into_iter().filter_map(sign).collect()
    }

    fn sign_manifest(
        &self,
        root: &SpaceRoot,
        kind: ItemKind,
        folder: &str,
        name: &str,
        wish: &ManifestWish,
    ) -> Result<(usize, ManifestChanges), SignRefusal> {
        let signatures = self.trust.own_signatures(self.engine, self.call, root.space())?;
        let before = self.previous(root, kind, folder, name);
        let listed = Manifest::with_entries(before.as_ref(), &wish.entries)?;
        let draft = match &wish.rules {
            Some(rules) => Manifest::build(root, kind, folder, rules, &signatures, Some(&listed.manifest))?,
            None => listed,
        };
        let files = draft.manifest.files().len();
        let changes = ManifestChanges::between(before.as_ref(), &draft.manifest);
        if changes.is_empty() && before.is_some() {
            return Ok((files, changes));
        }
        let bytes = draft.manifest.sign(kind, folder, self.now, self.key)?.to_bytes()?;
        let mut replacements = Replacements::default();
        replacements.add(root, kind, name, &bytes)?;
        match replacements.commit() {
            Ok(()) => Ok((files, changes)),
            Err(mut errors) => Err(errors.remove(0).into()),
        }
    }

    /// The manifest that is there, if it counts.
    fn previous(&self, root: &SpaceRoot, kind: ItemKind, folder: &str, name: &str) -> Option<Manifest> {
        let bytes = root.open_file(kind, name).ok()??.read().ok()?;
        let verifier = self.trust.verifier(self.engine);
        Manifest::open(bytes.as_slice(), kind, folder, verifier.keyring(root.space()).ok()?).ok()
    }
}

/// Executors that were looked at before: thousands of items have the same few.
struct RememberedItems<'a> {
    items: Items<'a>,
    known: Mutex<HashMap<(ItemRef, Space), Element>>,
}

impl ElementSource for RememberedItems<'_> {
    fn element(&self, item: &ItemRef, from: Space) -> Result<Element, FindError> {
        let key = (item.clone(), from);
        if let Some(known) = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get(&key) {
            return Ok(known.clone());
        }
        let element = self.items.element(item, from)?;
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(key, element.clone());
        Ok(element)
    }

    fn spaces_with(&self, item: &ItemRef) -> Vec<Space> {
        self.items.spaces_with(item)
    }
}
