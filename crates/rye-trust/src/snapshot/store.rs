//! Where snapshots are kept.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lillux::Digest;

use super::contents::{Contents, FileContent, name};
use super::draft::{Draft, Published};
use super::error::{SnapshotError, SnapshotErrorKind, SnapshotStoreError, StoreRefusal};
use super::held::HeldLocks;
use super::index::Index;
use super::request::{SnapshotLink, SnapshotRequest};
use super::scope::Scope;
use super::stored::{self, FILES, Snapshot, ToolCopy};
use super::survey::{Reading, survey};
use crate::LeftOut;

/// A private folder of snapshots.
#[derive(Debug, Clone)]
pub struct SnapshotStore {
    path: PathBuf,
    /// Nothing if no lock outlives the use of its snapshot.
    held: Option<Arc<HeldLocks>>,
}

/// The folder of what is known about files.
pub(super) const INDEX: &str = "index";
/// How often a name that others take and leave is tried for.
const ATTEMPTS: usize = 20;

impl SnapshotStore {
    /// The store in a cache folder, which is made if there is none.
    ///
    /// # Errors
    /// If it belongs to somebody else, others can write there, or the file system refuses.
    pub fn at(cache: &Path) -> Result<Self, SnapshotStoreError> {
        let path = cache.join("snapshots");
        match check_all(cache, &path) {
            Err(SnapshotStoreError { refusal: StoreRefusal::Io(error), .. })
                if error.kind() == io::ErrorKind::NotFound =>
            {
                let mut builder = DirBuilder::new();
                let made = builder.recursive(true).mode(0o700).create(path.join(INDEX));
                made.map_err(|error| SnapshotStoreError { path: path.clone(), refusal: error.into() })?;
                check_all(cache, &path)?;
            }
            checked => checked?,
        }
        Ok(Self { path, held: None })
    }

    /// The same store, in which the snapshots that were used last stay locked.
    #[must_use]
    pub fn holding(self) -> Self {
        Self { held: Some(Arc::default()), ..self }
    }

    /// The folder that holds the snapshots.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folders in which nobody else may write.
    #[must_use]
    pub fn checked(&self) -> [PathBuf; 3] {
        let cache = self.path.parent().unwrap_or(&self.path);
        [cache.to_owned(), self.path.clone(), self.path.join(INDEX)]
    }

    /// Gives a snapshot that holds the tool and the verified files that belong to it, and nothing else.
    ///
    /// # Errors
    /// If a listed file is missing or was changed, the manifest does not count, a file that the tool asks for is not
    /// verified, or the file system refuses.
    pub fn take(&self, request: &SnapshotRequest<'_>) -> Result<Snapshot, SnapshotError> {
        self.take_snapshot(request).map_err(|kind| SnapshotError::new(request.tool.path, kind))
    }

    fn take_snapshot(&self, request: &SnapshotRequest<'_>) -> Result<Snapshot, SnapshotErrorKind> {
        let scope = Scope::new(request)?;
        let bytes = request.tool.bytes;
        let executable = request.tool.executable;
        let tool = ToolCopy { path: scope.tool_path(), bytes: bytes.as_slice(), executable };
        let content = FileContent { digest: bytes.digest(), executable };
        let mut links = request.links.to_vec();
        if scope.is_tool_alone() {
            return self.take_alone(tool, content, &mut links);
        }
        let key = scope.key(request.trust.fingerprint());
        let index_path = self.path.join(INDEX).join(key.to_string());
        let index = if scope.is_embedded() { None } else { Index::load(&index_path) };
        if let Some(index) = &index
            && let Some(unchanged) = index.unchanged(&scope)
            && let Some(snapshot) = self.find(name(unchanged.digest(tool.path, content), &mut links), tool)?
        {
            return Ok(snapshot.with_left_out(unchanged.left_out));
        }
        if index.is_some() || scope.is_embedded() {
            let findings = survey(&scope, request.trust, Reading::News(index.as_ref()))?;
            let contents = findings.contents_with(tool.path, content)?;
            if let Some(snapshot) = self.find(name(contents.digest(), &mut links), tool)? {
                if !scope.is_embedded() {
                    Index::save(&findings, &index_path);
                }
                return Ok(snapshot.with_left_out(findings.left_out(tool.path)));
            }
        }
        let mut draft = Draft::create(&self.path)?;
        let findings = survey(&scope, request.trust, Reading::Everything(&mut draft))?;
        let contents = findings.contents_with(tool.path, content)?;
        let snapshot = self.finish(draft, contents.digest(), tool, &mut links)?;
        if !scope.is_embedded() {
            Index::save(&findings, &index_path);
        }
        Ok(snapshot.with_left_out(findings.left_out(tool.path)))
    }

    fn take_alone(
        &self,
        tool: ToolCopy<'_>,
        content: FileContent,
        links: &mut [SnapshotLink],
    ) -> Result<Snapshot, SnapshotErrorKind> {
        let mut contents = Contents::default();
        contents.insert(tool.path, content);
        let digest = contents.digest();
        match self.find(name(digest, links), tool)? {
            Some(snapshot) => Ok(snapshot),
            None => self.finish(Draft::create(&self.path)?, digest, tool, links),
        }
    }

    /// The snapshot of this name, if there is a whole one.
    fn find(&self, digest: Digest, tool: ToolCopy<'_>) -> Result<Option<Snapshot>, SnapshotErrorKind> {
        let folder = self.path.join(digest.to_string());
        let held = self.held.as_ref().and_then(|held| held.get(&digest));
        if let Some(lock) = held.filter(|_| tool.is_in(&folder)) {
            return Ok(Some(Snapshot::new(&folder, digest, tool, lock)));
        }
        let lock = stored::open(&folder, digest, tool).map_err(SnapshotErrorKind::store(&folder))?;
        let lock = lock.map(Arc::new);
        if let (Some(held), Some(lock)) = (&self.held, &lock) {
            held.hold(digest, lock);
        }
        Ok(lock.map(|lock| Snapshot::new(&folder, digest, tool, lock)))
    }

    /// Adds the tool, which is all that is missing, and gives the draft its name.
    fn finish(
        &self,
        mut draft: Draft,
        files: Digest,
        tool: ToolCopy<'_>,
        links: &mut [SnapshotLink],
    ) -> Result<Snapshot, SnapshotErrorKind> {
        // A store that does not grow need not be looked through.
        self.collect_when_due();
        draft.add(tool.path, tool.bytes, tool.executable)?;
        let digest = name(files, links);
        for link in links {
            draft.link(link)?;
        }
        let folder = self.path.join(digest.to_string());
        let mut published = draft.publish(&folder);
        for _ in 0..ATTEMPTS {
            draft = match published.map_err(SnapshotErrorKind::store(&folder))? {
                Published::Done(lock) => return Ok(Snapshot::new(&folder, digest, tool, Arc::new(lock))),
                Published::Taken(draft) => draft,
            };
            // Somebody else was faster, or there is a damaged one.
            if let Some(snapshot) = self.find(digest, tool)? {
                return Ok(snapshot);
            }
            published = draft.replace(&folder);
        }
        let busy = io::Error::other("somebody changes it all the time");
        Err(SnapshotErrorKind::Store { path: folder, source: busy })
    }
}

impl Snapshot {
    fn new(folder: &Path, digest: Digest, tool: ToolCopy<'_>, lock: Arc<File>) -> Self {
        let root = folder.join(FILES);
        Self { tool: root.join(tool.path), root, digest, left_out: Vec::new(), _lock: lock }
    }

    fn with_left_out(self, mut left_out: Vec<LeftOut>) -> Self {
        left_out.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Self { left_out, ..self }
    }
}

/// Whether it suffices that others can add to a folder but not rename what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sticky {
    Suffices,
    Ignored,
}

fn check_all(cache: &Path, store: &Path) -> Result<(), SnapshotStoreError> {
    // Who can rename the store's folder can put another one in its place.
    let places = [(cache, Sticky::Suffices), (store, Sticky::Ignored), (&store.join(INDEX), Sticky::Ignored)];
    places.into_iter().try_for_each(|(folder, sticky)| {
        check(folder, sticky).map_err(|refusal| SnapshotStoreError { path: folder.to_owned(), refusal })
    })
}

fn check(folder: &Path, sticky: Sticky) -> Result<(), StoreRefusal> {
    let found = match sticky {
        Sticky::Suffices => folder.metadata()?,
        Sticky::Ignored => folder.symlink_metadata()?,
    };
    let user = rustix::process::geteuid().as_raw();
    let is_ours = found.uid() == user || sticky == Sticky::Suffices && found.uid() == 0;
    if !is_ours {
        return Err(StoreRefusal::Owner { owner: found.uid(), user });
    }
    let mode = found.mode() & 0o7777;
    let is_protected = mode & 0o1000 != 0 && sticky == Sticky::Suffices;
    if !found.is_dir() {
        return Err(StoreRefusal::Io(io::ErrorKind::NotADirectory.into()));
    }
    if mode & 0o022 != 0 && !is_protected { Err(StoreRefusal::Writable { mode }) } else { Ok(()) }
}
