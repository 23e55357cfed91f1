//! A tool with many files beside it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lillux::clock::{Clock as _, SystemClock};
use rye_item::{Bundle, ItemBytes, ItemKind, Space, SpaceRoot, Spaces};
use rye_trust::snapshot::{Extent, SnapshotRequest, SnapshotStore, SnapshotTool};
use rye_trust::{DependencyRules, Manifest, OwnSignatures};

use super::{Operator, comment};
use crate::Result;

/// The tool, below the folder of all tools.
const TOOL: &str = "pkg/f0/m0.py";

/// A folder of signed files, one of which is a tool.
pub(crate) struct AnchorFolder<'a> {
    operator: &'a Operator,
    folder: PathBuf,
    spaces: Spaces,
    rules: DependencyRules,
    tool: ItemBytes,
}

impl<'a> AnchorFolder<'a> {
    /// Writes so many files, and signs what lists them.
    pub(crate) fn make(operator: &'a Operator, count: usize) -> Result<Self> {
        let folder = operator.tools().join("pkg");
        for number in 0..count {
            let below = folder.join(format!("f{}", number / 100));
            if number % 100 == 0 {
                fs::create_dir_all(&below)?;
            }
            fs::write(below.join(format!("m{number}.py")), format!("value = {number}\n").repeat(250))?;
        }
        let spaces = Spaces::open(&operator.spaces(), Bundle::new(&[]))?;
        let rules = DependencyRules {
            recursive: true,
            extensions: vec!["py".to_owned()],
            names: Vec::new(),
            exclude_dirs: Vec::new(),
        };
        let root = spaces.get(Space::Project).ok_or("there is no project")?;
        let tool = root.open_file(ItemKind::Tool, TOOL)?.ok_or("there is no tool")?.read()?;
        let anchor = Self { operator, folder, spaces, rules, tool };
        let (root, trust) = (anchor.root()?, anchor.trust());
        let manifest = Manifest::build(root, ItemKind::Tool, "pkg", &anchor.rules, &trust, None)?.manifest;
        let manifest = manifest.sign(ItemKind::Tool, "pkg", SystemClock.now(), &operator.key)?;
        fs::write(anchor.folder.join(Manifest::FILE_NAME), manifest.to_bytes()?)?;
        Ok(anchor)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A place for snapshots, outside the project.
    pub(crate) fn store(&self, name: &str) -> Result<SnapshotStore> {
        Ok(SnapshotStore::at(&self.operator.folder.path().join(name))?)
    }

    /// Takes a snapshot, or finds that there is one of these very files.
    pub(crate) fn take(&self, store: &SnapshotStore) -> Result<()> {
        let tool = SnapshotTool { path: TOOL, bytes: &self.tool, executable: false };
        let extent = Extent::Anchor { folder: "pkg", rules: &self.rules };
        let (root, trust) = (self.root()?, &self.trust());
        let request = SnapshotRequest { root, kind: ItemKind::Tool, tool, extent, links: &[], trust };
        store.take(&request)?;
        Ok(())
    }

    fn root(&self) -> Result<&SpaceRoot> {
        self.spaces.get(Space::Project).ok_or_else(|| "there is no project".into())
    }

    fn trust(&self) -> OwnSignatures<'_> {
        OwnSignatures::new(&self.operator.keyring, BTreeMap::from([("py".to_owned(), comment())]))
    }
}
