//! A drawing as Mermaid, which many viewers of Markdown know.

use std::fmt::Write as _;

use super::labels;
use crate::graph::{Graph, Node, NodeKind};
use crate::{NodeStatus, RunView};

const STYLES: [(NodeStatus, &str); 6] = [
    (NodeStatus::Pending, "fill:#ffffff,stroke:#8c959f"),
    (NodeStatus::Running, "fill:#ddf4ff,stroke:#0969da"),
    (NodeStatus::Done, "fill:#dafbe1,stroke:#1a7f37"),
    (NodeStatus::Failed, "fill:#ffebe9,stroke:#cf222e"),
    (NodeStatus::Waiting, "fill:#fff8c5,stroke:#9a6700"),
    (NodeStatus::Skipped, "fill:#f6f8fa,stroke:#d0d7de,color:#8c959f"),
];

/// Writes a graph as a Mermaid flowchart. With `run`, each node has a class for how far it has come.
#[must_use]
pub fn mermaid(graph: &Graph, run: Option<&RunView>) -> String {
    let mut text = String::from("flowchart TD\n");
    for (index, (name, node)) in graph.nodes().iter().enumerate() {
        let count = run.and_then(|run| run.nodes.get(name)).map(labels::count).unwrap_or_default();
        let label = format!("{}{count}<br/>{}", escaped(name), escaped(&labels::subtitle(node)));
        let (open, close) = shape(node);
        let _ = writeln!(text, "    n{index}{open}\"{label}\"{close}");
    }
    for edge in labels::edges(graph) {
        let arrow = if edge.error { "-.->" } else { "-->" };
        let label =
            if edge.label.is_empty() { String::new() } else { format!("|\"{}\"|", escaped(&edge.label)) };
        let _ = writeln!(text, "    n{} {arrow}{label} n{}", edge.from, edge.to);
    }
    if let Some(run) = run {
        for (status, style) in STYLES {
            let _ = writeln!(text, "    classDef {} {style}", labels::word(status));
        }
        for (index, name) in graph.nodes().keys().enumerate() {
            let _ = writeln!(text, "    class n{index} {}", labels::word(run.status(name)));
        }
    }
    text
}

fn shape(node: &Node) -> (&'static str, &'static str) {
    match node.kind {
        NodeKind::Action(_) => ("[", "]"),
        NodeKind::Foreach(_) => ("[[", "]]"),
        NodeKind::Gate(_) => ("{{", "}}"),
        NodeKind::Return { .. } => ("([", "])"),
    }
}

/// A text in which nothing means anything to Mermaid.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '#' | '&' | '<' | '>' | '`' | ';' | '|' | '\\' | '\n' => {
                let _ = write!(escaped, "#{};", u32::from(character));
            }
            other => escaped.push(other),
        }
    }
    escaped
}
