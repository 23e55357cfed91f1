//! Whether every node can be come to, and every run can end.

use std::collections::VecDeque;

use crate::graph::{Graph, NodeKind};
use crate::read::Report;

pub(super) fn check(report: &mut Report, graph: &Graph) {
    let ways = Ways::new(graph);
    let Some(start) = graph.nodes().get_index_of(graph.start()) else { return };
    let reached = spread(&ways.forward, [start]);
    let returns = graph
        .nodes()
        .values()
        .enumerate()
        .filter(|(_, node)| matches!(node.kind, NodeKind::Return { .. }))
        .map(|(index, _)| index);
    let ends: Vec<usize> = returns.collect();
    if ends.is_empty() {
        report.error("config.nodes", None, "has no node of `type: return`, so that no run could end");
        return;
    }
    let ending = spread(&ways.backward, ends);
    for (index, (name, node)) in graph.nodes().iter().enumerate() {
        if !reached[index] {
            let message = "is never come to from the start";
            report.warning(&format!("config.nodes.{name}"), node.position, message);
        }
    }
    let stuck: Vec<_> =
        graph.nodes().iter().enumerate().filter(|(index, _)| reached[*index] && !ending[*index]).collect();
    if let Some((_, (name, node))) = stuck.first() {
        let names: Vec<_> = stuck.iter().take(5).map(|(_, (name, _))| format!("`{name}`")).collect();
        let more = if stuck.len() > names.len() { " …" } else { "" };
        let message = format!("has no way out to a node of `type: return`: {}{more}", names.join(", "));
        report.error(&format!("config.nodes.{name}"), node.position, message);
    }
}

/// The edges, by the numbers of the nodes.
struct Ways {
    forward: Vec<Vec<usize>>,
    backward: Vec<Vec<usize>>,
}

impl Ways {
    fn new(graph: &Graph) -> Self {
        let count = graph.nodes().len();
        let (mut forward, mut backward) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (from, node) in graph.nodes().values().enumerate() {
            for to in node.targets().filter_map(|target| graph.nodes().get_index_of(target)) {
                forward[from].push(to);
                backward[to].push(from);
            }
        }
        Self { forward, backward }
    }
}

/// What can be come to from somewhere.
fn spread(edges: &[Vec<usize>], from: impl IntoIterator<Item = usize>) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut waiting: VecDeque<usize> = from.into_iter().collect();
    for &index in &waiting {
        reached[index] = true;
    }
    while let Some(index) = waiting.pop_front() {
        for &next in &edges[index] {
            if !reached[next] {
                reached[next] = true;
                waiting.push_back(next);
            }
        }
    }
    reached
}
