//! What can go wrong in the engine, and the stable code of each.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use lillux::keys::KeyId;
use lillux::process::HandleError;
use rye_graph::driver::{GraphJournalError, GraphJournalErrorKind, WhyKept};
use rye_metadata::Problem;
use rye_plan::{ChainError, ChainIssue, FindError, PlanError, PlanErrorKind};
use rye_run::journal::{JournalError, RunId};
use rye_run::mask::MaskError;
use rye_run::runner::RunnerError;
use rye_run::secrets::{InvalidSecretName, SecretError};
use rye_trust::{DecisionError, KeyFolderError, Refusal, UntrustedProject, VerifyError};

use crate::{CatalogError, ErrorCode, LockError, TextItemError, next_step, secret_key_hint, trust_hint};
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
    /// There is no run of a graph of this id.
    #[error("there is no run of a graph `{id}`")]
    GraphRunNotFound {
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
    /// There is no help about a topic.
    #[error("there is no topic `{name}`")]
    TopicNotFound {
        /// What was asked for.
        name: String,
        /// Topics that look like it, the most likely first.
        similar: Vec<String>,
    },
    /// The file of a graph is wrong.
    #[error("`{item}` is not a graph that can be walked{}", lines(problems))]
    GraphInvalid {
        /// The graph.
        item: ItemRef,
        /// Everything that is wrong, with its place.
        problems: Vec<Problem>,
    },
    /// An item says that it may destroy something, and nobody has agreed to that.
    #[error("`{item}` may destroy something, and nobody has agreed to that")]
    NotAgreed {
        /// The item.
        item: ItemRef,
    },
    /// An item is no graph.
    #[error("`{item}` is not a graph")]
    NotAGraph {
        /// The item.
        item: ItemRef,
    },
    /// A graph has no node of that name.
    #[error("`{item}` has no node `{node}`")]
    NoSuchNode {
        /// The graph.
        item: ItemRef,
        /// The name.
        node: String,
    },
    /// A graph is a step of itself, or graphs are steps of each other for too long.
    #[error("graphs may not be steps of each other without end: {}", path.join(" -> "))]
    GraphCycle {
        /// The graphs, the outermost first.
        path: Vec<String>,
    },
    /// The journal of a graph's run cannot be used.
    #[error(transparent)]
    GraphJournal(#[from] GraphJournalError),
    /// A run of a graph is over.
    #[error("run `{id}` is over: it is {status}")]
    GraphRunOver {
        /// The run.
        id: String,
        /// How it stands.
        status: rye_graph::driver::RunStatus,
    },
    /// A run of a graph was to be removed, and is still there.
    #[error("run `{id}` is kept: {why}")]
    GraphRunKept {
        /// The run.
        id: String,
        /// Why.
        why: WhyKept,
    },
    /// A run of a graph has no question that an answer could be for.
    #[error("run `{id}` does not ask for {wanted}")]
    NoQuestion {
        /// The run.
        id: String,
        /// What was to be answered.
        wanted: String,
        /// The questions that there are, by step.
        open: Vec<String>,
    },
    /// There is no user space, because there is no home folder.
    #[error("there is no user space: neither HOME nor USER_SPACE is set")]
    NoUserSpace,
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
            Self::NoSuchPart { .. } | Self::NothingMatches { .. } | Self::TopicNotFound { .. } => {
                ErrorCode::ItemNotFound
            }
            Self::IdTaken { .. } => ErrorCode::AlreadyExists,
            Self::Store(error) if error.already_exists() => ErrorCode::AlreadyExists,
            Self::Read(_) | Self::Store(_) => ErrorCode::ItemUnreadable,
            Self::Chain(error) => first_issue(error).map_or(ErrorCode::MetadataInvalid, ErrorCode::of_issue),
            Self::Refused(error) => ErrorCode::of_refusal(error.refusal()),
            Self::Plan(error) => ErrorCode::of_plan(&error.kind),
            Self::Run(RunnerError::Spawn(_)) | Self::NoDescriptor(_) => ErrorCode::SpawnFailed,
            Self::Text(TextItemError::Missing { .. })
            | Self::InvalidPattern { .. }
            | Self::NothingToStart { .. }
            | Self::NoSuchNode { .. }
            | Self::GraphRunOver { .. }
            | Self::GraphRunKept { .. }
            | Self::NoQuestion { .. } => ErrorCode::ParamsInvalid,
            Self::Text(_) | Self::Lock(LockError::Version { .. }) => ErrorCode::MetadataInvalid,
            Self::Lock(_) => ErrorCode::LockMismatch,
            Self::Secret(error) => ErrorCode::of_secret(error),
            Self::SecretName(_) | Self::Mask(_) => ErrorCode::SecretUnusable,
            Self::Journal(_)
            | Self::HandOver { .. }
            | Self::RunLog { .. }
            | Self::Run(RunnerError::Output { .. }) => ErrorCode::RecordsUnusable,
            Self::Run(_) => ErrorCode::HttpFailed,
            Self::RunNotFound { .. } | Self::GraphRunNotFound { .. } => ErrorCode::RunNotFound,
            Self::RunAmbiguous { .. } => ErrorCode::RunAmbiguous,
            Self::NotCancelled { .. } => ErrorCode::Timeout,
            Self::Supervisor(_) | Self::NotAgreed { .. } => ErrorCode::PermissionDenied,
            Self::GraphInvalid { .. } | Self::NotAGraph { .. } | Self::GraphCycle { .. } => {
                ErrorCode::GraphInvalid
            }
            Self::GraphJournal(error) => match error.kind() {
                GraphJournalErrorKind::NotFound => ErrorCode::RunNotFound,
                _ => ErrorCode::RecordsUnusable,
            },
            Self::Keys(_) => ErrorCode::KeysUnusable,
            Self::SigningKeyUntrusted { .. } => ErrorCode::KeyUntrusted,
            Self::UntrustedProject(_) => ErrorCode::ProjectUntrusted,
        }
    }

    /// What to do about it, if its own words do not tell.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        self.special_hint().or_else(|| next_step::of_error(self))
    }

    fn special_hint(&self) -> Option<String> {
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
            Self::NoProject { .. } => Some("run `rye init`, or name a project with `--project`".to_owned()),
            Self::NoUserSpace => Some("set HOME or USER_SPACE".to_owned()),
            Self::Secret(SecretError::Missing { names, .. }) => {
                let commands: Vec<_> = names.iter().map(|name| format!("`rye secret set {name}`")).collect();
                Some(format!("run {}", commands.join(" and ")))
            }
            Self::Secret(SecretError::Key(error)) => secret_key_hint::of_error(error),
            Self::RunNotFound { .. } => Some("run `rye runs` to see which there are".to_owned()),
            Self::GraphRunNotFound { .. } => Some("run `rye graph runs` to see which there are".to_owned()),
            Self::RunAmbiguous { runs, .. } => {
                let ids: Vec<_> = runs.iter().map(|id| format!("`{id}`")).collect();
                Some(format!("type more of it: {}", ids.join(", ")))
            }
            Self::TopicNotFound { similar, .. } if !similar.is_empty() => {
                let names: Vec<_> = similar.iter().map(|name| format!("`rye help {name}`")).collect();
                Some(format!("did you mean {}?", names.join(", ")))
            }
            Self::TopicNotFound { .. } => Some("run `rye help` to see which there are".to_owned()),
            Self::NoQuestion { open, .. } if !open.is_empty() => {
                Some(format!("it waits for an answer about {}", open.join(", ")))
            }
            Self::GraphRunKept { id, why: WhyKept::Unfinished } => {
                Some(format!("`rye graph cancel {id}` ends it, and `rye graph resume {id}` goes on"))
            }
            Self::GraphInvalid { item, .. } => Some(format!("`rye graph validate {}` checks it", item.id)),
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
        ChainIssue::ExecutorNotFound { similar, executor, .. } => Some(hint_for_missing(executor, similar)),
        ChainIssue::HelperUnusable { helper: id, source: FindError::Locate(error), .. }
        | ChainIssue::ServerUnusable { server: id, source: FindError::Locate(error), .. } => {
            match error.kind() {
                LocateErrorKind::NotFound { similar, .. } => Some(hint_for_missing(id, similar)),
                _ => None,
            }
        }
        ChainIssue::Server { .. } => Some("execute one of its tools; `rye mcp list` shows them".to_owned()),
        ChainIssue::SpaceViolation { executor, space, .. } => {
            Some(format!("copy `{executor}` to the {space} space with `rye load {executor} --to {space}`"))
        }
        ChainIssue::Refused(_) => trust_hint::of_issues(std::slice::from_ref(issue)),
        ChainIssue::Library { .. } => Some("execute a tool that imports it".to_owned()),
        ChainIssue::Metadata { .. } => {
            Some("run `rye help tools` to see how a file says what it is".to_owned())
        }
        _ => None,
    }
}

/// How to find something that is not there under its name.
fn hint_for_missing(id: &ItemId, similar: &[ItemId]) -> String {
    match similar {
        [] => format!("run `rye search {}` to look for it", id.stem()),
        some => {
            let names: Vec<_> = some.iter().map(|id| format!("`{id}`")).collect();
            format!("did you mean {}?", names.join(", "))
        }
    }
}

/// Whether files differ in nothing but their extensions, so that no path tells one from the other.
fn have_one_id(files: &[PathBuf]) -> bool {
    let mut ids = files.iter().map(|file| file.with_extension(""));
    let first = ids.next();
    ids.all(|id| Some(id) == first)
}

/// Problems of a file, one a line.
fn lines(problems: &[Problem]) -> String {
    problems.iter().flat_map(|problem| ["\n  ".to_owned(), problem.to_string()]).collect()
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
