//! Leaving a node that is done: its assignments, and where the walk goes on.

use std::sync::Arc;

use rye_template::graph::{MAX_VALUE_BYTES, measure};
use serde_json::{Map, Value, json};

use super::outcome::Setback;
use super::position::{LastVisit, Position, Then};
use super::{FailureKind, Finish, Walker};
use crate::graph::{HookKind, MAX_STATE_BYTES, Node};

impl Walker {
    /// Leaves a node whose result is there.
    pub(super) fn leave(&mut self, name: &str) {
        let graph = Arc::clone(&self.graph);
        let node = Self::node_named(&graph, name);
        let assigned = match self.assign(node) {
            Ok(assigned) => assigned,
            Err(setback) => return self.fail_node(setback.into_failure(name, None)),
        };
        let Some(next) = self.branch(node) else {
            return self.fail_lasting(name, FailureKind::NoBranch, "no branch of `next` holds");
        };
        self.end_visit(name, LastVisit::Done);
        if self.walk.single {
            let result = std::mem::take(&mut self.walk.result);
            let values: Map<_, _> =
                assigned.into_iter().map(|key| (key.clone(), self.walk.state[&key].clone())).collect();
            return self.end(Finish::Completed {
                output: json!({"result": result, "assigned": values, "next": next}),
            });
        }
        self.call_hook(HookKind::AfterStep, Then::Enter { node: next });
    }

    /// Where the walk goes on after a node.
    pub(super) fn branch(&self, node: &Node) -> Option<String> {
        let roots = self.walk.roots();
        let holds =
            |branch: &&crate::graph::Branch| branch.when.as_ref().is_none_or(|when| when.holds(&roots));
        node.next.iter().find(holds).map(|branch| branch.to.clone())
    }

    /// Puts values into the state: all, or none. Gives the names.
    fn assign(&mut self, node: &Node) -> Result<Vec<String>, Setback> {
        let roots = self.walk.roots();
        let mut values = Vec::with_capacity(node.assign.len());
        for (key, template) in &node.assign {
            let value = template.render(&roots).map_err(|error| {
                Setback::lasting(FailureKind::Template, format!("`assign.{key}`: {error}"))
            })?;
            let size = measure(&value, MAX_VALUE_BYTES).map_err(|error| {
                Setback::lasting(FailureKind::TooLarge, format!("`assign.{key}`: {error}"))
            })?;
            values.push((key.clone(), value, size));
        }
        self.store(values)
    }

    /// Puts values of known sizes into the state, if there is room for them.
    pub(super) fn store(&mut self, values: Vec<(String, Value, usize)>) -> Result<Vec<String>, Setback> {
        let replaced = |key: &String| self.walk.sizes.get(key).copied().unwrap_or(0);
        let gone: usize = values.iter().map(|(key, _, _)| replaced(key)).sum();
        let added: usize = values.iter().map(|(_, _, size)| size).sum();
        let bytes = self.walk.state_bytes.saturating_sub(gone).saturating_add(added);
        if bytes > MAX_STATE_BYTES {
            let message = format!("the state becomes larger than {MAX_STATE_BYTES} bytes");
            return Err(Setback::lasting(FailureKind::TooLarge, message));
        }
        let Value::Object(state) = &mut self.walk.state else { return Ok(Vec::new()) };
        self.walk.state_bytes = bytes;
        let mut names = Vec::with_capacity(values.len());
        for (key, value, size) in values {
            state.insert(key.clone(), value);
            self.walk.sizes.insert(key.clone(), size);
            names.push(key);
        }
        Ok(names)
    }

    /// Takes note of how a visit went.
    pub(super) fn end_visit(&mut self, name: &str, last: LastVisit) {
        let elements = match &self.walk.position {
            Position::Elements(elements) => Some(elements.progress()),
            _ => None,
        };
        if let Some(visits) = self.walk.visits.get_mut(name) {
            visits.last = last;
            visits.elements = visits.elements.or(elements);
        }
    }
}
