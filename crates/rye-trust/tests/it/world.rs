//! A project with signed tools, and a store for their snapshots.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lillux::keys::SigningKey;
use rye_item::{Bundle, ItemKind, Space, SpaceRoot, SpaceSettings, Spaces};
use rye_metadata::SignatureComment;
use rye_trust::snapshot::{Extent, Snapshot, SnapshotError, SnapshotRequest, SnapshotStore, SnapshotTool};
use rye_trust::{
    DependencyRules, FileTrust, KeyOrigin, Keyring, LeftOut, LeftOutReason, Manifest, ManifestDraft,
    OwnSignatures, Seal, SignedText, Statement, TrustedKey,
};

pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) key: SigningKey,
    pub(crate) keyring: Keyring,
}

pub(crate) const TIME: &str = "2026-03-01T10:00:00Z";

impl World {
    pub(crate) fn new() -> Self {
        let key = SigningKey::from_seed(&[7; 32]);
        let keyring = keyring_of(&key);
        let world = Self { folder: tempfile::tempdir().unwrap(), key, keyring };
        std::fs::create_dir_all(world.path("project/.ai/tools")).unwrap();
        world
    }

    /// A project with an anchor `pkg`: a signed tool, and a module and a data file that its manifest lists.
    pub(crate) fn with_anchor() -> Self {
        let world = Self::new();
        world.write("pkg/tool.py", "import lib.a\n");
        world.sign("pkg/tool.py");
        world.write("pkg/lib/a.py", "good = 1\n");
        world.write("pkg/data.json", "{}\n");
        world.sign_manifest("pkg");
        world
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub(crate) fn tools(&self, below: &str) -> PathBuf {
        self.path("project/.ai/tools").join(below)
    }

    pub(crate) fn write(&self, below: &str, text: impl AsRef<[u8]>) {
        let path = self.tools(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn spaces(&self) -> Spaces {
        self.spaces_with(Bundle::new(&[]))
    }

    pub(crate) fn spaces_with(&self, bundle: Bundle) -> Spaces {
        let settings = SpaceSettings {
            start: self.path("project"),
            project: Some(self.path("project")),
            home: None,
            user_space: None,
            system_space: None,
        };
        Spaces::open(&settings, bundle).unwrap()
    }

    pub(crate) fn trust(&self) -> OwnSignatures<'_> {
        let comment = SignatureComment { prefix: "#".to_owned(), suffix: String::new(), after_shebang: true };
        OwnSignatures::new(&self.keyring, BTreeMap::from([("py".to_owned(), comment)]))
    }

    /// Puts a signature line into a file.
    pub(crate) fn sign(&self, below: &str) {
        let comment = SignatureComment { prefix: "#".to_owned(), suffix: String::new(), after_shebang: true };
        let bytes = std::fs::read(self.tools(below)).unwrap();
        let text = SignedText::split(&bytes, &comment).unwrap();
        let statement = Statement::Item { kind: ItemKind::Tool, path: below };
        let seal = Seal::new(&statement, text.digest(), TIME.parse().unwrap(), &self.key);
        std::fs::write(self.tools(below), text.with_seal(&seal, &comment)).unwrap();
    }

    pub(crate) fn build_manifest(&self, folder: &str, previous: Option<&Manifest>) -> ManifestDraft {
        let spaces = self.spaces();
        let root = spaces.get(Space::Project).unwrap();
        Manifest::build(root, ItemKind::Tool, folder, &rules(), &self.trust(), previous).unwrap()
    }

    pub(crate) fn store_manifest(&self, folder: &str, manifest: Manifest) {
        let document = manifest.sign(ItemKind::Tool, folder, TIME.parse().unwrap(), &self.key).unwrap();
        self.write(&format!("{folder}/{}", Manifest::FILE_NAME), document.to_bytes().unwrap());
    }

    pub(crate) fn sign_manifest(&self, folder: &str) {
        self.store_manifest(folder, self.build_manifest(folder, None).manifest);
    }

    pub(crate) fn store(&self) -> SnapshotStore {
        SnapshotStore::at(&self.path("cache")).unwrap()
    }

    /// Takes a snapshot of the tool `pkg/tool.py` with its anchor.
    pub(crate) fn take(&self) -> Result<Snapshot, SnapshotError> {
        self.take_anchor("pkg/tool.py", "pkg")
    }

    pub(crate) fn take_anchor(&self, tool: &str, folder: &str) -> Result<Snapshot, SnapshotError> {
        self.take_extent(tool, Extent::Anchor { folder, rules: &rules() })
    }

    pub(crate) fn take_alone(&self, tool: &str, requires: &[&str]) -> Result<Snapshot, SnapshotError> {
        let requires: Vec<_> = requires.iter().map(|&pattern| pattern.to_owned()).collect();
        self.take_extent(tool, Extent::Alone { requires: &requires })
    }

    /// The same snapshot as `take`, from this store.
    pub(crate) fn take_from(&self, store: &SnapshotStore) -> Result<Snapshot, SnapshotError> {
        let (spaces, rules) = (self.spaces(), rules());
        let extent = Extent::Anchor { folder: "pkg", rules: &rules };
        take(store, spaces.get(Space::Project).unwrap(), &self.trust(), "pkg/tool.py", extent)
    }

    fn take_extent(&self, tool: &str, extent: Extent<'_>) -> Result<Snapshot, SnapshotError> {
        let spaces = self.spaces();
        take(&self.store(), spaces.get(Space::Project).unwrap(), &self.trust(), tool, extent)
    }
}

pub(crate) fn take(
    store: &SnapshotStore,
    root: &SpaceRoot,
    trust: &dyn FileTrust,
    tool: &str,
    extent: Extent<'_>,
) -> Result<Snapshot, SnapshotError> {
    let file = root.open_file(ItemKind::Tool, tool).unwrap().unwrap();
    let executable = file.status().executable;
    let bytes = file.read().unwrap();
    let tool = SnapshotTool { path: tool, bytes: &bytes, executable };
    store.take(&SnapshotRequest { root, kind: ItemKind::Tool, tool, extent, links: &[], trust })
}

pub(crate) fn keyring_of(key: &SigningKey) -> Keyring {
    let mut keyring = Keyring::default();
    keyring.trust(TrustedKey {
        key: key.public_key(),
        owner: "me".to_owned(),
        trusted_at: TIME.parse().unwrap(),
        origin: KeyOrigin::User,
    });
    keyring
}

pub(crate) fn rules() -> DependencyRules {
    DependencyRules {
        recursive: true,
        extensions: vec!["py".to_owned(), "json".to_owned()],
        names: Vec::new(),
        exclude_dirs: vec!["__pycache__".to_owned()],
    }
}

/// The paths of all files in a snapshot.
pub(crate) fn files(snapshot: &Snapshot) -> Vec<String> {
    let mut paths = Vec::new();
    collect(snapshot.root(), snapshot.root(), &mut paths);
    paths.sort();
    paths
}

fn collect(root: &Path, folder: &Path, paths: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = path.symlink_metadata().unwrap().file_type();
        if kind.is_dir() {
            collect(root, &path, paths);
        } else {
            assert!(kind.is_file(), "{}", path.display());
            paths.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
        }
    }
}

pub(crate) fn left_out(snapshot: &Snapshot) -> Vec<(&str, LeftOutReason)> {
    snapshot.left_out().iter().map(|LeftOut { path, reason }| (path.as_str(), *reason)).collect()
}

/// Waits until a change that comes now must be seen in the times of a file.
pub(crate) fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(2_100));
}
