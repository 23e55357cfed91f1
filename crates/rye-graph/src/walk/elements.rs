//! Going through a list.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rye_template::graph::{MAX_VALUE_BYTES, measure};
use serde_json::Value;

use super::outcome::Setback;
use super::position::{Elements, Position, Task};
use super::scope::Element;
use super::{Failure, FailureKind, StartStep, StepId, StepOwner, Walker};
use crate::graph::{Foreach, Node, NodeKind, Policy};

impl Elements {
    pub(super) fn new(node: String, visit: u32, items: Vec<Value>) -> Self {
        Self {
            node,
            visit,
            items,
            next: 0,
            open: BTreeMap::new(),
            ready: VecDeque::new(),
            collected: BTreeMap::new(),
            failed: 0,
        }
    }

    /// How many elements are done, and how many there are.
    pub(super) fn progress(&self) -> (u32, u32) {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (number(self.collected.len()), number(self.items.len()))
    }

    pub(super) fn step(&self, index: u32, attempt: u32) -> StepId {
        StepId { owner: StepOwner::Node(self.node.clone()), visit: self.visit, index: Some(index), attempt }
    }

    /// The next element that may start: one that was begun before, or a new one if there is room.
    fn take_next(&mut self, parallel: u32) -> Option<u32> {
        if let Some(index) = self.ready.pop_front() {
            return Some(index);
        }
        if self.open.len() >= parallel as usize || self.next as usize >= self.items.len() {
            return None;
        }
        let index = self.next;
        self.next += 1;
        self.open.insert(index, Task::new());
        Some(index)
    }
}

impl Walker {
    /// Starts an element if one may start, or leaves the node if all are done.
    pub(super) fn start_elements(&mut self) -> bool {
        let graph = Arc::clone(&self.graph);
        let Position::Elements(elements) = &mut self.walk.position else { return false };
        if elements.collected.len() == elements.items.len() {
            self.elements_done();
            return true;
        }
        let node = Self::node_named(&graph, &elements.node);
        let NodeKind::Foreach(foreach) = &node.kind else { return false };
        let Some(index) = elements.take_next(foreach.parallel) else { return false };
        let attempt = elements.open.get(&index).map_or(1, |task| task.attempt);
        let step = elements.step(index, attempt);
        match self.render_element(step.clone(), node, foreach) {
            Ok(start) => self.start(start),
            Err(setback) => self.call_failed(&step, setback),
        }
        true
    }

    pub(super) fn render_element(
        &self,
        step: StepId,
        node: &Node,
        foreach: &Foreach,
    ) -> Result<StartStep, Setback> {
        let found = match (&self.walk.position, step.index) {
            (Position::Elements(elements), Some(index)) => {
                elements.items.get(index as usize).map(|item| Element::new(&foreach.element, item, index))
            }
            _ => None,
        };
        let Some(element) = found else {
            return Err(Setback::lasting(FailureKind::Template, "there is no such element"));
        };
        let roots = element.within(self.walk.roots());
        self.render_start(step, &foreach.action, node.cache_result, &roots)
    }

    /// An element has given its result.
    pub(super) fn element_done(&mut self, index: u32, result: Value) {
        match self.collected_value(index, Some(result), &Value::Null) {
            Ok(value) => self.collect(index, value),
            Err(setback) => {
                let Position::Elements(elements) = &self.walk.position else { return };
                let attempt = elements.open.get(&index).map_or(1, |task| task.attempt);
                let failure = setback.into_failure(&elements.node, Some(elements.step(index, attempt)));
                self.element_failed(index, failure);
            }
        }
    }

    /// An element has failed for good: the list goes on without it, or the node has failed.
    pub(super) fn element_failed(&mut self, index: u32, failure: Failure) {
        let graph = Arc::clone(&self.graph);
        let node = Self::node_named(&graph, &failure.node);
        if self.policy(node, failure.kind) == Policy::Continue {
            let value = self.collected_value(index, None, &failure.to_value()).unwrap_or(Value::Null);
            if let Position::Elements(elements) = &mut self.walk.position {
                elements.failed += 1;
            }
            return self.collect(index, value);
        }
        if let Position::Elements(elements) = &mut self.walk.position {
            elements.open.remove(&index);
        }
        self.cancel_open();
        self.fail_node(failure);
    }

    /// What is kept of an element.
    fn collected_value(&self, index: u32, result: Option<Value>, error: &Value) -> Result<Value, Setback> {
        let Position::Elements(elements) = &self.walk.position else { return Ok(Value::Null) };
        let node = Self::node_named(&self.graph, &elements.node);
        let NodeKind::Foreach(foreach) = &node.kind else { return Ok(Value::Null) };
        let result = result.unwrap_or(Value::Null);
        let Some(template) = foreach.collect.as_ref().and_then(|collect| collect.value.as_ref()) else {
            return Ok(result);
        };
        let item = elements.items.get(index as usize).unwrap_or(&Value::Null);
        let element = Element::new(&foreach.element, item, index);
        let roots = element.within(self.walk.roots_after(&result, error));
        template
            .render(&roots)
            .map_err(|error| Setback::lasting(FailureKind::Template, format!("`collect.value`: {error}")))
    }

    fn collect(&mut self, index: u32, value: Value) {
        if let Position::Elements(elements) = &mut self.walk.position {
            elements.open.remove(&index);
            elements.collected.insert(index, value);
        }
    }

    /// All elements are done: the list of what they gave is the node's result.
    fn elements_done(&mut self) {
        let Position::Elements(elements) = &mut self.walk.position else { return };
        let progress = elements.progress();
        let name = elements.node.clone();
        let list = Value::Array(std::mem::take(&mut elements.collected).into_values().collect());
        if let Some(visits) = self.walk.visits.get_mut(&name) {
            visits.elements = Some(progress);
        }
        let graph = Arc::clone(&self.graph);
        let collect = match &Self::node_named(&graph, &name).kind {
            NodeKind::Foreach(foreach) => foreach.collect.as_ref(),
            _ => None,
        };
        let stored = measure(&list, MAX_VALUE_BYTES)
            .map_err(|error| Setback::lasting(FailureKind::TooLarge, format!("the results: {error}")))
            .and_then(|size| match collect {
                Some(collect) => self.store(vec![(collect.into.clone(), list.clone(), size)]),
                None => Ok(Vec::new()),
            });
        self.walk.result = list;
        match stored {
            Ok(_) => self.leave(&name),
            Err(setback) => self.fail_node(setback.into_failure(&name, None)),
        }
    }
}
