//! Lock files: made, found and held against what is there.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use lillux::clock::{Clock as _, SystemClock};
use lillux::keys::SigningKey;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rye_env::Consulted;
use rye_item::{ItemId, ItemKind, ItemRef, Space};
use rye_plan::Plan;
use rye_trust::snapshot::Snapshot;
use rye_trust::{
    DocumentError, Keyring, Lock, LockDifference, LockedElement, SignedDocument, Statement, UntrustedProject,
};

use crate::engine::Call;
use crate::trust::Trust;
use crate::{Engine, EngineError, ExecuteRequest, TargetSpace};

/// A lock file that was made.
#[derive(Debug)]
pub struct LockReport {
    /// Its file.
    pub path: PathBuf,
    /// What it says.
    pub lock: Lock,
}

/// A lock file that was held against what is there.
#[derive(Debug)]
pub struct LockCheck {
    /// Its file.
    pub path: PathBuf,
    /// The space that it is in.
    pub space: Space,
    /// The item, if that can be told.
    pub item: Option<ItemRef>,
    /// Whether it decides anything: beside a lock of the version that is there, locks of other versions do not.
    pub is_used: bool,
    /// Why the item would not run under it, if it would not.
    pub result: Result<(), EngineError>,
}

/// Why an item does not run although it could: it is locked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// The chain is not the one that was locked.
    #[error("{item} is not what `{}` says: {}", path.display(), differences.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Mismatch {
        /// The item.
        item: ItemRef,
        /// The lock file.
        path: PathBuf,
        /// The space that it is in.
        space: Space,
        /// Everything that differs.
        differences: Vec<LockDifference>,
    },
    /// The lock file does not count.
    #[error("the lock file `{}` does not count", path.display())]
    Document {
        /// The lock file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: DocumentError,
    },
    /// The lock file cannot be read or written.
    #[error("cannot use the lock file `{}`", path.display())]
    File {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The item's version cannot be part of a file's name.
    #[error("the version of {item} cannot be part of a file's name: `{version}`")]
    Version {
        /// The item.
        item: ItemRef,
        /// The version.
        version: String,
    },
    /// There is none, and there has to be one.
    #[error("{item} has no lock file")]
    Missing {
        /// The item.
        item: ItemRef,
    },
}

/// Lock files are small.
const MAX_BYTES: u64 = 1024 * 1024;
/// Ids have few parts.
const MAX_DEPTH: usize = 64;
/// Where lock files are in a space.
const FOLDER: &str = "locks";

/// A folder with lock files, and whose signatures count there.
struct LockFolder<'t> {
    path: PathBuf,
    space: Space,
    keyring: Result<&'t Keyring, UntrustedProject>,
}

impl Engine {
    /// Pins the chain of an item as it is now.
    ///
    /// # Errors
    /// If the item could not run, the project is not trusted, or the lock file cannot be written.
    pub fn lock(&self, id: &str, target: TargetSpace, key: &SigningKey) -> Result<LockReport, EngineError> {
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let folder = match target {
            TargetSpace::Project => {
                let start = call.spaces.project().path();
                let root = call.spaces.get(Space::Project);
                let root = root.ok_or_else(|| EngineError::NoProject { start: start.to_owned() })?;
                // A lock that does not count is not made.
                trust.keyring(Space::Project)?;
                root.path().to_owned()
            }
            TargetSpace::User => self.user_path().ok_or(EngineError::NoUserSpace)?,
        };
        let plan = self.plan_for_lock(&call, &trust, id)?;
        let lock = lock_of(&plan);
        let item = lock.item();
        if !lock.version.chars().all(|c| c.is_ascii_alphanumeric() || ".+-_".contains(c)) {
            return Err(LockError::Version { item, version: lock.version }.into());
        }
        let path = folder.join(FOLDER).join(lock.file_name());
        let statement = Statement::Lock { kind: item.kind, id: item.id.as_str() };
        let document = SignedDocument::sign(lock.clone(), &statement, SystemClock.now(), key);
        let bytes = document.and_then(|document| document.to_bytes());
        let bytes = bytes.map_err(|source| LockError::Document { path: path.clone(), source })?;
        write(&path, &bytes).map_err(|source| LockError::File { path: path.clone(), source })?;
        Ok(LockReport { path, lock })
    }

    /// Holds all lock files of the project and the user against what is there.
    ///
    /// # Errors
    /// If a space cannot be used.
    pub fn check_locks(&self) -> Result<Vec<LockCheck>, EngineError> {
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let mut checks = Vec::new();
        for folder in self.lock_folders(&call, &trust) {
            let mut files = Vec::new();
            list(&folder.path, MAX_DEPTH, &mut files);
            files.sort();
            for path in files {
                let lock = match &folder.keyring {
                    Ok(keyring) => open(&path, keyring).map_err(EngineError::from),
                    Err(untrusted) => Err(untrusted.clone().into()),
                };
                let (item, result) = match lock {
                    Err(error) => (None, Err(error)),
                    Ok(lock) => (Some(lock.item()), self.check_lock(&call, &trust, &folder, &path, &lock)),
                };
                let is_used = !matches!(result, Ok(Fit::Unused));
                let result = result.map(|_| ());
                checks.push(LockCheck { path, space: folder.space, item, is_used, result });
            }
        }
        Ok(checks)
    }

    fn check_lock(
        &self,
        call: &Call,
        trust: &Trust,
        folder: &LockFolder<'_>,
        path: &Path,
        lock: &Lock,
    ) -> Result<Fit, EngineError> {
        let found = lock_of(&self.plan_for_lock(call, trust, lock.id.as_str())?);
        let deciding = folder.deciding(&found);
        if deciding.is_some_and(|deciding| deciding != path && folder.path.join(lock.file_name()) == path) {
            return Ok(Fit::Unused);
        }
        compare(path, folder.space, lock, &found)?;
        Ok(Fit::Held)
    }

    /// Refuses a plan whose item is locked and is not what the lock says. A lock of the project does not take away the
    /// force of one of the user.
    pub(crate) fn hold_lock(
        &self,
        call: &Call,
        trust: &Trust,
        plan: &Plan,
        demanded: bool,
    ) -> Result<Option<PathBuf>, EngineError> {
        let item = &plan.chain[0].item;
        let mut held = None;
        if self.memory.unlocked.get(call.moment, item).is_none() {
            let folders = self.lock_folders(call, trust);
            let mut found = None;
            for folder in folders.iter().filter(|folder| !files_of(&folder.path, &item.id).is_empty()) {
                let found = found.get_or_insert_with(|| lock_of(plan));
                let (Ok(keyring), Some(path)) = (&folder.keyring, folder.deciding(found)) else { continue };
                compare(&path, folder.space, &open(&path, keyring)?, found)?;
                held = held.or(Some(path));
            }
            let below = |folder: &LockFolder<'_>| Consulted::Names(folder_of(&folder.path, &item.id));
            let consulted: Vec<_> = folders.iter().map(below).collect();
            if found.is_none() && self.memory.witness.vouches(call.moment, &consulted) {
                self.memory.unlocked.put(call.moment, item.clone(), ());
            }
        }
        if held.is_none() && demanded {
            return Err(LockError::Missing { item: item.clone() }.into());
        }
        Ok(held)
    }

    /// Where lock files are. Those of an untrusted project do not count.
    fn lock_folders<'t>(&self, call: &Call, trust: &'t Trust) -> Vec<LockFolder<'t>> {
        let project = call.spaces.get(Space::Project).map(|root| (Space::Project, root.path().to_owned()));
        let user = self.user_path().map(|path| (Space::User, path));
        let folder = |(space, path): (Space, PathBuf)| LockFolder {
            path: path.join(FOLDER),
            space,
            keyring: trust.keyring(space),
        };
        project.into_iter().chain(user).map(folder).collect()
    }

    fn plan_for_lock(&self, call: &Call, trust: &Trust, id: &str) -> Result<Plan, EngineError> {
        let item = ItemRef::new(ItemKind::Tool, ItemId::new(id)?);
        self.plan_without_parameters(call, trust, &ExecuteRequest::new(item))
    }
}

/// What a lock of this plan would say.
pub(crate) fn lock_of(plan: &Plan) -> Lock {
    let element = |element: &rye_plan::PlanElement| LockedElement {
        id: element.item.id.clone(),
        space: element.space,
        digest: element.digest,
        key: match &element.signer {
            rye_trust::Signer::Key { key, .. } => Some(key.to_string()),
            rye_trust::Signer::Program | rye_trust::Signer::Waived { .. } => None,
        },
    };
    let head = &plan.chain[0];
    let copy = plan.copy.as_ref().filter(|copy| copy.has_others);
    Lock {
        kind: head.item.kind,
        id: head.item.id.clone(),
        version: head.version.clone().unwrap_or_else(|| "0.0.0".to_owned()),
        chain: plan.chain.iter().map(element).collect(),
        extractors: plan.extractors.iter().map(element).collect(),
        helpers: plan.worker.iter().filter_map(|worker| worker.helper.as_deref()).map(element).collect(),
        servers: plan.server.as_deref().into_iter().map(element).collect(),
        files: copy.and_then(|copy| copy.snapshot.as_ref()).map(Snapshot::digest),
    }
}

/// Whether a lock file decides about the item that is there.
enum Fit {
    Held,
    Unused,
}

impl LockFolder<'_> {
    /// The lock file that decides about an item: that of its version, or else the last one of any other.
    fn deciding(&self, found: &Lock) -> Option<PathBuf> {
        let files = files_of(&self.path, &found.id);
        let exact = self.path.join(found.file_name());
        if files.contains(&exact) { Some(exact) } else { files.into_iter().next_back() }
    }
}

fn compare(path: &Path, space: Space, lock: &Lock, found: &Lock) -> Result<(), LockError> {
    match lock.differences(found) {
        differences if differences.is_empty() => Ok(()),
        differences => {
            Err(LockError::Mismatch { item: found.item(), path: path.to_owned(), space, differences })
        }
    }
}

fn open(path: &Path, keyring: &Keyring) -> Result<Lock, LockError> {
    let document = read(path)?;
    let alleged = document.alleged_content();
    let statement = Statement::Lock { kind: alleged.kind, id: alleged.id.as_str() };
    match document.open(&statement, keyring) {
        Ok((lock, _)) => Ok(lock.clone()),
        Err(source) => Err(LockError::Document { path: path.to_owned(), source }),
    }
}

fn read(path: &Path) -> Result<SignedDocument<Lock>, LockError> {
    use std::io::Read as _;
    let failed = |source| LockError::File { path: path.to_owned(), source };
    // Neither a link nor a pipe that nobody writes to may hold up a run.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = match file {
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            return Err(failed(std::io::Error::other("it is a symbolic link")));
        }
        file => file.map_err(failed)?,
    };
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(failed(std::io::Error::other("it is not a regular file")));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(failed(std::io::Error::other("it is far too large for a lock file")));
    }
    SignedDocument::parse(&bytes).map_err(|source| LockError::Document { path: path.to_owned(), source })
}

/// Puts a whole file in place of what is there.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let draft = path.with_extension(format!("{}.draft", std::process::id()));
    let written = File::options().write(true).create_new(true).open(&draft).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&draft, path)
    });
    if written.is_err() {
        // What cannot be removed is a file that nothing reads.
        let _ = std::fs::remove_file(&draft);
    }
    written
}

/// The lock files of an item, whatever the version, in the order of their names.
fn files_of(folder: &Path, id: &ItemId) -> Vec<PathBuf> {
    let prefix = format!("{}@", id.stem());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder_of(folder, id)).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) && name.ends_with(Lock::SUFFIX) {
            files.push(entry.path());
        }
    }
    files.sort();
    files
}

/// The folder with the lock files of an item.
fn folder_of(folder: &Path, id: &ItemId) -> PathBuf {
    id.parent().map_or_else(|| folder.to_owned(), |parent| folder.join(parent))
}

fn list(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => list(&entry.path(), depth - 1, files),
            Ok(kind) if !kind.is_dir() && entry.file_name().to_string_lossy().ends_with(Lock::SUFFIX) => {
                files.push(entry.path());
            }
            _ => {}
        }
    }
}
