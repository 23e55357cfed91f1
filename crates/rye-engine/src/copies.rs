//! Where the files are that run.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rye_env::Consulted;
use rye_item::{ItemKind, ReadItem, Space};
use rye_metadata::metadata::Anchor;
use rye_plan::{AnchorPlace, Copies, CopyError, CopyRequest, Link, ToolCopy};
use rye_trust::snapshot::{Extent, SnapshotLink, SnapshotRequest, SnapshotStore, SnapshotTool};
use rye_trust::{DependencyRules, OwnSignatures};

use crate::Engine;
use crate::engine::Call;
use crate::trust::Trust;

/// Copies of verified files, in the cache of an engine.
pub(crate) struct EngineCopies<'a> {
    engine: &'a Engine,
    pub(crate) call: &'a Call,
    pub(crate) trust: &'a Trust,
    comparing: Comparing,
    /// Where copies are kept, once somebody needs one.
    store: OnceCell<SnapshotStore>,
}

/// Whether copies are compared with what was verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparing {
    /// Each of them, since it runs.
    Always,
    /// Not those that were in this moment: they are only named. Whoever has a connection does what they say, and knows that
    /// by its digest.
    Once,
}

impl<'a> EngineCopies<'a> {
    pub(crate) fn new(engine: &'a Engine, call: &'a Call, trust: &'a Trust, comparing: Comparing) -> Self {
        Self { engine, call, trust, comparing, store: OnceCell::new() }
    }

    /// A copy of a file that stands for itself.
    fn alone(&self, item: &ReadItem) -> Result<ToolCopy, CopyError> {
        let extent = Extent::Alone { requires: &[] };
        if self.comparing == Comparing::Always {
            return self.snapshot(item, extent, &[]);
        }
        let (copies, moment) = (&self.engine.memory.copies, self.call.moment);
        let key = (item.bytes().digest(), item.file_name());
        if let Some(known) = copies.get(moment, &key) {
            return Ok(ToolCopy { is_compared: false, ..known });
        }
        let copy = self.snapshot(item, extent, &[])?;
        // Locks are not held for what is only named: each is an open file.
        copies.put(moment, key, ToolCopy { snapshot: None, ..copy.clone() });
        Ok(copy)
    }

    fn store(&self) -> Result<&SnapshotStore, CopyError> {
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let (memory, moment) = (&self.engine.memory, self.call.moment);
        if let Some(known) = memory.store.get(moment, &()) {
            return Ok(self.store.get_or_init(|| known));
        }
        let cache = self.engine.settings.cache.as_deref().ok_or(CopyError::NoFolder)?;
        let store = SnapshotStore::at(cache)?;
        // It can be used for as long as nobody else can write there.
        let consulted: Vec<_> = store.checked().into_iter().map(Consulted::Entry).collect();
        if memory.witness.vouches(moment, &consulted) {
            memory.store.put(moment, (), store.clone().holding());
        }
        Ok(self.store.get_or_init(|| store))
    }

    /// What is part of the program is laid out as a whole, and needs no other copy.
    fn laid_out(&self, item: &ReadItem, anchor: Option<&str>) -> Result<ToolCopy, CopyError> {
        let folder = self.system_space()?.join(item.item().kind.folder());
        let tool = folder.join(item.file_name());
        let root = match anchor {
            Some(anchor) => folder.join(anchor),
            None => tool.parent().map(Path::to_owned).unwrap_or(folder),
        };
        Ok(ToolCopy {
            root,
            tool,
            has_others: false,
            left_out: Vec::new(),
            snapshot: None,
            content: None,
            is_compared: true,
        })
    }

    fn snapshot(
        &self,
        item: &ReadItem,
        extent: Extent<'_>,
        installed: &[String],
    ) -> Result<ToolCopy, CopyError> {
        let is_alone = matches!(extent, Extent::Alone { requires: [] });
        let store = self.store()?;
        let root = self.call.spaces.get(item.space()).ok_or(CopyError::NoFolder)?;
        let signatures = if is_alone {
            // There are no other files, whose signatures would count.
            OwnSignatures::new(self.trust.keyring(item.space())?, BTreeMap::new())
        } else {
            self.trust.own_signatures(self.engine, self.call, item.space())?
        };
        let path = item.file_name();
        let folder = match extent {
            Extent::Anchor { folder, .. } => folder,
            Extent::Alone { .. } => path.rsplit_once('/').map_or("", |(folder, _)| folder),
        };
        let folder = root.kind_path(item.item().kind).join(folder);
        let links =
            installed.iter().map(|name| SnapshotLink { name: name.clone(), target: folder.join(name) });
        let links: Vec<_> = links.filter(|link| link.target.is_dir()).collect();
        if let (Space::Project, Some(project)) = (item.space(), self.call.project_folder()) {
            links.iter().try_for_each(|link| self.trust.check_installed(project, &link.target))?;
        }
        let snapshot = store.take(&SnapshotRequest {
            root,
            kind: item.item().kind,
            tool: SnapshotTool { path: &path, bytes: item.bytes(), executable: item.is_executable() },
            extent,
            links: &links,
            trust: &signatures,
        })?;
        Ok(ToolCopy {
            root: snapshot.root().to_owned(),
            tool: snapshot.tool().to_owned(),
            has_others: !is_alone,
            left_out: snapshot.left_out().to_vec(),
            snapshot: Some(snapshot),
            content: Some(item.bytes().digest()),
            is_compared: true,
        })
    }
}

impl Copies for EngineCopies<'_> {
    fn tool(&self, request: &CopyRequest<'_>) -> Result<ToolCopy, CopyError> {
        let item = request.tool.verified.item();
        if item.is_embedded() {
            return self.laid_out(item, request.anchor.map(|(folder, _)| folder));
        }
        let metadata = &request.tool.metadata;
        if let Some((folder, rules)) = request.anchor {
            return self.snapshot(
                item,
                Extent::Anchor { folder, rules: &DependencyRules::from(rules) },
                request.installed,
            );
        }
        let requires: Vec<String> = metadata.requires.iter().chain(&metadata.entry).cloned().collect();
        if requires.is_empty() {
            return self.alone(item);
        }
        self.snapshot(item, Extent::Alone { requires: &requires }, &[])
    }

    fn beside(&self, link: &Link, below: &str) -> Result<Option<PathBuf>, CopyError> {
        let item = link.verified.item();
        let folder = item.item().id.parent().unwrap_or_default();
        let Some(root) = self.call.spaces.get(item.space()) else { return Ok(None) };
        if let Some(bundle) = root.bundle() {
            let wanted = normalized(&format!("{}/{folder}/{below}", ItemKind::Tool.folder()));
            let is_there = !bundle.below(&format!("{wanted}/")).is_empty();
            return if is_there { Ok(Some(self.system_space()?.join(wanted))) } else { Ok(None) };
        }
        if !root.kind_path(ItemKind::Tool).join(folder).join(below).is_dir() {
            return Ok(None);
        }
        let all = DependencyRules {
            recursive: true,
            extensions: Vec::new(),
            names: Vec::new(),
            exclude_dirs: Vec::new(),
        };
        let rules = link.metadata.verify_deps.as_ref().map_or(all, DependencyRules::from);
        let copy = self.snapshot(item, Extent::Anchor { folder, rules: &rules }, &[])?;
        Ok(Some(copy.root.join(below)))
    }

    fn anchor(&self, anchor: &Anchor, executor: &Link, tool: &Link) -> AnchorPlace {
        let (memory, moment) = (&self.engine.memory, self.call.moment);
        let item = tool.verified.item();
        let Some(root) = self.call.spaces.get(item.space()) else { return AnchorPlace::Tool };
        let key = (executor.verified.content(), item.space(), item.item().id.clone());
        if let Some(known) = memory.anchors.get(moment, &key) {
            return known;
        }
        let place = AnchorPlace::find(anchor, &item.item().id, root);
        if root.bundle().is_none() {
            let folder = root.kind_path(ItemKind::Tool);
            let consulted = AnchorPlace::consulted(anchor, &item.item().id);
            let consulted: Vec<_> =
                consulted.iter().map(|path| Consulted::Entry(folder.join(path))).collect();
            if memory.witness.vouches(moment, &consulted) {
                memory.anchors.put(moment, key, place.clone());
            }
        }
        place
    }

    fn system_space(&self) -> Result<PathBuf, CopyError> {
        match &self.engine.settings.spaces.system_space {
            Some(folder) => Ok(folder.clone()),
            None => self.engine.bundle_folder()?.ok_or(CopyError::NoFolder),
        }
    }
}

/// A path without `.` and `..`.
fn normalized(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}
