//! How far a run has come, node by node.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::position::{LastVisit, Position, TaskPhase};
use super::{Snapshot, Walker};

/// How far a run has come: what there is to say about each node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunView {
    /// The nodes by name.
    pub nodes: BTreeMap<String, NodeRun>,
}

/// How far a node has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeRun {
    /// Where it stands.
    pub status: NodeStatus,
    /// How often it was entered.
    pub visits: u32,
    /// For a list: how many elements are done, and how many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elements: Option<(u32, u32)>,
}

/// Where a node stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeStatus {
    /// It may still be entered.
    Pending,
    /// Something of it is under way.
    Running,
    /// Its last visit went well.
    Done,
    /// Its last visit failed.
    Failed,
    /// A person has to say something.
    Waiting,
    /// The run is over, and it was never entered.
    Skipped,
}

impl Walker {
    /// How far the run has come.
    #[must_use]
    pub fn view(&self) -> RunView {
        let nodes = self.graph.nodes.keys().map(|name| (name.clone(), self.node_run(name)));
        RunView { nodes: nodes.collect() }
    }

    /// How far a node has come.
    #[must_use]
    pub fn node_run(&self, name: &str) -> NodeRun {
        node_run(&self.walk, name, self.finish().is_some())
    }
}

impl RunView {
    /// Where a node stands.
    #[must_use]
    pub fn status(&self, node: &str) -> NodeStatus {
        self.nodes.get(node).map_or(NodeStatus::Pending, |run| run.status)
    }
}

fn node_run(walk: &Snapshot, name: &str, ended: bool) -> NodeRun {
    let Some(visits) = walk.visits.get(name) else {
        let status = if ended { NodeStatus::Skipped } else { NodeStatus::Pending };
        return NodeRun { status, visits: 0, elements: None };
    };
    let status = match visits.last {
        LastVisit::Done => NodeStatus::Done,
        LastVisit::Failed => NodeStatus::Failed,
        // A run that was cancelled has left it as it was.
        LastVisit::Open if ended => NodeStatus::Failed,
        LastVisit::Open if waits(walk) => NodeStatus::Waiting,
        LastVisit::Open => NodeStatus::Running,
    };
    let elements = match &walk.position {
        Position::Elements(elements) if elements.node == name => Some(elements.progress()),
        _ => visits.elements,
    };
    NodeRun { status, visits: visits.count, elements }
}

fn waits(walk: &Snapshot) -> bool {
    let asked = |phase| matches!(phase, TaskPhase::AskedApproval | TaskPhase::AskedInterrupted);
    match &walk.position {
        Position::Single { task, .. } => asked(task.phase),
        Position::Elements(elements) => {
            !elements.open.is_empty() && elements.open.values().all(|task| asked(task.phase))
        }
        Position::Entering { .. } | Position::Hook { .. } | Position::Ended { .. } => false,
    }
}
