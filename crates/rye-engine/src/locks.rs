//! Lock files: made, found and held against what is there.

use std::path::{Path, PathBuf};

use lillux::clock::{Clock as _, SystemClock};
use lillux::keys::SigningKey;
use rustix::fs::OFlags;
use rye_item::{ItemId, ItemKind, ItemRef, Space};
use rye_plan::Plan;
use rye_trust::snapshot::Snapshot;
use rye_trust::{DocumentError, Keyring, Lock, LockDifference, LockedElement, SignedDocument, Statement};

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
    /// The item, if that can be told.
    pub item: Option<ItemRef>,
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
    /// There is none, and there has to be one.
    #[error("{item} has no lock file")]
    Missing {
        /// The item.
        item: ItemRef,
    },
}

/// Lock files are small.
const MAX_BYTES: u64 = 1024 * 1024;

impl Engine {
    /// Pins the chain of an item as it is now.
    ///
    /// # Errors
    /// If the item could not run, or the lock file cannot be written.
    pub fn lock(&self, id: &str, target: TargetSpace, key: &SigningKey) -> Result<LockReport, EngineError> {
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let plan = self.plan_for_lock(&call, &trust, id)?;
        let lock = lock_of(&plan);
        let folder = match target {
            TargetSpace::Project => call.spaces.get(Space::Project).map(|root| root.path().to_owned()),
            TargetSpace::User => self.user_path(),
        };
        let folder = folder
            .ok_or_else(|| EngineError::NoProject { start: call.spaces.project().path().to_owned() })?;
        let path = folder.join("locks").join(lock.file_name());
        let item = lock.item();
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
        for (folder, keyring) in self.lock_folders(&call, &trust) {
            let mut files = Vec::new();
            list(&folder, &mut files);
            files.sort();
            for path in files {
                let read = read(&path).and_then(|document| open(&path, &document, keyring));
                let (item, result) = match read {
                    Err(error) => (None, Err(error.into())),
                    Ok(lock) => (Some(lock.item()), self.check_lock(&call, &trust, &path, &lock)),
                };
                checks.push(LockCheck { path, item, result });
            }
        }
        Ok(checks)
    }

    fn check_lock(&self, call: &Call, trust: &Trust, path: &Path, lock: &Lock) -> Result<(), EngineError> {
        let plan = self.plan_for_lock(call, trust, lock.id.as_str())?;
        Ok(compare(path, lock, &lock_of(&plan))?)
    }

    /// Refuses a plan whose item is locked and is not what the lock says.
    pub(crate) fn hold_lock(
        &self,
        call: &Call,
        trust: &Trust,
        plan: &Plan,
        demanded: bool,
    ) -> Result<Option<PathBuf>, EngineError> {
        let found = lock_of(plan);
        let mut held = None;
        // A lock of the project takes nothing from one of the operator.
        for (folder, keyring) in self.lock_folders(call, trust) {
            let files = files_of(&folder, &found.id);
            let exact = folder.join(found.file_name());
            let path = if files.contains(&exact) { Some(exact) } else { files.into_iter().next_back() };
            let Some(path) = path else { continue };
            let document = read(&path)?;
            compare(&path, &open(&path, &document, keyring)?, &found)?;
            held = held.or(Some(path));
        }
        match held {
            None if demanded => Err(LockError::Missing { item: found.item() }.into()),
            held => Ok(held),
        }
    }

    /// Where lock files are, and whose signatures count there. Those of an untrusted project do not count at all.
    fn lock_folders<'t>(&self, call: &Call, trust: &'t Trust) -> Vec<(PathBuf, &'t Keyring)> {
        let project = call.spaces.get(Space::Project).map(|root| root.path().join("locks"));
        let project = project.zip(trust.keyring(Space::Project).ok());
        let user = self.user_path().map(|path| path.join("locks")).zip(trust.keyring(Space::User).ok());
        project.into_iter().chain(user).collect()
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
        files: copy.and_then(|copy| copy.snapshot.as_ref()).map(Snapshot::digest),
    }
}

fn compare(path: &Path, lock: &Lock, found: &Lock) -> Result<(), LockError> {
    match lock.differences(found) {
        differences if differences.is_empty() => Ok(()),
        differences => Err(LockError::Mismatch { item: lock.item(), path: path.to_owned(), differences }),
    }
}

fn open(path: &Path, document: &SignedDocument<Lock>, keyring: &Keyring) -> Result<Lock, LockError> {
    let alleged = document.alleged_content();
    let statement = Statement::Lock { kind: alleged.kind, id: alleged.id.as_str() };
    match document.open(&statement, keyring) {
        Ok((lock, _)) => Ok(lock.clone()),
        Err(source) => Err(LockError::Document { path: path.to_owned(), source }),
    }
}

fn read(path: &Path) -> Result<SignedDocument<Lock>, LockError> {
    use std::io::Read as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let failed = |source| LockError::File { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    // A pipe would keep us waiting for somebody to write to it.
    let mut options = std::fs::File::options();
    let file =
        options.read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(failed(std::io::Error::other("it is not a regular file")));
    }
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    SignedDocument::parse(&bytes).map_err(|source| LockError::Document { path: path.to_owned(), source })
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let draft = path.with_extension(format!("{}.draft", std::process::id()));
    std::fs::write(&draft, bytes)?;
    std::fs::rename(&draft, path)
}

/// The lock files of an item, whatever the version, in the order of their names.
fn files_of(folder: &Path, id: &ItemId) -> Vec<PathBuf> {
    let prefix = format!("{}@", id.stem());
    let below = id.parent().map_or_else(|| folder.to_owned(), |parent| folder.join(parent));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(below).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) && name.ends_with(Lock::SUFFIX) {
            files.push(entry.path());
        }
    }
    files.sort();
    files
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => list(&entry.path(), files),
            Ok(kind) if kind.is_file() && entry.file_name().to_string_lossy().ends_with(Lock::SUFFIX) => {
                files.push(entry.path());
            }
            _ => {}
        }
    }
}
