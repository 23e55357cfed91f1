//! What can go wrong in the engine, and the stable code of each.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use lillux::keys::KeyId;
use lillux::process::HandleError;
use rye_env::{EnvError, EnvProblem, InterpreterErrorKind};
use rye_plan::{ChainError, ChainIssue, CopyError, FindError, PlanError, PlanErrorKind};
use rye_run::journal::{JournalError, RunId};
use rye_run::mask::MaskError;
use rye_run::runner::{Failure, RunnerError};
use rye_run::secrets::{InvalidSecretName, SecretError};
use rye_trust::snapshot::SnapshotErrorKind;
use rye_trust::{DecisionError, KeyFolderError, Refusal, SealError, UntrustedProject, VerifyError};

use crate::{CatalogError, LockError, TextItemError, trust_hint};
use rye_item::{
    InvalidId, ItemId, ItemKind, ItemRef, LayoutError, LocateError, LocateErrorKind, ReadError, SpaceError,
    StoreError,
};

/// A call that could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The id has not the form of one.
    #[error(transparent)]
    InvalidId(#[from] InvalidId),
    /// A space cannot be used.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// The item is not there, or not for certain.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The item cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The item cannot be copied.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The bundle cannot be laid out.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// What is in a space cannot be put into an index.
    #[error("cannot search")]
    Catalog(#[from] CatalogError),
    /// The item has not the part that was asked for.
    #[error("{kind} `{id}` has no {part}")]
    NoSuchPart {
        /// Its kind.
        kind: ItemKind,
        /// Its id.
        id: ItemId,
        /// The part.
        part: &'static str,
    },
    /// A file of the same id and another extension is where the copy would go.
    #[error("`{path}` has that id already")]
    IdTaken {
        /// The file.
        path: PathBuf,
    },
    /// There is no project to copy to.
    #[error("`{start}` is not in a project: no folder above it has `.ai`")]
    NoProject {
        /// Where the search began.
        start: PathBuf,
    },
    /// A chain may not run.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// An item may not be used.
    #[error(transparent)]
    Refused(Arc<VerifyError>),
    /// There is no plan for a chain.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A plan could not be carried out.
    #[error(transparent)]
    Run(#[from] RunnerError),
    /// A text cannot be given.
    #[error(transparent)]
    Text(#[from] TextItemError),
    /// An item is locked, and is not what the lock says.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A secret cannot be given.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// A tool asks for a secret by a name that none can have.
    #[error(transparent)]
    SecretName(#[from] InvalidSecretName),
    /// The secrets cannot be masked.
    #[error(transparent)]
    Mask(#[from] MaskError),
    /// The records of runs cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// There is no run of this id.
    #[error("there is no run `{id}`")]
    RunNotFound {
        /// The id, or its beginning.
        id: String,
    },
    /// Several ids begin so.
    #[error("the ids of several runs begin with `{prefix}`")]
    RunAmbiguous {
        /// The beginning.
        prefix: String,
        /// Some of the runs.
        runs: Vec<RunId>,
    },
    /// A run does not end, although somebody asked for it.
    #[error("run `{id}` goes on: process {pid}, which watches over it, does not answer")]
    NotCancelled {
        /// The run.
        id: RunId,
        /// The process.
        pid: u32,
    },
    /// The supervisor of a run cannot be ended.
    #[error(transparent)]
    Supervisor(#[from] HandleError),
    /// A text cannot be started in the background.
    #[error("`{item}` is a text: there is nothing in it that could run on its own")]
    NothingToStart {
        /// The item.
        item: ItemRef,
    },
    /// A run cannot be handed over to another process.
    #[error("cannot hand the run over in `{}`", folder.display())]
    HandOver {
        /// The folder of the run.
        folder: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The output of a run cannot be read.
    #[error("cannot read the output in `{}`", path.display())]
    RunLog {
        /// Its file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The process has too many files open.
    #[error("there is no descriptor left")]
    NoDescriptor(#[source] io::Error),
    /// The operator's keys cannot be used.
    #[error(transparent)]
    Keys(#[from] KeyFolderError),
    /// A decision about a project cannot be kept or removed.
    #[error(transparent)]
    Decision(#[from] DecisionError),
    /// The project has to be trusted for this.
    #[error(transparent)]
    UntrustedProject(#[from] UntrustedProject),
    /// What would be signed would not count.
    #[error("the signing key {key} is not trusted, so that its signatures would not count")]
    SigningKeyUntrusted {
        /// The key.
        key: KeyId,
    },
    /// No item matches a pattern.
    #[error("no item matches `{pattern}`")]
    NothingMatches {
        /// The pattern.
        pattern: String,
    },
    /// A pattern is none.
    #[error("that is not a pattern: {message}")]
    InvalidPattern {
        /// What is wrong with it.
        message: String,
    },
    /// There is no user space, because there is no home folder.
    #[error("there is no user space: neither HOME nor USER_SPACE is set")]
    NoUserSpace,
}

/// A stable name for what went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// There is no such item.
    ItemNotFound,
    /// Several files answer to one id.
    ItemAmbiguous,
    /// The id has not the form of one.
    InvalidId,
    /// The item's file cannot be used: a link, a device, too large, unreadable.
    ItemUnreadable,
    /// A space cannot be used.
    SpaceUnusable,
    /// What is there is not overwritten.
    AlreadyExists,
    /// What an item says about itself is wrong.
    MetadataInvalid,
    /// An item is not signed.
    Unsigned,
    /// An item's signature is wrong, or is for another content.
    SignatureInvalid,
    /// An item is signed with a key that does not count.
    KeyUntrusted,
    /// The project is not trusted.
    ProjectUntrusted,
    /// A file beside the tool is not as it was signed.
    DependencyUnverified,
    /// The chain is not the one that was locked.
    LockMismatch,
    /// The executor of an item is not there.
    ExecutorNotFound,
    /// The chain comes back to where it was.
    ChainCycle,
    /// The chain is too long.
    ChainTooDeep,
    /// An item builds on one of a space that it may not use.
    SpaceViolation,
    /// An item claims to be a primitive that there is not.
    PrimitiveUnknown,
    /// An executor does not take an item of this version.
    VersionConstraint,
    /// An executor needs more than the item gives.
    IoMismatch,
    /// An interpreter is nowhere to be found.
    InterpreterNotFound,
    /// The environment cannot be made as it is declared.
    EnvironmentInvalid,
    /// The configuration of a chain cannot be filled in.
    TemplateInvalid,
    /// The parameters are wrong.
    ParamsInvalid,
    /// A secret that the tool needs is not there.
    SecretMissing,
    /// A secret cannot be used.
    SecretUnusable,
    /// The operator's keys cannot be used.
    KeysUnusable,
    /// The program could not be started.
    SpawnFailed,
    /// There was no answer to a request.
    HttpFailed,
    /// It took longer than it may.
    Timeout,
    /// Somebody stopped it.
    Cancelled,
    /// The tool said that it failed.
    ToolFailed,
    /// The tool wrote more than it may.
    OutputLimit,
    /// There is no such run.
    RunNotFound,
    /// Several runs answer to one beginning of an id.
    RunAmbiguous,
    /// The records of runs cannot be used.
    RecordsUnusable,
    /// The process is not ours to end.
    PermissionDenied,
}

impl ErrorCode {
    /// The code as it is printed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ItemNotFound => "ITEM_NOT_FOUND",
            Self::ItemAmbiguous => "ITEM_AMBIGUOUS",
            Self::InvalidId => "INVALID_ID",
            Self::ItemUnreadable => "ITEM_UNREADABLE",
            Self::SpaceUnusable => "SPACE_UNUSABLE",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::MetadataInvalid => "METADATA_INVALID",
            Self::Unsigned => "UNSIGNED",
            Self::SignatureInvalid => "SIGNATURE_INVALID",
            Self::KeyUntrusted => "KEY_UNTRUSTED",
            Self::ProjectUntrusted => "PROJECT_UNTRUSTED",
            Self::DependencyUnverified => "DEPENDENCY_UNVERIFIED",
            Self::LockMismatch => "LOCK_MISMATCH",
            Self::ExecutorNotFound => "EXECUTOR_NOT_FOUND",
            Self::ChainCycle => "CHAIN_CYCLE",
            Self::ChainTooDeep => "CHAIN_TOO_DEEP",
            Self::SpaceViolation => "SPACE_VIOLATION",
            Self::PrimitiveUnknown => "PRIMITIVE_UNKNOWN",
            Self::VersionConstraint => "VERSION_CONSTRAINT",
            Self::IoMismatch => "IO_MISMATCH",
            Self::InterpreterNotFound => "INTERPRETER_NOT_FOUND",
            Self::EnvironmentInvalid => "ENVIRONMENT_INVALID",
            Self::TemplateInvalid => "TEMPLATE_INVALID",
            Self::ParamsInvalid => "PARAMS_INVALID",
            Self::SecretMissing => "SECRET_MISSING",
            Self::SecretUnusable => "SECRET_UNUSABLE",
            Self::KeysUnusable => "KEYS_UNUSABLE",
            Self::SpawnFailed => "SPAWN_FAILED",
            Self::HttpFailed => "HTTP_FAILED",
            Self::Timeout => "TIMEOUT",
            Self::Cancelled => "CANCELLED",
            Self::ToolFailed => "TOOL_FAILED",
            Self::OutputLimit => "OUTPUT_LIMIT",
            Self::RunNotFound => "RUN_NOT_FOUND",
            Self::RunAmbiguous => "RUN_AMBIGUOUS",
            Self::RecordsUnusable => "RECORDS_UNUSABLE",
            Self::PermissionDenied => "PERMISSION_DENIED",
        }
    }

    /// The code of a tool that failed.
    #[must_use]
    pub fn of_failure(failure: Failure) -> Self {
        match failure {
            Failure::TimedOut { .. } => Self::Timeout,
            Failure::Cancelled => Self::Cancelled,
            Failure::OutputLimit { .. } => Self::OutputLimit,
            Failure::Exit { .. } | Failure::Signal { .. } | Failure::Status { .. } => Self::ToolFailed,
        }
    }

    /// The code of an item that may not run.
    #[must_use]
    pub fn of_refusal(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::Unsigned => Self::Unsigned,
            Refusal::Seal(SealError::UnknownKey { .. } | SealError::RevokedKey { .. }) => Self::KeyUntrusted,
            Refusal::Project(_) => Self::ProjectUntrusted,
            _ => Self::SignatureInvalid,
        }
    }

    /// The code of what keeps a chain from running.
    #[must_use]
    pub fn of_issue(issue: &ChainIssue) -> Self {
        match issue {
            ChainIssue::Refused(error) => Self::of_refusal(error.refusal()),
            ChainIssue::ExecutorNotFound { .. } => Self::ExecutorNotFound,
            ChainIssue::ExecutorUnusable { source, .. } => Self::of_find(source),
            ChainIssue::SpaceViolation { .. } => Self::SpaceViolation,
            ChainIssue::Cycle { .. } => Self::ChainCycle,
            ChainIssue::TooDeep { .. } => Self::ChainTooDeep,
            ChainIssue::PrimitiveUnknown { .. } => Self::PrimitiveUnknown,
            ChainIssue::Version { .. } => Self::VersionConstraint,
            ChainIssue::Ports { .. } => Self::IoMismatch,
            _ => Self::MetadataInvalid,
        }
    }

    pub(crate) fn of_find(error: &FindError) -> Self {
        match error {
            FindError::Locate(error) => Self::of_locate(error.kind()),
            FindError::Read(_) => Self::ItemUnreadable,
        }
    }

    fn of_locate(kind: &LocateErrorKind) -> Self {
        match kind {
            LocateErrorKind::NotFound { .. } => Self::ItemNotFound,
            LocateErrorKind::Ambiguous { .. } => Self::ItemAmbiguous,
            _ => Self::ItemUnreadable,
        }
    }

    fn of_plan(kind: &PlanErrorKind) -> Self {
        match kind {
            PlanErrorKind::Parameters(_) | PlanErrorKind::Unreadable(_) => Self::ParamsInvalid,
            PlanErrorKind::Schema(_) => Self::MetadataInvalid,
            PlanErrorKind::Environment(error) if is_interpreter_missing(error) => Self::InterpreterNotFound,
            PlanErrorKind::Environment(_) => Self::EnvironmentInvalid,
            PlanErrorKind::Copy(CopyError::Snapshot(error)) => match error.kind() {
                SnapshotErrorKind::Store { .. } | SnapshotErrorKind::Files(_) => Self::SpaceUnusable,
                _ => Self::DependencyUnverified,
            },
            PlanErrorKind::Copy(CopyError::Entry { .. }) => Self::DependencyUnverified,
            PlanErrorKind::Copy(CopyError::Untrusted(_)) => Self::ProjectUntrusted,
            PlanErrorKind::Copy(_) => Self::SpaceUnusable,
            _ => Self::TemplateInvalid,
        }
    }

    fn of_secret(error: &SecretError) -> Self {
        if matches!(error, SecretError::Missing { .. }) { Self::SecretMissing } else { Self::SecretUnusable }
    }
}

fn is_interpreter_missing(error: &EnvError) -> bool {
    let is_missing = |problem: &EnvProblem| matches!(problem, EnvProblem::Interpreter(error) if matches!(error.kind, InterpreterErrorKind::NotFound { .. }));
    error.problems().iter().any(is_missing)
}

impl EngineError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::InvalidId(_) => ErrorCode::InvalidId,
            Self::Space(_)
            | Self::NoProject { .. }
            | Self::NoUserSpace
            | Self::Catalog(_)
            | Self::Layout(_)
            | Self::Decision(_) => ErrorCode::SpaceUnusable,
            Self::Locate(error) => ErrorCode::of_locate(error.kind()),
            Self::NoSuchPart { .. } | Self::NothingMatches { .. } => ErrorCode::ItemNotFound,
            Self::IdTaken { .. } => ErrorCode::AlreadyExists,
            Self::Store(error) if error.already_exists() => ErrorCode::AlreadyExists,
            Self::Read(_) | Self::Store(_) => ErrorCode::ItemUnreadable,
            Self::Chain(error) => first_issue(error).map_or(ErrorCode::MetadataInvalid, ErrorCode::of_issue),
            Self::Refused(error) => ErrorCode::of_refusal(error.refusal()),
            Self::Plan(error) => ErrorCode::of_plan(&error.kind),
            Self::Run(RunnerError::Spawn(_)) | Self::NoDescriptor(_) => ErrorCode::SpawnFailed,
            Self::Text(TextItemError::Missing { .. })
            | Self::InvalidPattern { .. }
            | Self::NothingToStart { .. } => ErrorCode::ParamsInvalid,
            Self::Text(_) | Self::Lock(LockError::Version { .. }) => ErrorCode::MetadataInvalid,
            Self::Lock(_) => ErrorCode::LockMismatch,
            Self::Secret(error) => ErrorCode::of_secret(error),
            Self::SecretName(_) | Self::Mask(_) => ErrorCode::SecretUnusable,
            Self::Journal(_)
            | Self::HandOver { .. }
            | Self::RunLog { .. }
            | Self::Run(RunnerError::Output { .. }) => ErrorCode::RecordsUnusable,
            Self::Run(_) => ErrorCode::HttpFailed,
            Self::RunNotFound { .. } => ErrorCode::RunNotFound,
            Self::RunAmbiguous { .. } => ErrorCode::RunAmbiguous,
            Self::NotCancelled { .. } => ErrorCode::Timeout,
            Self::Supervisor(_) => ErrorCode::PermissionDenied,
            Self::Keys(_) => ErrorCode::KeysUnusable,
            Self::SigningKeyUntrusted { .. } => ErrorCode::KeyUntrusted,
            Self::UntrustedProject(_) => ErrorCode::ProjectUntrusted,
        }
    }

    /// What to do about it, if there is something.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Locate(error) => match error.kind() {
                LocateErrorKind::NotFound { similar, .. } if similar.is_empty() => {
                    Some(format!("run `rye search {}` to look for it", error.item().id.stem()))
                }
                LocateErrorKind::NotFound { similar, .. } if similar.contains(&error.item().id) => {
                    Some("another space has it: name that one, or none".to_owned())
                }
                LocateErrorKind::NotFound { similar, .. } => {
                    let ids: Vec<_> = similar.iter().map(|id| format!("`{id}`")).collect();
                    Some(format!("did you mean {}?", ids.join(", ")))
                }
                LocateErrorKind::Ambiguous { candidates, .. } if have_one_id(candidates) => {
                    Some("rename or remove all of them but one".to_owned())
                }
                LocateErrorKind::Ambiguous { .. } => {
                    Some("name it by its whole path, or rename one of them".to_owned())
                }
                LocateErrorKind::Link { .. } => Some("put a copy of the file there instead".to_owned()),
                _ => None,
            },
            Self::Plan(error) if matches!(*error.kind, PlanErrorKind::Parameters(_)) => {
                Some(format!("run `rye execute {} --help` to see its parameters", error.item.id))
            }
            Self::Chain(error) => match first_issue(error) {
                Some(ChainIssue::Refused(_)) => trust_hint::of_issues(&error.issues),
                issue => issue.and_then(hint_for_issue),
            },
            Self::Store(error) if error.already_exists() => Some("add `--force` to replace it".to_owned()),
            Self::IdTaken { .. } => Some("remove that file, or give it another name".to_owned()),
            Self::NoProject { .. } => {
                Some("make a folder `.ai` there, or name a project with `--project`".to_owned())
            }
            Self::NoUserSpace => Some("set HOME or USER_SPACE".to_owned()),
            Self::Secret(SecretError::Missing { names, .. }) => {
                let commands: Vec<_> = names.iter().map(|name| format!("`rye secret set {name}`")).collect();
                Some(format!("run {}", commands.join(" and ")))
            }
            Self::RunNotFound { .. } => Some("run `rye runs` to see which there are".to_owned()),
            Self::RunAmbiguous { runs, .. } => {
                let ids: Vec<_> = runs.iter().map(|id| format!("`{id}`")).collect();
                Some(format!("type more of it: {}", ids.join(", ")))
            }
            Self::NothingToStart { .. } => Some("leave out `--async`".to_owned()),
            other => trust_hint::of_error(other),
        }
    }
}

/// Of all issues of a chain the one to begin with: the one nearest to the item, but what is only not signed yet comes last,
/// because nothing is signed that could not run.
fn first_issue(error: &ChainError) -> Option<&ChainIssue> {
    let is_unsigned = |issue: &&ChainIssue| matches!(issue, ChainIssue::Refused(error) if matches!(error.refusal(), Refusal::Unsigned));
    error.issues.iter().find(|issue| !is_unsigned(issue)).or(error.issues.first())
}

/// What to do about something that keeps a chain from running, if there is something.
#[must_use]
pub fn hint_for_issue(issue: &ChainIssue) -> Option<String> {
    match issue {
        ChainIssue::ExecutorNotFound { similar, executor, .. } => Some(match similar.as_slice() {
            [] => format!("run `rye search {}` to look for it", executor.stem()),
            some => format!(
                "did you mean {}?",
                some.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
            ),
        }),
        ChainIssue::SpaceViolation { executor, space, .. } => {
            Some(format!("copy `{executor}` to the {space} space with `rye load {executor} --to {space}`"))
        }
        ChainIssue::Refused(_) => trust_hint::of_issues(std::slice::from_ref(issue)),
        ChainIssue::Library { .. } => Some("execute a tool that imports it".to_owned()),
        _ => None,
    }
}

/// Whether files differ in nothing but their extensions, so that no path tells one from the other.
fn have_one_id(files: &[PathBuf]) -> bool {
    let mut ids = files.iter().map(|file| file.with_extension(""));
    let first = ids.next();
    ids.all(|id| Some(id) == first)
}

/// An error with everything that caused it, in one line.
#[must_use]
pub fn with_sources(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", with_sources(source)),
        None => error.to_string(),
    }
}

impl From<FindError> for EngineError {
    fn from(error: FindError) -> Self {
        match error {
            FindError::Locate(error) => Self::Locate(error),
            FindError::Read(error) => Self::Read(error),
        }
    }
}
