//! The words in drawings.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::graph::{Gate, Graph, Node, NodeKind, OnError};
use crate::{NodeRun, NodeStatus};

/// The longest text of a box or an edge, in columns.
pub(super) const MAX_TEXT: usize = 44;

/// A way from a node to another, by their numbers.
#[derive(Debug, Clone)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: String,
    /// Whether it is taken when the node has failed.
    pub(super) error: bool,
}

/// All ways, in the order of the file.
pub(super) fn edges(graph: &Graph) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (from, node) in graph.nodes().values().enumerate() {
        let mut push = |to: &str, label: String, error: bool| {
            edges.extend(graph.nodes().get_index_of(to).map(|to| Edge { from, to, label, error }));
        };
        for branch in &node.next {
            let label = match &branch.when {
                Some(when) => short(&when.to_string()),
                None if node.next.len() > 1 => "otherwise".to_owned(),
                None => String::new(),
            };
            push(&branch.to, label, false);
        }
        if let OnError::Node { to, .. } = &node.on_error {
            push(to, "on error".to_owned(), true);
        }
    }
    edges
}

/// What a node does, in a few words.
pub(super) fn subtitle(node: &Node) -> String {
    short(&match &node.kind {
        NodeKind::Action(action) => action.item_id.source().to_owned(),
        NodeKind::Foreach(foreach) => {
            format!("for each {}: {}", foreach.element, foreach.action.item_id.source())
        }
        NodeKind::Gate(Gate::Open) => "gate".to_owned(),
        NodeKind::Gate(Gate::Manual { .. }) => "waits for approval".to_owned(),
        NodeKind::Return { .. } => "return".to_owned(),
    })
}

/// A sign for where a node stands.
pub(super) fn sign(status: NodeStatus) -> char {
    match status {
        NodeStatus::Pending => '·',
        NodeStatus::Running => '▶',
        NodeStatus::Done => '✓',
        NodeStatus::Failed => '✗',
        NodeStatus::Waiting => '?',
        NodeStatus::Skipped => '-',
    }
}

/// A word for where a node stands.
pub(super) fn word(status: NodeStatus) -> &'static str {
    match status {
        NodeStatus::Pending => "pending",
        NodeStatus::Running => "running",
        NodeStatus::Done => "done",
        NodeStatus::Failed => "failed",
        NodeStatus::Waiting => "waiting",
        NodeStatus::Skipped => "skipped",
    }
}

/// How much of a node is done, if there is something to count.
pub(super) fn count(run: &NodeRun) -> String {
    match (run.elements, run.visits) {
        (Some((done, total)), _) => format!(" {done}/{total}"),
        (None, visits) if visits > 1 => format!(" ×{visits}"),
        _ => String::new(),
    }
}

/// At most [`MAX_TEXT`] columns of a text, on one line.
pub(super) fn short(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if clean.width() <= MAX_TEXT {
        return clean;
    }
    let mut kept = String::new();
    let mut width = 0;
    for character in clean.chars() {
        width += character.width().unwrap_or(0);
        if width >= MAX_TEXT {
            break;
        }
        kept.push(character);
    }
    kept.push('…');
    kept
}
