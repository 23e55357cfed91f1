//! From the text of a file to a graph, with every problem on the way.

mod action;
mod fields;
mod hooks;
mod names;
mod next;
mod node;
mod node_kind;
mod permissions;
mod report;
mod templates;
mod times;

use indexmap::IndexMap;
use rye_item::Digest;
use rye_metadata::{
    ExtractErrorKind, Field, GRAPH_TYPE, Placed, PlacedKind, Problem, Severity, read_placed_yaml, suggestion,
};
use serde_json::json;

#[cfg(test)]
pub(crate) use self::action::ACTION;
use self::fields::Fields;
pub use self::node_kind::MAX_PARALLEL;
pub(crate) use self::report::Report;
pub use self::times::MAX_TIME;
use crate::graph::{DEFAULT_MAX_STEPS, Graph, Hooks, MAX_MAX_STEPS, MAX_NODES, Permissions, Policy};

/// What became of a file.
#[derive(Debug, Clone)]
pub struct Read {
    /// The graph, unless there is a problem that is not only a warning.
    pub graph: Option<Graph>,
    /// What could be read of a graph that has such a problem, for whoever looks for more of them. It cannot be walked.
    pub draft: Option<Graph>,
    /// Everything that is wrong, in the order of the file.
    pub problems: Vec<Problem>,
}

pub(crate) const CONFIG: [&str; 6] = ["start", "max_steps", "on_error", "timeout", "nodes", "hooks"];

pub(crate) const POLICIES: [(&str, Policy); 2] = [("fail", Policy::Fail), ("continue", Policy::Continue)];

/// The fields of each type of node.
#[cfg(test)]
pub(crate) fn known_node_fields() -> [(&'static str, &'static [&'static str]); 4] {
    node_kind::KindWord::ALL.map(|(word, kind)| (word, kind.fields()))
}

/// Reads the whole text of a YAML tool of `tool_type: graph`, and checks everything that needs no other item.
#[must_use]
pub fn read(text: &str) -> Read {
    let mut report = Report::default();
    let graph = match read_placed_yaml(text.as_bytes()) {
        Ok(file) => read_file(&mut report, &file),
        Err(error) => {
            report.error("file", position_of(&error), format!("cannot be read: {error}"));
            None
        }
    };
    let problems = report.into_problems();
    let failed = problems.iter().any(|problem| problem.severity == Severity::Error);
    let (graph, draft) = if failed { (None, graph) } else { (graph, None) };
    Read { graph, draft, problems }
}

fn read_file(report: &mut Report, file: &Placed) -> Option<Graph> {
    known_fields(report, file);
    if let Some(kind) = file.get("tool_type").filter(|kind| kind.to_value() != json!(GRAPH_TYPE)) {
        report.error("tool_type", kind.position, format!("has to be `{GRAPH_TYPE}`"));
    }
    let permissions =
        file.get("permissions").map_or_else(Permissions::default, |node| permissions::read(report, node));
    let Some(config) = file.get("config") else {
        report.error("config", file.position, "is missing");
        return None;
    };
    let digest = Digest::of(
        json!({"config": config.to_value(), "permissions": file.get("permissions").map(Placed::to_value)})
            .to_string()
            .as_bytes(),
    );
    let fields = Fields::new(report, "config", config, &CONFIG)?;
    let names = node_names(report, &fields);
    let start = fields.required(report, "start").and_then(|(field, node)| report.text(&field, node));
    if let (Some(start), Some((field, node))) = (&start, fields.get("start")) {
        names::check_target(report, &field, node.position, start, &names);
    }
    let max_steps =
        fields.get("max_steps").and_then(|(field, node)| report.whole(&field, node, 1, MAX_MAX_STEPS));
    let on_error = fields.get("on_error").and_then(|(field, node)| report.word(&field, node, &POLICIES));
    let timeout = fields.get("timeout").and_then(|(field, node)| times::read(report, &field, node));
    let nodes = read_nodes(report, &fields, &names);
    let hooks =
        fields.get("hooks").map_or_else(Hooks::default, |(field, node)| hooks::read(report, &field, node));
    let complete = nodes.len() == names.len();
    let graph = Graph {
        start: start?,
        max_steps: max_steps.unwrap_or(DEFAULT_MAX_STEPS),
        on_error: on_error.unwrap_or_default(),
        timeout,
        nodes,
        hooks,
        permissions,
        digest,
    };
    crate::check::check(report, &graph, complete);
    Some(graph)
}

/// The names of the nodes, whatever else is wrong with them.
fn node_names(report: &mut Report, config: &Fields<'_>) -> Vec<String> {
    let Some((field, node)) = config.required(report, "nodes") else { return Vec::new() };
    let PlacedKind::Map(entries) = &node.kind else {
        report.mismatch(&field, node, "a map");
        return Vec::new();
    };
    if entries.is_empty() {
        report.error(&field, node.position, "has no node");
    }
    if entries.len() > MAX_NODES {
        report.error(&field, node.position, format!("has {} nodes, more than {MAX_NODES}", entries.len()));
        return Vec::new();
    }
    for entry in entries {
        names::check_node_name(report, &format!("{field}.{}", entry.key), entry.key_position, &entry.key);
    }
    entries.iter().map(|entry| entry.key.clone()).collect()
}

fn read_nodes(
    report: &mut Report,
    config: &Fields<'_>,
    names: &[String],
) -> IndexMap<String, crate::graph::Node> {
    let mut nodes = IndexMap::with_capacity(names.len());
    let Some((field, PlacedKind::Map(entries))) =
        config.get("nodes").map(|(field, node)| (field, &node.kind))
    else {
        return nodes;
    };
    if names.is_empty() {
        return nodes;
    }
    let known = names::Targets::new(names);
    for entry in entries {
        let path = format!("{field}.{}", entry.key);
        if let Some(node) = node::read(report, &path, entry.key_position, &entry.value, &known) {
            nodes.insert(entry.key.clone(), node);
        }
    }
    nodes
}

/// The fields of the file itself are those of any item.
fn known_fields(report: &mut Report, file: &Placed) {
    let PlacedKind::Map(entries) = &file.kind else { return };
    let known: Vec<_> = Field::ALL.into_iter().map(Field::as_str).collect();
    for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
        let message = format!("is unknown; {}", suggestion(&entry.key, &known));
        report.error(&entry.key, entry.key_position, message);
    }
}

fn position_of(error: &ExtractErrorKind) -> crate::graph::Place {
    match error {
        ExtractErrorKind::NotUtf8 { position } | ExtractErrorKind::Nul { position } => Some(*position),
        ExtractErrorKind::Syntax { position, .. } | ExtractErrorKind::TooComplex { position, .. } => {
            *position
        }
        _ => None,
    }
}
