//! The nodes of a graph.

use std::time::Duration;

use rye_template::graph::{Condition, TextTemplate, ValueTemplate};

use super::{Action, Place, Policy, Retry};

/// A node.
#[derive(Debug, Clone)]
pub struct Node {
    /// What it does.
    pub kind: NodeKind,
    /// What it puts into the state once it is done: names and values.
    pub assign: Vec<(String, ValueTemplate)>,
    /// Where the walk goes on; the first branch whose condition holds is taken. A `return` has none.
    pub next: Vec<Branch>,
    /// Where the walk goes on if the node fails.
    pub on_error: OnError,
    /// How often an action is tried again.
    pub retry: Retry,
    /// How long an attempt may take, or a manual gate may wait.
    pub timeout: Option<Duration>,
    /// Whether a result of the same call may be used again.
    pub cache_result: bool,
    /// What to do about a call of which nobody knows how it ended.
    pub on_interrupt: OnInterrupt,
    /// Where the node's name stands in its file.
    pub position: Place,
}

/// What a node does.
#[derive(Debug, Clone)]
pub enum NodeKind {
    /// Executes an item.
    Action(Action),
    /// Executes an item for each element of a list.
    Foreach(Foreach),
    /// Only branches.
    Gate(Gate),
    /// Ends the run with an output.
    Return {
        /// The output.
        output: ValueTemplate,
    },
}

/// A gate.
#[derive(Debug, Clone)]
pub enum Gate {
    /// The walk goes on at once.
    Open,
    /// The walk goes on when a person has approved.
    Manual {
        /// What the person is asked.
        message: Option<TextTemplate>,
    },
}

/// What is done for each element of a list.
#[derive(Debug, Clone)]
pub struct Foreach {
    /// The list.
    pub over: ValueTemplate,
    /// The name of the element in templates.
    pub element: String,
    /// What is kept of each element.
    pub collect: Option<Collect>,
    /// How many elements are worked on at the same time.
    pub parallel: u32,
    /// What is executed.
    pub action: Action,
}

/// What is kept of each element of a `foreach`.
#[derive(Debug, Clone)]
pub struct Collect {
    /// The name in the state of the list.
    pub into: String,
    /// What an element gives; its result if there is nothing here.
    pub value: Option<ValueTemplate>,
}

/// A way from a node to another.
#[derive(Debug, Clone)]
pub struct Branch {
    /// The other node.
    pub to: String,
    /// What has to hold.
    pub when: Option<Condition>,
    /// Where the target stands in the file.
    pub position: Place,
}

/// What happens when a node fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnError {
    /// What the graph says.
    Inherit,
    /// This, whatever the graph says.
    Policy(Policy),
    /// The walk goes on with a node.
    Node {
        /// Its name.
        to: String,
        /// Where the name stands in the file.
        position: Place,
    },
}

/// What to do about a call of which nobody knows how it ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnInterrupt {
    /// Make it again, which does not count as an attempt that failed.
    Retry,
    /// Take it for failed.
    Fail,
    /// Ask a person.
    Ask,
    /// Ask, and whoever drives the walk answers for the person if the item says that it may be called twice.
    #[default]
    ByItem,
}

impl Node {
    /// The action of the node, if it has one.
    #[must_use]
    pub fn action(&self) -> Option<&Action> {
        match &self.kind {
            NodeKind::Action(action) => Some(action),
            NodeKind::Foreach(foreach) => Some(&foreach.action),
            NodeKind::Gate(_) | NodeKind::Return { .. } => None,
        }
    }

    /// The names of the nodes that may come next, those after an error last. A name may be there twice.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        let error = match &self.on_error {
            OnError::Node { to, .. } => Some(to.as_str()),
            OnError::Inherit | OnError::Policy(_) => None,
        };
        self.next.iter().map(|branch| branch.to.as_str()).chain(error)
    }
}
