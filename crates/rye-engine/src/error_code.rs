//! The stable names of everything that can go wrong.

use rye_env::{EnvError, EnvProblem, InterpreterErrorKind};
use rye_item::LocateErrorKind;
use rye_plan::{ChainIssue, CopyError, FindError, PlanErrorKind};
use rye_run::runner::Failure;
use rye_run::secrets::SecretError;
use rye_trust::snapshot::SnapshotErrorKind;
use rye_trust::{Refusal, SealError};

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
    /// The process is not ours to end, or an item is not ours to execute.
    PermissionDenied,
    /// The file of a graph is wrong.
    GraphInvalid,
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
            Self::GraphInvalid => "GRAPH_INVALID",
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
            ChainIssue::ExecutorUnusable { source, .. }
            | ChainIssue::HelperUnusable { source, .. }
            | ChainIssue::ServerUnusable { source, .. } => Self::of_find(source),
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

    pub(crate) fn of_locate(kind: &LocateErrorKind) -> Self {
        match kind {
            LocateErrorKind::NotFound { .. } => Self::ItemNotFound,
            LocateErrorKind::Ambiguous { .. } => Self::ItemAmbiguous,
            _ => Self::ItemUnreadable,
        }
    }

    pub(crate) fn of_plan(kind: &PlanErrorKind) -> Self {
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

    pub(crate) fn of_secret(error: &SecretError) -> Self {
        if matches!(error, SecretError::Missing { .. }) { Self::SecretMissing } else { Self::SecretUnusable }
    }
}

fn is_interpreter_missing(error: &EnvError) -> bool {
    let is_missing = |problem: &EnvProblem| matches!(problem, EnvProblem::Interpreter(error) if matches!(error.kind, InterpreterErrorKind::NotFound { .. }));
    error.problems().iter().any(is_missing)
}
