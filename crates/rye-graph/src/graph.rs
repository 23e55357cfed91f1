//! A graph as it is once its file was read: every target is there, every template is parsed.

mod action;
mod action_site;
mod node;
mod permissions;
mod retry;

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use rye_item::Digest;
use rye_metadata::{Position, Problem};

pub use self::action::{Action, Param};
pub use self::action_site::{ActionSite, ActionSites};
pub use self::node::{Branch, Collect, Foreach, Gate, Node, NodeKind, OnError, OnInterrupt};
pub use self::permissions::{PermissionPattern, Permissions};
pub use self::retry::{DEFAULT_MAX_BACKOFF, MAX_RETRIES, Retry};

/// How many nodes a run may enter, if the graph does not say otherwise.
pub const DEFAULT_MAX_STEPS: u32 = 1_000;

/// The most that a graph may say for `max_steps`.
pub const MAX_MAX_STEPS: u32 = 1_000_000;

/// How many nodes a graph may have.
pub const MAX_NODES: usize = 10_000;

/// How many elements a `foreach` may go through.
pub const MAX_ELEMENTS: usize = 100_000;

/// How large the state of a run may become, in bytes of JSON, about.
pub const MAX_STATE_BYTES: usize = 64 * 1024 * 1024;

/// A graph that can be walked.
#[derive(Debug, Clone)]
pub struct Graph {
    pub(crate) start: String,
    pub(crate) max_steps: u32,
    pub(crate) on_error: Policy,
    pub(crate) timeout: Option<Duration>,
    pub(crate) nodes: IndexMap<String, Node>,
    pub(crate) hooks: Hooks,
    pub(crate) permissions: Permissions,
    pub(crate) digest: Digest,
}

/// What happens when a node has failed, and says nothing about it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The run fails.
    #[default]
    Fail,
    /// The run goes on with the node's `next`, and the result is null.
    Continue,
}

/// When actions run that are no part of the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookKind {
    /// Before the first node.
    GraphStarted,
    /// After a node was done.
    AfterStep,
    /// After a node has failed, when all its attempts are over.
    Error,
    /// When a run would enter more nodes than it may.
    Limit,
    /// After a node of `type: return`.
    GraphCompleted,
}

/// The actions of the hooks.
#[derive(Debug, Clone, Default)]
pub struct Hooks {
    pub(crate) actions: IndexMap<HookKind, Vec<Action>>,
}

/// A file that is no graph, with everything that is wrong in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the graph is not valid: {}", first(problems))]
pub struct GraphError {
    /// Each problem, with its place; the warnings too.
    pub problems: Vec<Problem>,
}

impl Graph {
    /// Reads the whole text of a YAML tool of `tool_type: graph`, and checks it.
    ///
    /// # Errors
    /// If there is any problem that is not only a warning. [`crate::read`] gives the warnings as well.
    pub fn parse(text: &str) -> Result<Arc<Self>, GraphError> {
        let read = crate::read(text);
        read.graph.map(Arc::new).ok_or(GraphError { problems: read.problems })
    }

    /// The name of the first node.
    #[must_use]
    pub fn start(&self) -> &str {
        &self.start
    }

    /// How many nodes a run may enter.
    #[must_use]
    pub fn max_steps(&self) -> u32 {
        self.max_steps
    }

    /// What happens when a node has failed that says nothing about it.
    #[must_use]
    pub fn on_error(&self) -> Policy {
        self.on_error
    }

    /// How long a run may take altogether; whoever drives the walker sees to it.
    #[must_use]
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// The nodes, in the order of the file.
    #[must_use]
    pub fn nodes(&self) -> &IndexMap<String, Node> {
        &self.nodes
    }

    /// The node with that name.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.get(name)
    }

    /// The actions of the hooks.
    #[must_use]
    pub fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    /// What the graph may execute.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        &self.permissions
    }

    /// The digest of everything that counts for a walk: a snapshot belongs to one of these.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Every action of the graph, those of the hooks last.
    #[must_use]
    pub fn actions(&self) -> ActionSites<'_> {
        ActionSites::new(self)
    }
}

impl HookKind {
    /// Every hook with the word for it.
    pub const ALL: [(&'static str, Self); 5] = [
        ("graph_started", Self::GraphStarted),
        ("after_step", Self::AfterStep),
        ("error", Self::Error),
        ("limit", Self::Limit),
        ("graph_completed", Self::GraphCompleted),
    ];

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GraphStarted => "graph_started",
            Self::AfterStep => "after_step",
            Self::Error => "error",
            Self::Limit => "limit",
            Self::GraphCompleted => "graph_completed",
        }
    }
}

impl Hooks {
    /// The actions of one hook, in their order.
    #[must_use]
    pub fn of(&self, hook: HookKind) -> &[Action] {
        self.actions.get(&hook).map_or(&[], Vec::as_slice)
    }
}

fn first(problems: &[Problem]) -> String {
    let errors = problems.iter().filter(|problem| problem.severity == rye_metadata::Severity::Error);
    match errors.clone().next() {
        None => "it has no problem".to_owned(),
        Some(first) => match errors.count() {
            1 => first.to_string(),
            count => format!("{first} (and {} more)", count - 1),
        },
    }
}

/// A place, for values that come from no file.
pub(crate) type Place = Option<Position>;
