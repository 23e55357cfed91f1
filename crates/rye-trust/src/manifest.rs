//! The signed list of files that carry no signature of their own.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use lillux::Digest;
use lillux::clock::Timestamp;
use lillux::keys::SigningKey;
use rye_item::{FileEntry, FilesError, ItemKind, PassedOver, SpaceRoot, VisitFiles};
use serde::{Deserialize, Serialize};

use crate::file_trust::FileTrust;
use crate::{
    DependencyRules, DocumentError, Keyring, LeftOut, LeftOutReason, NameCollision, SignedDocument, Statement,
};

/// The files of a folder that are verified by their digests alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    files: BTreeMap<String, Digest>,
}

/// A manifest that is about to be signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestDraft {
    /// What it would say.
    pub manifest: Manifest,
    /// How that differs from what the one before it says.
    pub changes: ManifestChanges,
    /// What was passed over, other than files of other extensions.
    pub left_out: Vec<LeftOut>,
}

/// How a manifest differs from the one before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestChanges {
    /// Files that it did not list.
    pub added: Vec<String>,
    /// Files that it listed with another digest.
    pub changed: Vec<String>,
    /// Files that it listed and that are not listed any more.
    pub gone: Vec<String>,
}

/// A manifest that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// The folder cannot be walked over.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// Two names would be one elsewhere.
    #[error(transparent)]
    Collision(#[from] NameCollision),
}

/// The most bytes of a file beside a tool.
pub const MAX_DEPENDENCY_BYTES: u64 = 256 * 1024 * 1024;

impl Manifest {
    /// The name of its file, in the folder that it is about.
    pub const FILE_NAME: &'static str = ".rye-manifest.json";

    /// Lists the files below a folder that the rules name and that carry no valid signature of their own.
    ///
    /// What the previous manifest lists outside of the rules stays listed as it was, as long as it is there: tools of
    /// other languages may share the folder.
    ///
    /// # Errors
    /// If the folder cannot be walked over, or two names would be one on another file system.
    pub fn build(
        root: &SpaceRoot,
        kind: ItemKind,
        folder: &str,
        rules: &DependencyRules,
        trust: &dyn FileTrust,
        previous: Option<&Self>,
    ) -> Result<ManifestDraft, ManifestError> {
        let mut listing = Listing {
            kind,
            folder,
            rules,
            trust,
            previous,
            files: BTreeMap::new(),
            signed: Vec::new(),
            left_out: Vec::new(),
        };
        root.files(kind, folder, rules.folders(), &mut listing)?;
        let Listing { mut files, signed, mut left_out, .. } = listing;
        for (path, digest) in previous.iter().flat_map(|previous| &previous.files) {
            if !rules.folders().reaches(path) {
                files.insert(path.clone(), *digest);
            }
        }
        NameCollision::check(files.keys().chain(&signed).map(String::as_str))?;
        left_out.sort_by(|one, other| one.path.cmp(&other.path));
        let manifest = Self { files };
        Ok(ManifestDraft { changes: ManifestChanges::between(previous, &manifest), manifest, left_out })
    }

    /// The previous manifest with more files, or with other digests for some.
    ///
    /// # Errors
    /// If the names of two files would be one on another file system.
    pub fn with_entries(
        previous: Option<&Self>,
        entries: &[(String, Digest)],
    ) -> Result<ManifestDraft, ManifestError> {
        let mut files = previous.map(|previous| previous.files.clone()).unwrap_or_default();
        files.extend(entries.iter().cloned());
        NameCollision::check(files.keys().map(String::as_str))?;
        let manifest = Self { files };
        let changes = ManifestChanges::between(previous, &manifest);
        Ok(ManifestDraft { manifest, changes, left_out: Vec::new() })
    }

    /// Reads a manifest and decides whether it counts for a folder.
    ///
    /// # Errors
    /// If it does not.
    pub fn open(
        bytes: &[u8],
        kind: ItemKind,
        folder: &str,
        keyring: &Keyring,
    ) -> Result<Self, DocumentError> {
        let document = SignedDocument::<Self>::parse(bytes)?;
        let (manifest, _) = document.open(&Statement::Manifest { kind, folder }, keyring)?;
        Ok(manifest.clone())
    }

    /// Signs it for a folder.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn sign(
        self,
        kind: ItemKind,
        folder: &str,
        time: Timestamp,
        key: &SigningKey,
    ) -> Result<SignedDocument<Self>, DocumentError> {
        SignedDocument::sign(self, &Statement::Manifest { kind, folder }, time, key)
    }

    /// The files with their digests, by path below the folder.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<String, Digest> {
        &self.files
    }
}

impl ManifestChanges {
    /// How one manifest differs from the one before it.
    #[must_use]
    pub fn between(previous: Option<&Manifest>, next: &Manifest) -> Self {
        let mut changes = Self::default();
        let none = BTreeMap::new();
        let before = previous.map_or(&none, |previous| &previous.files);
        for (path, digest) in &next.files {
            match before.get(path) {
                None => changes.added.push(path.clone()),
                Some(known) if known != digest => changes.changed.push(path.clone()),
                Some(_) => {}
            }
        }
        changes.gone = before.keys().filter(|&path| !next.files.contains_key(path)).cloned().collect();
        changes
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.gone.is_empty()
    }
}

struct Listing<'l> {
    kind: ItemKind,
    folder: &'l str,
    rules: &'l DependencyRules,
    trust: &'l dyn FileTrust,
    previous: Option<&'l Manifest>,
    files: BTreeMap<String, Digest>,
    signed: Vec<String>,
    left_out: Vec<LeftOut>,
}

impl Listing<'_> {
    fn list(&mut self, entry: &FileEntry<'_>) -> Result<(), LeftOutReason> {
        let path = entry.path;
        let known = self.previous.and_then(|previous| previous.files.get(path));
        let is_listed = self.rules.lists(path);
        if is_manifest(path) || !(is_listed || known.is_some()) {
            return Ok(());
        }
        let file = entry.open()?;
        let bytes = file.read_within(MAX_DEPENDENCY_BYTES).map_err(|error| read_reason(&error))?;
        let item_path = below(self.folder, path);
        if self.trust.can_be_signed(path) && self.trust.is_signed(self.kind, &item_path, bytes.as_slice()) {
            self.signed.push(path.to_owned());
        } else if is_listed {
            self.files.insert(path.to_owned(), bytes.digest());
        } else if let Some(&digest) = known {
            self.files.insert(path.to_owned(), digest);
        }
        Ok(())
    }
}

impl VisitFiles for Listing<'_> {
    fn file(&mut self, entry: &FileEntry<'_>) -> ControlFlow<()> {
        if let Err(reason) = self.list(entry) {
            self.left_out.push(LeftOut { path: entry.path.to_owned(), reason });
        }
        ControlFlow::Continue(())
    }

    fn passed_over(&mut self, path: &str, why: PassedOver) -> ControlFlow<()> {
        self.left_out.push(LeftOut { path: path.to_owned(), reason: why.into() });
        ControlFlow::Continue(())
    }
}

/// Whether a path is that of a manifest, in whatever folder.
pub(crate) fn is_manifest(path: &str) -> bool {
    path.rsplit('/').next() == Some(Manifest::FILE_NAME)
}

/// The path below a kind's folder of a file below another folder there.
pub(crate) fn below(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}

pub(crate) fn read_reason(error: &rye_item::ReadError) -> LeftOutReason {
    match error.kind() {
        rye_item::ReadErrorKind::TooLarge { .. } => LeftOutReason::TooLarge,
        rye_item::ReadErrorKind::Io(source) => LeftOutReason::Unreadable(source.kind()),
        _ => LeftOutReason::Unreadable(std::io::ErrorKind::Other),
    }
}
