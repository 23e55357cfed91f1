//! The lists of files that are signed together with items.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::PoisonError;

use lillux::Digest;
use rye_item::{
    FileEntry, FileFacts, FileRules, ItemKind, PassedOver, ReadItem, Replacements, Space, SpaceRoot,
    VisitFiles,
};
use rye_plan::{AnchorPlace, ChainDraft};
use rye_trust::{DependencyRules, FileTrust, MAX_DEPENDENCY_BYTES, Manifest, ManifestChanges, OwnSignatures};

use super::selection::{is_pattern, matcher};
use super::signing::Signing;
use super::{SignRefusal, SignedManifest};

/// Where a manifest is: in a folder below that of a kind.
pub(super) type ManifestPlace = (Space, ItemKind, String);

/// What a manifest is to list.
#[derive(Debug, Default)]
pub(super) struct ManifestWish {
    /// For each language whose tools share the folder, which of its files.
    rules: Vec<DependencyRules>,
    /// Names and patterns of files that tools ask for.
    required: Vec<String>,
    /// Items that cannot carry a signature.
    items: Vec<(String, Digest)>,
}

impl Signing<'_> {
    /// Remembers that an item is to be listed, because it cannot carry a signature.
    pub(super) fn wish_for_item(&self, file: &ReadItem) {
        let name = file.file_name();
        let (folder, name) = name.rsplit_once('/').unwrap_or(("", &name));
        self.wish(file, folder, |wish| wish.items.push((name.to_owned(), file.bytes().digest())));
    }

    /// Remembers which files have to be listed for a tool to run.
    pub(super) fn wish_for_dependencies(&self, file: &ReadItem, draft: &ChainDraft, root: &SpaceRoot) {
        let Some(head) = draft.elements.first().map(|element| &element.metadata) else { return };
        let own_folder = file.item().id.parent().unwrap_or_default();
        let metadata = || draft.elements.iter().map(|element| &element.metadata);
        let anchor = metadata().filter_map(|metadata| metadata.anchor.as_ref()).find(|anchor| anchor.enabled);
        let rules = metadata().find_map(|metadata| metadata.verify_deps.as_ref());
        let place = anchor.map(|anchor| AnchorPlace::find(anchor, &file.item().id, root));
        match (place, rules.filter(|rules| rules.enabled)) {
            (Some(AnchorPlace::Folder(folder)), Some(rules)) => self.wish(file, &folder, |wish| {
                let rules = DependencyRules::from(rules);
                if !wish.rules.contains(&rules) {
                    wish.rules.push(rules);
                }
                let inside = own_folder.strip_prefix(folder.as_str()).unwrap_or_default();
                wish.required.extend(head.entry.iter().map(|entry| join(inside.trim_matches('/'), entry)));
            }),
            _ if head.requires.is_empty() && head.entry.is_none() => {}
            _ => self.wish(file, own_folder, |wish| {
                wish.required.extend(head.requires.iter().chain(&head.entry).cloned());
            }),
        }
        // What a runtime brings along for its tools is beside the runtime.
        let lib = head.anchor.as_ref().filter(|anchor| anchor.enabled).and_then(|anchor| anchor.lib.as_ref());
        if let Some(lib) = lib
            && root.kind_path(file.item().kind).join(own_folder).join(lib).is_dir()
        {
            self.wish(file, own_folder, |wish| wish.required.push(format!("{lib}/**")));
        }
    }

    fn wish(&self, file: &ReadItem, folder: &str, change: impl FnOnce(&mut ManifestWish)) {
        let mut manifests = self.manifests.lock().unwrap_or_else(PoisonError::into_inner);
        change(manifests.entry((file.space(), file.item().kind, folder.to_owned())).or_default());
    }

    /// Signs the manifests that have to be signed, after the items that are in their folders.
    pub(super) fn sign_manifests(&self) -> Vec<SignedManifest> {
        let wishes = std::mem::take(&mut *self.manifests.lock().unwrap_or_else(PoisonError::into_inner));
        let sign = |((space, kind, folder), wish): (ManifestPlace, ManifestWish)| {
            let folder = ManifestFolder { root: self.call.spaces.get(space)?, kind, folder: &folder };
            let path = folder.root.kind_path(kind).join(folder.manifest());
            match self.sign_manifest(&folder, wish) {
                Ok(None) => None,
                Ok(Some((files, changes))) => Some(SignedManifest { path, files, changes, error: None }),
                Err(error) => {
                    let changes = ManifestChanges::default();
                    Some(SignedManifest { path, files: 0, changes, error: Some(error) })
                }
            }
        };
        wishes.into_iter().filter_map(sign).collect()
    }

    /// Signs one; nothing if there is nothing to list.
    fn sign_manifest(
        &self,
        folder: &ManifestFolder<'_>,
        mut wish: ManifestWish,
    ) -> Result<Option<(usize, ManifestChanges)>, SignRefusal> {
        let ManifestFolder { root, kind, folder: path } = *folder;
        let signatures = self.trust.own_signatures(self.engine, self.call, root.space())?;
        let (was, bytes) = folder.read().unzip();
        let before =
            bytes.as_ref().and_then(|bytes| Manifest::open(bytes, kind, path, signatures.keyring()).ok());
        wish.items.extend(folder.required(&wish.required, &signatures));
        let known = before.iter().flat_map(Manifest::files);
        let known = known.filter(|(name, _)| folder.has(name)).map(|(name, digest)| (name.clone(), *digest));
        let known: Vec<_> = known.chain(wish.items).collect();
        let mut next = Manifest::with_entries(None, &known)?.manifest;
        for rules in &wish.rules {
            next = Manifest::build(root, kind, path, rules, &signatures, Some(&next))?.manifest;
        }
        let files = next.files().len();
        let changes = ManifestChanges::between(before.as_ref(), &next);
        for name in changes.added.iter().chain(&changes.changed) {
            self.purpose.see_listed((root.space(), kind), join(path, name), next.files()[name])?;
        }
        if before.is_some() && changes.is_empty() {
            return Ok(Some((files, changes)));
        }
        if bytes.is_none() && files == 0 {
            return Ok(None);
        }
        if self.purpose.is_to_show() {
            return Ok(Some((files, changes)));
        }
        let bytes = next.sign(kind, path, self.now, self.key)?.to_bytes()?;
        let mut replacements = Replacements::default();
        replacements.add(root, kind, &folder.manifest(), was.flatten(), &bytes)?;
        match replacements.commit() {
            Ok(()) => Ok(Some((files, changes))),
            Err(mut errors) => Err(errors.swap_remove(0).into()),
        }
    }
}

/// A folder that a manifest is about.
struct ManifestFolder<'a> {
    root: &'a SpaceRoot,
    kind: ItemKind,
    folder: &'a str,
}

impl ManifestFolder<'_> {
    /// The path of the manifest below the kind's folder.
    fn manifest(&self) -> String {
        join(self.folder, Manifest::FILE_NAME)
    }

    /// The manifest that is there, whether it counts or not. One that cannot be read does not count.
    fn read(&self) -> Option<(Option<FileFacts>, Vec<u8>)> {
        let file = self.root.open_file(self.kind, &self.manifest()).ok()??;
        let facts = file.status().facts;
        Some((facts, file.read().map(|bytes| bytes.as_slice().to_vec()).unwrap_or_default()))
    }

    fn has(&self, name: &str) -> bool {
        self.root.has_file(self.kind, &join(self.folder, name))
    }

    /// The files that tools ask for and that have no valid signature of their own.
    fn required(&self, wanted: &[String], signatures: &OwnSignatures<'_>) -> Vec<(String, Digest)> {
        let (patterns, names): (Vec<_>, Vec<_>) = wanted
            .iter()
            .map(|name| name.strip_prefix("./").unwrap_or(name).to_owned())
            .partition(|name| is_pattern(name));
        let mut found = Required { folder: self, signatures, patterns: Vec::new(), files: BTreeMap::new() };
        self.root.named_files(self.kind, self.folder, &names, &mut found);
        found.patterns = patterns.iter().filter_map(|pattern| matcher(pattern).ok()).collect();
        if !found.patterns.is_empty() {
            let everywhere = FileRules { recursive: true, exclude_dirs: &[] };
            // What cannot be listed is not there when the tool runs, and the tool says what it misses.
            let _ = self.root.files(self.kind, self.folder, everywhere, &mut found);
        }
        found.files.into_iter().collect()
    }
}

/// Collects files that are asked for: all that are shown, or those that a pattern matches.
struct Required<'r> {
    folder: &'r ManifestFolder<'r>,
    signatures: &'r OwnSignatures<'r>,
    patterns: Vec<globset::GlobMatcher>,
    files: BTreeMap<String, Digest>,
}

impl VisitFiles for Required<'_> {
    fn file(&mut self, entry: &FileEntry<'_>) -> ControlFlow<()> {
        let path = entry.path;
        let is_wanted =
            self.patterns.is_empty() || self.patterns.iter().any(|pattern| pattern.is_match(path));
        if is_wanted
            && path.rsplit('/').next() != Some(Manifest::FILE_NAME)
            && let Ok(file) = entry.open()
            && let Ok(bytes) = file.read_within(MAX_DEPENDENCY_BYTES)
        {
            let item_path = join(self.folder.folder, path);
            if !self.signatures.is_signed(self.folder.kind, &item_path, bytes.as_slice()) {
                self.files.insert(path.to_owned(), bytes.digest());
            }
        }
        ControlFlow::Continue(())
    }

    fn passed_over(&mut self, _path: &str, _why: PassedOver) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
