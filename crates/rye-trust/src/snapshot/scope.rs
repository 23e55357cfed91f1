//! Which files of a space a snapshot is about.

use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use lillux::Digest;
use lillux::digest::Hasher;
use rye_item::{
    FileEntry, FileFacts, FileRules, FileStatus, FilesError, ItemKind, OpenFolder, PassedOver, SpaceRoot,
    VisitFiles,
};

use super::error::SnapshotErrorKind;
use super::request::{Extent, SnapshotRequest};
use super::requires::Requires;
use crate::manifest::{below, is_manifest};
use crate::{DependencyRules, Keyring, Manifest};

/// The part of a space that a snapshot is about.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    root: &'a SpaceRoot,
    kind: ItemKind,
    folder: &'a str,
    tool_path: &'a str,
    selection: Selection<'a>,
}

#[derive(Debug)]
pub(super) enum Selection<'a> {
    Everything(&'a DependencyRules),
    Required(Requires),
}

impl<'a> Scope<'a> {
    pub(super) fn new(request: &SnapshotRequest<'a>) -> Result<Self, SnapshotErrorKind> {
        let path = request.tool.path;
        let own_folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let (folder, selection) = match request.extent {
            Extent::Anchor { folder, rules } => (folder, Selection::Everything(rules)),
            Extent::Alone { requires } => (own_folder, Selection::Required(Requires::parse(requires)?)),
        };
        let inside = match folder {
            "" => Some(path),
            folder => path.strip_prefix(folder).and_then(|path| path.strip_prefix('/')),
        };
        let is_plain = !path.split('/').any(|part| matches!(part, "" | "." | ".."));
        match inside {
            Some(tool_path) if is_plain => {
                Ok(Self { root: request.root, kind: request.kind, folder, tool_path, selection })
            }
            _ => Err(SnapshotErrorKind::Outside { folder: folder.to_owned() }),
        }
    }

    /// The path of the tool below the folder.
    pub(super) fn tool_path(&self) -> &'a str {
        self.tool_path
    }

    pub(super) fn requires(&self) -> Option<&Requires> {
        match &self.selection {
            Selection::Everything(_) => None,
            Selection::Required(requires) => Some(requires),
        }
    }

    pub(super) fn kind(&self) -> ItemKind {
        self.kind
    }

    /// The path below the kind's folder of one below the folder.
    pub(super) fn item_path(&self, path: &str) -> String {
        below(self.folder, path)
    }

    pub(super) fn is_embedded(&self) -> bool {
        self.root.bundle().is_some()
    }

    /// Whether there is nothing but the tool.
    pub(super) fn is_tool_alone(&self) -> bool {
        self.requires().is_some_and(|requires| requires.names().is_empty() && !requires.has_globs())
    }

    pub(super) fn folder_path(&self) -> PathBuf {
        self.root.kind_path(self.kind).join(self.folder)
    }

    /// Whether a listed file has to be there.
    pub(super) fn expects(&self, path: &str) -> bool {
        path != self.tool_path
            && match &self.selection {
                Selection::Everything(rules) => rules.folders().reaches(path),
                Selection::Required(requires) => requires.pattern_for(path).is_some(),
            }
    }

    /// Shows every file that may be in the snapshot.
    pub(super) fn visit(&self, visit: &mut dyn VisitFiles) -> Result<(), FilesError> {
        let mut chosen = Chosen { scope: self, visit, ended: false };
        match &self.selection {
            Selection::Everything(rules) => {
                self.root.files(self.kind, self.folder, rules.folders(), &mut chosen)
            }
            Selection::Required(requires) => {
                self.root.named_files(self.kind, self.folder, requires.names(), &mut chosen);
                if !requires.has_globs() || chosen.ended {
                    return Ok(());
                }
                let folders = FileRules { recursive: requires.is_recursive(), exclude_dirs: &[] };
                self.root.files(self.kind, self.folder, folders, &mut Matching { requires, chosen })
            }
        }
    }

    /// The manifest of the folder, if there is one, and what its file was like.
    pub(super) fn manifest(
        &self,
        keyring: &Keyring,
    ) -> Result<Option<(Manifest, FileStatus)>, SnapshotErrorKind> {
        let path = self.folder_path().join(Manifest::FILE_NAME);
        let unreadable = |source| SnapshotErrorKind::UnreadableManifest { path: path.clone(), source };
        let file = match self.root.open_file(self.kind, &self.item_path(Manifest::FILE_NAME)) {
            Ok(Some(file)) if !self.is_embedded() => file,
            Ok(_) => return Ok(None),
            Err(source) => return Err(unreadable(source)),
        };
        let status = file.status();
        let bytes = file.read().map_err(|error| unreadable(io::Error::other(error)))?;
        match Manifest::open(bytes.as_slice(), self.kind, self.folder, keyring) {
            Ok(manifest) => Ok(Some((manifest, status))),
            Err(source) => Err(SnapshotErrorKind::Manifest { path, source }),
        }
    }

    /// What the manifest's file is like now.
    pub(super) fn manifest_facts(&self) -> Option<FileFacts> {
        let mut seen = Facts(None);
        self.root.named_files(self.kind, self.folder, &[Manifest::FILE_NAME.to_owned()], &mut seen);
        seen.0
    }

    /// Opens a folder below the one of this scope.
    pub(super) fn open_folder(&self, path: &str) -> Option<OpenFolder> {
        let path = if path.is_empty() { self.folder.to_owned() } else { self.item_path(path) };
        self.root.open_folder(self.kind, &path)
    }

    /// What tells this scope from others, and one way to decide about files from another.
    pub(super) fn key(&self, trust: Digest) -> Digest {
        let mut hasher = Hasher::default();
        hasher.update(trust.as_bytes());
        let mut add = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        add(self.root.path().as_os_str().as_bytes());
        add(self.kind.name().as_bytes());
        add(self.folder.as_bytes());
        match &self.selection {
            Selection::Everything(rules) => {
                add(b"everything");
                rules.hash_folders(&mut hasher);
            }
            Selection::Required(requires) => {
                // What is asked for does not hold the tool itself, so each tool has an index of its own.
                add(self.tool_path.as_bytes());
                requires.patterns().for_each(|pattern| add(pattern.as_bytes()));
            }
        }
        hasher.finish()
    }
}

/// Passes on what may be in a snapshot: no manifest, and not the tool where that is not looked for.
struct Chosen<'c> {
    scope: &'c Scope<'c>,
    visit: &'c mut dyn VisitFiles,
    ended: bool,
}

impl Chosen<'_> {
    fn is_skipped(&self, path: &str) -> bool {
        is_manifest(path) || self.scope.requires().is_some() && path == self.scope.tool_path
    }

    fn pass_on(&mut self, flow: ControlFlow<()>) -> ControlFlow<()> {
        self.ended |= flow.is_break();
        flow
    }
}

impl VisitFiles for Chosen<'_> {
    fn folder(&mut self, path: &str, facts: FileFacts) {
        self.visit.folder(path, facts);
    }

    fn file(&mut self, entry: &FileEntry<'_>) -> ControlFlow<()> {
        if self.is_skipped(entry.path) {
            return ControlFlow::Continue(());
        }
        let flow = self.visit.file(entry);
        self.pass_on(flow)
    }

    fn passed_over(&mut self, path: &str, why: PassedOver) -> ControlFlow<()> {
        if self.is_skipped(path) {
            return ControlFlow::Continue(());
        }
        let flow = self.visit.passed_over(path, why);
        self.pass_on(flow)
    }
}

/// Passes on what patterns match and names did not show yet.
struct Matching<'m> {
    requires: &'m Requires,
    chosen: Chosen<'m>,
}

impl Matching<'_> {
    fn is_wanted(&self, path: &str) -> bool {
        self.requires.globs_match(path) && !self.requires.is_name(path)
    }
}

impl VisitFiles for Matching<'_> {
    fn folder(&mut self, path: &str, facts: FileFacts) {
        self.chosen.folder(path, facts);
    }

    fn file(&mut self, entry: &FileEntry<'_>) -> ControlFlow<()> {
        if self.is_wanted(entry.path) { self.chosen.file(entry) } else { ControlFlow::Continue(()) }
    }

    fn passed_over(&mut self, path: &str, why: PassedOver) -> ControlFlow<()> {
        // A folder that no pattern reaches into is not left out.
        if self.is_wanted(path) && !matches!(why, PassedOver::Excluded) {
            self.chosen.passed_over(path, why)
        } else {
            ControlFlow::Continue(())
        }
    }
}

struct Facts(Option<FileFacts>);

impl VisitFiles for Facts {
    fn file(&mut self, entry: &FileEntry<'_>) -> ControlFlow<()> {
        self.0 = entry.facts().ok().flatten();
        ControlFlow::Continue(())
    }

    fn passed_over(&mut self, _path: &str, _why: PassedOver) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
