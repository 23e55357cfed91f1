//! Whether the state that is read is ever written.

use std::collections::HashSet;

use rye_metadata::suggestion;

use crate::graph::{Graph, NodeKind};
use crate::read::Report;

pub(super) fn check(report: &mut Report, graph: &Graph) {
    let mut assigned: HashSet<&str> = HashSet::new();
    for node in graph.nodes().values() {
        assigned.extend(node.assign.iter().map(|(name, _)| name.as_str()));
        if let NodeKind::Foreach(foreach) = &node.kind {
            assigned.extend(foreach.collect.iter().map(|collect| collect.into.as_str()));
        }
    }
    let mut known: Vec<&str> = assigned.iter().copied().collect();
    known.sort_unstable();
    for used in std::mem::take(&mut report.state_uses) {
        if used.names.iter().any(|name| assigned.contains(name.as_str())) {
            continue;
        }
        let names: Vec<_> = used.names.iter().map(|name| format!("`state.{name}`")).collect();
        let hint = match (known.len(), used.names.as_slice()) {
            (1..=50, [name]) => format!("; {}", suggestion(name, &known)),
            _ => String::new(),
        };
        let message = format!("reads {}, which no node assigns{hint}", names.join(", "));
        report.push(used.severity, &used.field, used.position, message);
    }
}
