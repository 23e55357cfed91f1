//! Names of nodes, of values of the state and of elements.

use std::collections::HashSet;

use rye_metadata::suggestion;

use super::Report;
use crate::graph::Place;

/// The names that templates know everywhere.
pub(crate) const ROOTS: [&str; 4] = ["state", "inputs", "result", "error"];

/// The longest name of a node or a value.
const MAX_NAME: usize = 100;

/// The names of all nodes.
#[derive(Debug)]
pub(super) struct Targets<'n> {
    names: &'n [String],
    set: HashSet<&'n str>,
}

impl<'n> Targets<'n> {
    pub(super) fn new(names: &'n [String]) -> Self {
        Self { names, set: names.iter().map(String::as_str).collect() }
    }

    /// Reports a name that no node has.
    pub(super) fn check(&self, report: &mut Report, field: &str, at: Place, name: &str) {
        if !self.set.contains(name) {
            no_such_node(report, field, at, name, self.names);
        }
    }
}

/// Reports a name that no node has.
pub(super) fn check_target(report: &mut Report, field: &str, at: Place, name: &str, names: &[String]) {
    if !names.iter().any(|known| known == name) {
        no_such_node(report, field, at, name, names);
    }
}

/// Reports a name that a node cannot have.
pub(super) fn check_node_name(report: &mut Report, field: &str, at: Place, name: &str) {
    if matches!(name, "fail" | "continue") {
        report.error(field, at, "is no name for a node, because `on_error` has that word for something else");
    } else if !is_name(name) {
        report.error(field, at, RULE);
    }
}

/// Reports a name that a value of the state cannot have.
pub(super) fn check_state_name(report: &mut Report, field: &str, at: Place, name: &str) {
    if !is_name(name) {
        report.error(field, at, RULE);
    }
}

/// Reports a name that an element cannot have.
pub(super) fn check_element_name(report: &mut Report, field: &str, at: Place, name: &str) {
    let taken = ROOTS.contains(&name) || matches!(name, "index" | "true" | "false" | "null");
    if taken {
        report.error(field, at, format!("is `{name}`, which is the name of something else"));
    } else if !is_name(name) || name.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        report.error(field, at, RULE);
    }
}

const RULE: &str = "has to be a name of letters, digits, `_` and `-`, 100 at most";

fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(allowed)
}

fn no_such_node(report: &mut Report, field: &str, at: Place, name: &str, names: &[String]) {
    report.has_dangling_target = true;
    // Of a graph with thousands of nodes, nobody wants to see them all.
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let hint = suggestion(name, &known);
    let message = if hint.len() > 300 || known.is_empty() {
        format!("names `{name}`, and there is no such node")
    } else {
        format!("names `{name}`, and there is no such node; {hint}")
    };
    report.error(field, at, message);
}
