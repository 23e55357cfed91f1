//! Which projects the operator trusts, and with what.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use lillux::Digest;
use lillux::clock::Timestamp;
use lillux::keys::KeyId;
use lillux::stored_file::{self, Access, StoredFileError};
use rustix::fs::{AtFlags, StatxFlags, statx};
use serde::{Deserialize, Serialize};

/// What a project brings along that would have power over what runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectOffer {
    /// Keys whose signatures would count for its items.
    pub keys: BTreeSet<KeyId>,
    /// Folders below it that hold interpreters.
    pub interpreters: BTreeSet<String>,
    /// Variables that its `.env` files set.
    pub variables: BTreeSet<String>,
}

impl ProjectOffer {
    /// Whether there is nothing to decide about.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.interpreters.is_empty() && self.variables.is_empty()
    }
}

/// A decision of the operator to trust a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectDecision {
    /// The project's folder, without links on the way.
    pub path: PathBuf,
    /// When it was decided.
    pub trusted_at: Timestamp,
    /// What the operator was shown.
    pub offer: ProjectOffer,
    folder: FolderMark,
}

/// What tells a folder from another one that takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FolderMark {
    inode: u64,
    born: Option<(i64, u32)>,
}

/// Why the items of a project may not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the project `{}` is not trusted", path.display())]
pub struct UntrustedProject {
    /// The project's folder.
    pub path: PathBuf,
    /// Why it is not.
    #[source]
    pub reason: UntrustedReason,
}

/// Why a project is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UntrustedReason {
    /// Nobody has said so.
    #[error("nobody has decided to trust it")]
    Undecided,
    /// Another folder was trusted at this path.
    #[error("it is another folder than the one that was trusted on {trusted_at}")]
    Replaced {
        /// When that was.
        trusted_at: Timestamp,
    },
    /// It has more power than the operator knew.
    #[error("since it was trusted on {trusted_at}, it brings {more}")]
    BringsMore {
        /// When that was.
        trusted_at: Timestamp,
        /// What is new.
        more: ProjectOffer,
    },
    /// The decisions cannot be read, so none counts.
    #[error("the decisions about projects cannot be read: {message}")]
    Unreadable {
        /// What is wrong.
        message: String,
    },
}

/// Decisions that cannot be read or kept.
#[derive(Debug, thiserror::Error)]
#[error("cannot use `{}`", path.display())]
pub struct DecisionError {
    path: PathBuf,
    #[source]
    kind: DecisionErrorKind,
}

#[derive(Debug, thiserror::Error)]
enum DecisionErrorKind {
    #[error(transparent)]
    File(#[from] StoredFileError),
    #[error("it has not the form of a decision")]
    Syntax(#[from] serde_json::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Where the operator's decisions about projects are kept: `trust` in the user space.
#[derive(Debug, Clone)]
pub struct ProjectDecisions {
    folder: PathBuf,
}

impl ProjectDecisions {
    /// The decisions that are kept in a user space.
    #[must_use]
    pub fn of(user_space: &Path) -> Self {
        Self { folder: user_space.join("trust") }
    }

    /// Asks whether a project is trusted, with what it brings today.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(&self, project: &Path, offer: &ProjectOffer) -> Result<ProjectDecision, UntrustedProject> {
        let untrusted = |reason| UntrustedProject { path: project.to_owned(), reason };
        let unreadable = |error: &dyn std::error::Error| {
            let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
            untrusted(UntrustedReason::Unreadable { message: format!("{error}{cause}") })
        };
        let path = project.canonicalize().map_err(|error| unreadable(&error))?;
        let decision = read(&self.file(&path)).map_err(|error| unreadable(&error))?;
        let Some(decision) = decision.filter(|decision| decision.path == path) else {
            return Err(untrusted(UntrustedReason::Undecided));
        };
        let trusted_at = decision.trusted_at;
        if FolderMark::of(&path).map_err(|error| unreadable(&error))? != decision.folder {
            return Err(untrusted(UntrustedReason::Replaced { trusted_at }));
        }
        let more = offer.without(&decision.offer);
        if more != ProjectOffer::default() {
            return Err(untrusted(UntrustedReason::BringsMore { trusted_at, more }));
        }
        Ok(decision)
    }

    /// Keeps the decision to trust a project with what the operator was shown.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn trust(
        &self,
        project: &Path,
        offer: ProjectOffer,
        now: Timestamp,
    ) -> Result<ProjectDecision, DecisionError> {
        let failed = |path: &Path, kind| DecisionError { path: path.to_owned(), kind };
        let path = project.canonicalize().map_err(|error| failed(project, error.into()))?;
        let folder = FolderMark::of(&path).map_err(|error| failed(&path, error.into()))?;
        let file = self.file(&path);
        let decision = ProjectDecision { path, trusted_at: now.whole_seconds(), offer, folder };
        let mut text = serde_json::to_vec_pretty(&decision).map_err(|error| failed(&file, error.into()))?;
        text.push(b'\n');
        stored_file::replace(&file, &text, Access::Private).map_err(|error| failed(&file, error.into()))?;
        Ok(decision)
    }

    /// Takes a decision back. Tells whether there was one.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn revoke(&self, project: &Path) -> Result<bool, DecisionError> {
        let path = project.canonicalize().unwrap_or_else(|_| project.to_owned());
        let file = self.file(&path);
        match std::fs::remove_file(&file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(DecisionError { path: file, kind: error.into() }),
        }
    }

    /// All decisions, by path.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn list(&self) -> Result<Vec<ProjectDecision>, DecisionError> {
        let failed = |error: io::Error| DecisionError { path: self.folder.clone(), kind: error.into() };
        let entries = match std::fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut decisions = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                decisions.extend(read(&path)?);
            }
        }
        decisions.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(decisions)
    }

    fn file(&self, project: &Path) -> PathBuf {
        let name = Digest::of(project.as_os_str().as_encoded_bytes());
        self.folder.join(format!("{name}.json"))
    }
}

impl ProjectOffer {
    /// What is in this offer and not in the other.
    fn without(&self, other: &Self) -> Self {
        fn rest<T: Clone + Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> BTreeSet<T> {
            one.difference(other).cloned().collect()
        }
        Self {
            keys: rest(&self.keys, &other.keys),
            interpreters: rest(&self.interpreters, &other.interpreters),
            variables: rest(&self.variables, &other.variables),
        }
    }
}

impl std::fmt::Display for ProjectOffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |word: &str, names: Vec<String>| match names.len() {
            0 => None,
            1 => Some(format!("{word} {}", names[0])),
            _ => Some(format!("{word}s {}", names.join(", "))),
        };
        let parts = [
            list("the key", self.keys.iter().map(ToString::to_string).collect()),
            list(
                "the interpreter folder",
                self.interpreters.iter().map(|path| format!("`{path}`")).collect(),
            ),
            list("the variable", self.variables.iter().cloned().collect()),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        f.write_str(if parts.is_empty() { "nothing" } else { "" })?;
        f.write_str(&parts.join(", "))
    }
}

impl FolderMark {
    fn of(path: &Path) -> io::Result<Self> {
        let folder = File::open(path)?;
        let facts = statx(&folder, "", AtFlags::EMPTY_PATH, StatxFlags::INO | StatxFlags::BTIME)?;
        let has_birth = facts.stx_mask & StatxFlags::BTIME.bits() != 0;
        let born = has_birth.then_some((facts.stx_btime.tv_sec, facts.stx_btime.tv_nsec));
        Ok(Self { inode: facts.stx_ino, born })
    }
}

fn read(file: &Path) -> Result<Option<ProjectDecision>, DecisionError> {
    let failed = |kind| DecisionError { path: file.to_owned(), kind };
    match stored_file::read(file, Access::Private) {
        Err(StoredFileError::NotFound) => Ok(None),
        Err(error) => Err(failed(error.into())),
        Ok(text) => Ok(Some(serde_json::from_slice(&text).map_err(|error| failed(error.into()))?)),
    }
}
