//! What follows when a node has failed.

use std::sync::Arc;

use rye_template::graph::InterpolateError;
use serde_json::Value;

use super::outcome::Setback;
use super::position::{LastVisit, Then};
use super::{Failure, FailureKind, Finish, Walker};
use crate::graph::{Gate, HookKind, Node, NodeKind, OnError, Policy};

impl Walker {
    /// A node has failed for good.
    pub(super) fn fail_node(&mut self, failure: Failure) {
        let graph = Arc::clone(&self.graph);
        let node = Self::node_named(&graph, &failure.node);
        self.end_visit(&failure.node, LastVisit::Failed);
        self.walk.error = failure.to_value();
        if self.walk.single {
            return self.end(Finish::Failed { failure });
        }
        let then = match &node.on_error {
            OnError::Node { to, .. } => Then::Enter { node: to.clone() },
            _ if self.policy(node, failure.kind) == Policy::Continue => {
                self.walk.result = Value::Null;
                match self.branch(node) {
                    Some(next) => Then::Enter { node: next },
                    None => Then::failed(failure),
                }
            }
            _ => Then::failed(failure),
        };
        self.call_hook(HookKind::Error, then);
    }

    /// Whether the walk goes on by itself after a failure. What a person has not allowed is never passed over.
    pub(super) fn policy(&self, node: &Node, kind: FailureKind) -> Policy {
        if kind.is_final()
            || matches!(node.kind, NodeKind::Gate(Gate::Manual { .. }) | NodeKind::Return { .. })
        {
            return Policy::Fail;
        }
        match node.on_error {
            OnError::Inherit => self.graph.on_error,
            OnError::Policy(policy) => policy,
            OnError::Node { .. } => Policy::Fail,
        }
    }

    pub(super) fn fail_lasting(&mut self, name: &str, kind: FailureKind, message: &str) {
        self.fail_node(Setback::lasting(kind, message).into_failure(name, None));
    }

    pub(super) fn fail_template(&mut self, name: &str, error: &InterpolateError) {
        self.fail_lasting(name, FailureKind::Template, &error.to_string());
    }
}

impl Failure {
    /// What templates see.
    pub(super) fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}
