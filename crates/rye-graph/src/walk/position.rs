//! Where a walk is.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Failure, Finish};
use crate::graph::HookKind;

/// Where a walk is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Position {
    /// About to enter a node.
    Entering { node: String },
    /// In a node that has one call, or a manual gate.
    Single { node: String, visit: u32, task: Task },
    /// In a node that goes through a list.
    Elements(Elements),
    /// In the actions of a hook.
    Hook { hook: HookKind, run: u32, action: u32, started: bool, then: Then },
    /// At the end.
    Ended { finish: Finish },
}

/// What comes after the actions of a hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Then {
    Enter { node: String },
    Finish { finish: Finish },
}

/// One call, through all its attempts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Task {
    /// The number of the attempt that runs, or comes next.
    pub(crate) attempt: u32,
    /// How many attempts have failed.
    pub(crate) failures: u32,
    pub(crate) phase: TaskPhase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TaskPhase {
    /// May start as soon as the walk is not paused.
    Ready,
    /// Was started, and has not ended.
    Running,
    /// Waits until the next attempt is due.
    BackingOff,
    /// A person has to say how it ended.
    AskedInterrupted,
    /// A person has to approve.
    AskedApproval,
}

/// A list that is gone through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Elements {
    pub(crate) node: String,
    pub(crate) visit: u32,
    pub(crate) items: Vec<Value>,
    /// The first element that was not begun.
    pub(crate) next: u32,
    /// The elements that were begun and are not done.
    pub(crate) open: BTreeMap<u32, Task>,
    /// Elements that may start, in the order in which they came to it.
    pub(crate) ready: VecDeque<u32>,
    /// What the elements that are done have given, by their number.
    pub(crate) collected: BTreeMap<u32, Value>,
    /// How many elements have failed, and the walk went on.
    pub(crate) failed: u32,
}

/// How the last visit of a node went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Visits {
    pub(crate) count: u32,
    pub(crate) last: LastVisit,
    /// For a list: how many elements were done, and how many there were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) elements: Option<(u32, u32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LastVisit {
    Open,
    Done,
    Failed,
}

impl Task {
    pub(crate) fn new() -> Self {
        Self { attempt: 1, failures: 0, phase: TaskPhase::Ready }
    }
}

impl Then {
    pub(crate) fn failed(failure: Failure) -> Self {
        Self::Finish { finish: Finish::Failed { failure } }
    }
}
