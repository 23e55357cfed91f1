//! Signing items on all cores.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lillux::clock::{Clock as _, SystemClock, Timestamp};
use lillux::keys::SigningKey;
use rye_item::{ItemKind, ItemRef, ReadItem, Replacements, Space, SpaceRoot};
use rye_metadata::{ExecutorId, Severity, SignatureComment};
use rye_plan::parameters::Schema;
use rye_plan::{ChainDraft, ChainIssue, Element, ElementSource, FindError};
use rye_trust::{Seal, SignedText, Signer, Statement};

use super::manifests::{ManifestPlace, ManifestWish};
use super::preview::Purpose;
use super::selection::Wanted;
use super::{SignEvent, SignRefusal, Signed, SignedItem};
use crate::Engine;
use crate::engine::Call;
use crate::extractors::Entry;
use crate::graph::{NamedItems, check_file};
use crate::items::Items;
use crate::trust::Trust;

/// So many files reach the disk together.
const BATCH: usize = 2048;

/// What is the same for all items of a call.
pub(super) struct Signing<'a> {
    pub(super) engine: &'a Engine,
    pub(super) call: &'a Call,
    pub(super) trust: &'a Trust,
    pub(super) key: &'a SigningKey,
    pub(super) now: Timestamp,
    pub(super) purpose: &'a Purpose<'a>,
    /// The folders whose manifests have to be made anew, and what they list.
    pub(super) manifests: Mutex<BTreeMap<ManifestPlace, ManifestWish>>,
    items: RememberedItems<'a>,
    done: AtomicUsize,
}

impl<'a> Signing<'a> {
    pub(super) fn new(
        engine: &'a Engine,
        call: &'a Call,
        trust: &'a Trust,
        key: &'a SigningKey,
        purpose: &'a Purpose<'a>,
    ) -> Self {
        let items = Items { call, verifier: trust.verifier(engine) };
        let items = RememberedItems { items, known: Mutex::default() };
        let (now, done) = (SystemClock.now(), AtomicUsize::new(0));
        Self { engine, call, trust, key, now, purpose, manifests: Mutex::default(), items, done }
    }

    /// Signs everything, so many at a time that the drafts do not fill the disk.
    pub(super) fn sign(&self, wanted: &[Wanted], events: &(dyn Fn(SignEvent) + Sync)) -> Vec<SignedItem> {
        wanted.chunks(BATCH).flat_map(|batch| self.sign_batch(batch, events)).collect()
    }

    /// Signs on all cores, and puts the signed files in place together.
    fn sign_batch(&self, batch: &[Wanted], events: &(dyn Fn(SignEvent) + Sync)) -> Vec<SignedItem> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(batch.len().max(1));
        let parts = batch.chunks(batch.len().div_ceil(threads).max(1));
        let (mut items, mut all) = (Vec::new(), Replacements::default());
        std::thread::scope(|scope| {
            let workers: Vec<_> = parts
                .map(|part| {
                    scope.spawn(move || {
                        let mut replacements = Replacements::default();
                        let signed = part.iter().map(|wanted| {
                            let signed = self.sign_one(wanted, &mut replacements);
                            events(SignEvent::Done(self.done.fetch_add(1, Ordering::Relaxed) + 1));
                            signed
                        });
                        let signed: Vec<_> = signed.flatten().collect();
                        (signed, replacements)
                    })
                })
                .collect();
            for worker in workers {
                let (signed, replacements) =
                    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                items.extend(signed);
                all.append(replacements);
            }
        });
        for error in all.commit().err().into_iter().flatten() {
            if let Some(item) = items.iter_mut().find(|item: &&mut SignedItem| item.path == error.path()) {
                item.result = Err(error.into());
            }
        }
        items
    }

    /// Signs one item; nothing if it is a file that only looks like one.
    fn sign_one(&self, wanted: &Wanted, replacements: &mut Replacements) -> Option<SignedItem> {
        let Wanted { item, space, is_named, .. } = wanted;
        let space = *space;
        let root = self.call.spaces.get(space)?;
        let found = wanted
            .locate(root, self.call)
            .map_err(|kind| FindError::from(rye_item::LocateError::new(item.clone(), kind)));
        let element = match found
            .and_then(|located| located.map(|located| self.items.items.look_at_alone(located)).transpose())
        {
            Ok(element) => element?,
            Err(error) => {
                let path = root.kind_path(item.kind).join(item.id.as_str());
                return Some(SignedItem { item: item.clone(), space, path, result: Err(error.into()) });
            }
        };
        if !is_named && !is_item(&element) {
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
        self.purpose.see_item(&element.file)?;
        let file = element.file.clone();
        let own_key = self.key.public_key().id();
        let is_signed = matches!(&element.trust, Ok(verified) if matches!(verified.signer(), Signer::Key { key, .. } if *key == own_key));
        self.validate(element, root)?;
        let entry = self.call.extractors.get(file.space(), file.extension());
        match entry.and_then(Entry::signature) {
            _ if is_signed => Ok(Signed::Already),
            Some(comment) => {
                let bytes = self.signed_bytes(&file, comment)?;
                if !self.purpose.is_to_show() {
                    replacements.add(root, file.item().kind, &file.file_name(), file.facts(), &bytes)?;
                }
                Ok(Signed::Line)
            }
            None => {
                self.wish_for_item(&file);
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
        // A file that does not say that it is a tool was named because another one uses it.
        if !is_item(&element) {
            return Ok(());
        }
        let problems: Vec<_> = element.errors().cloned().collect();
        if !problems.is_empty() {
            return Err(SignRefusal::Metadata { problems });
        }
        if let Some(schema) = &element.metadata.config_schema {
            Schema::compile(schema)?;
        }
        if element.metadata.is_graph() {
            // Whether the items that it names are signed is their affair; whether they are there is not.
            let (_, problems) =
                check_file(&element.file, self.call, &self.items.items, NamedItems::MayBeUnsigned);
            if problems.iter().any(|problem| problem.severity == Severity::Error) {
                return Err(SignRefusal::Graph { problems });
            }
        }
        let executor = &element.metadata.executor_id;
        let is_executed = element.item().kind == ItemKind::Tool
            && !element.metadata.is_library()
            && !matches!(executor, ExecutorId::Primitive);
        if !is_executed {
            return Ok(());
        }
        let file = element.file.clone();
        let draft = ChainDraft::explore_from(element, &self.items);
        self.wish_for_dependencies(&file, &draft, root);
        // Whether the others are signed is not this item's affair.
        let issues: Vec<_> =
            draft.issues.into_iter().filter(|issue| !matches!(issue, ChainIssue::Refused(_))).collect();
        if issues.is_empty() { Ok(()) } else { Err(SignRefusal::Chain { issues }) }
    }
}

/// Whether a file is what its place says: one below the folder of the tools need not be one.
fn is_item(element: &Element) -> bool {
    element.item().kind != ItemKind::Tool || crate::catalog::is_tool(&element.metadata, &element.problems)
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
