//! What keeps a chain from running.

use std::path::PathBuf;
use std::sync::Arc;

use rye_item::{InvalidId, ItemId, ItemRef, Space};
use rye_metadata::Problem;
use rye_metadata::metadata::VersionConstraint;
use rye_trust::VerifyError;

use super::element::FindError;
use super::primitive::Primitive;

/// One thing that keeps a chain from running.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChainIssue {
    /// An item or its extractor may not be used.
    #[error("{}", with_cause(&**.0))]
    Refused(Arc<VerifyError>),
    /// What an item says about itself is wrong.
    #[error("{item} says something about itself that cannot be: {}", problems.iter().map(describe).collect::<Vec<_>>().join("; "))]
    Metadata {
        /// The item.
        item: ItemRef,
        /// What is wrong.
        problems: Vec<Problem>,
    },
    /// An item that others import was asked to run.
    #[error("{item} is a library: others import it, and nothing executes it")]
    Library {
        /// The item.
        item: ItemRef,
    },
    /// An item that describes a server was asked to run.
    #[error("{item} describes a server: tools are called through it, and nothing executes it")]
    Server {
        /// The item.
        item: ItemRef,
    },
    /// An item does not say who executes it.
    #[error("{item} does not say who executes it")]
    NoExecutor {
        /// The item.
        item: ItemRef,
    },
    /// What it says is no id.
    #[error("the executor of {item} is not an id: {source}")]
    InvalidExecutor {
        /// The item.
        item: ItemRef,
        /// Why not.
        source: InvalidId,
    },
    /// The executor is nowhere to be found.
    #[error("{item} ({space}) is executed by `{executor}`, which is not in {}", places(searched))]
    ExecutorNotFound {
        /// Who asked for it.
        item: ItemRef,
        /// The space of that item.
        space: Space,
        /// The executor.
        executor: ItemId,
        /// Where it was looked for.
        searched: Vec<PathBuf>,
        /// Ids that look like it.
        similar: Vec<ItemId>,
    },
    /// The executor cannot be read, or several files answer to its id.
    #[error("the executor `{executor}` of {item} cannot be used: {}", with_cause(source))]
    ExecutorUnusable {
        /// Who asked for it.
        item: ItemRef,
        /// The executor.
        executor: ItemId,
        /// Why.
        source: FindError,
    },
    /// What it names as the helper of its worker is no id.
    #[error("the helper of the worker of {item} is not an id: {source}")]
    InvalidHelper {
        /// The item.
        item: ItemRef,
        /// Why not.
        source: InvalidId,
    },
    /// The helper of a worker is not there, cannot be read, or several files answer to its id.
    #[error("the helper `{helper}` of the worker of {item} cannot be used: {}", with_cause(source))]
    HelperUnusable {
        /// Who asked for it.
        item: ItemRef,
        /// The helper.
        helper: ItemId,
        /// Why.
        source: FindError,
    },
    /// What it names as its server is no id.
    #[error("the server of {item} is not an id: {source}")]
    InvalidServer {
        /// The item.
        item: ItemRef,
        /// Why not.
        source: InvalidId,
    },
    /// The server of a tool is not there, cannot be read, or several files answer to its id.
    #[error("the server `{server}` of {item} cannot be used: {}", with_cause(source))]
    ServerUnusable {
        /// Who asked for it.
        item: ItemRef,
        /// The server.
        server: ItemId,
        /// Why.
        source: FindError,
    },
    /// What a tool names as its server describes none.
    #[error("the server of {item} is {server}, whose `tool_type` is not `mcp_server`")]
    NotAServer {
        /// Who asked for it.
        item: ItemRef,
        /// What it names.
        server: ItemRef,
    },
    /// An item builds on one that may change under it.
    #[error(
        "{item} is in the {space} space and cannot be executed by `{executor}` of the {executor_space} space"
    )]
    SpaceViolation {
        /// The item.
        item: ItemRef,
        /// Its space.
        space: Space,
        /// The executor.
        executor: ItemId,
        /// The executor's space.
        executor_space: Space,
    },
    /// The chain comes back to where it was.
    #[error("the chain never ends: {}", path.join(" -> "))]
    Cycle {
        /// The items on the way, the repeated one at both ends.
        path: Vec<String>,
    },
    /// The chain is too long.
    #[error("the chain has more than {} elements: {}", Self::MAX_DEPTH, path.join(" -> "))]
    TooDeep {
        /// The items on the way.
        path: Vec<String>,
    },
    /// An item claims to be a primitive that there is not.
    #[error("{item} has no executor, so it has to be a primitive, and there is none of that name: there are {}", Primitive::NAMES.map(|(name, _)| format!("`primitives/{name}`")).join(", "))]
    PrimitiveUnknown {
        /// The item.
        item: ItemRef,
    },
    /// An executor does not take an item of this version.
    #[error("`{executor}` executes {item} only in {}, and it is {}", constraint_in_words(constraint), version.as_deref().unwrap_or("without a version"))]
    Version {
        /// The executor.
        executor: ItemId,
        /// The item.
        item: ItemRef,
        /// What the executor demands.
        constraint: VersionConstraint,
        /// The item's version.
        version: Option<String>,
    },
    /// An executor needs more than the item gives.
    #[error("`{executor}` needs {} from {item}, which does not have it among its outputs", missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))]
    Ports {
        /// The executor.
        executor: ItemId,
        /// The item.
        item: ItemRef,
        /// What is missing.
        missing: Vec<String>,
    },
}

impl ChainIssue {
    /// The most elements that a chain has.
    pub const MAX_DEPTH: usize = 10;
}

fn describe(problem: &Problem) -> String {
    let place = problem.position.map(|position| format!(" (line {})", position.line)).unwrap_or_default();
    format!("`{}` {}{place}", problem.field, problem.message)
}

fn places(searched: &[PathBuf]) -> String {
    match searched {
        [] => "any space".to_owned(),
        some => some.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(", "),
    }
}

fn constraint_in_words(constraint: &VersionConstraint) -> String {
    match constraint {
        VersionConstraint::Range { min_version: Some(min), max_version: Some(max) } => {
            format!("versions {min} to {max}")
        }
        VersionConstraint::Range { min_version: Some(min), max_version: None } => {
            format!("version {min} or later")
        }
        VersionConstraint::Range { min_version: None, max_version: Some(max) } => {
            format!("versions up to {max}")
        }
        VersionConstraint::Range { min_version: None, max_version: None } => "any version".to_owned(),
        VersionConstraint::Requirement(requirement) => format!("versions {requirement}"),
    }
}

fn with_cause(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", with_cause(source)),
        None => error.to_string(),
    }
}
