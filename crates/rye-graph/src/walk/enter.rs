//! Entering a node.

use std::sync::Arc;

use rye_template::graph::TextTemplate;
use serde_json::{Value, json};

use super::outcome::Setback;
use super::position::{Elements, LastVisit, Position, Task, TaskPhase, Then, Visits};
use super::scope::as_text;
use super::{Command, FailureKind, Finish, Question, QuestionKind, StepId, StepOwner, Walker};
use crate::graph::{Foreach, Gate, HookKind, MAX_ELEMENTS, NodeKind};

impl Walker {
    /// Enters the node that the walk is about to enter.
    pub(super) fn enter(&mut self) -> bool {
        let Position::Entering { node: name } = &self.walk.position else { return false };
        let (graph, name) = (Arc::clone(&self.graph), name.clone());
        if self.walk.steps >= graph.max_steps {
            let message = format!("the run would enter more than {} nodes", graph.max_steps);
            let failure = Setback::lasting(FailureKind::Limit, message).into_failure(&name, None);
            self.walk.error = failure.to_value();
            self.call_hook(HookKind::Limit, Then::failed(failure));
            return true;
        }
        self.walk.steps += 1;
        let visit = self.begin_visit(&name);
        match &Self::node_named(&graph, &name).kind {
            NodeKind::Action(_) => {
                self.walk.position = Position::Single { node: name, visit, task: Task::new() };
            }
            NodeKind::Foreach(foreach) => self.enter_foreach(name, visit, foreach),
            NodeKind::Gate(Gate::Open) => self.leave(&name),
            NodeKind::Gate(Gate::Manual { message }) => self.enter_manual(name, visit, message.as_ref()),
            NodeKind::Return { output } => match output.render(&self.walk.roots()) {
                Ok(output) => self.complete(&name, output),
                Err(error) => self.fail_template(&name, &error),
            },
        }
        true
    }

    fn begin_visit(&mut self, name: &str) -> u32 {
        let begun = Visits { count: 0, last: LastVisit::Open, elements: None };
        let visits = self.walk.visits.entry(name.to_owned()).or_insert(begun);
        visits.count += 1;
        visits.last = LastVisit::Open;
        visits.elements = None;
        visits.count
    }

    fn complete(&mut self, name: &str, output: Value) {
        self.end_visit(name, LastVisit::Done);
        if self.walk.single {
            return self
                .end(Finish::Completed { output: json!({"result": output, "assigned": {}, "next": null}) });
        }
        self.call_hook(HookKind::GraphCompleted, Then::Finish { finish: Finish::Completed { output } });
    }

    fn enter_foreach(&mut self, name: String, visit: u32, foreach: &Foreach) {
        let list = match foreach.over.render(&self.walk.roots()) {
            Ok(Value::Array(items)) => items,
            Ok(other) => {
                let message = format!("`over` gives {}, not a list", kind_name(&other));
                return self.fail_lasting(&name, FailureKind::Template, &message);
            }
            Err(error) => return self.fail_template(&name, &error),
        };
        if list.len() > MAX_ELEMENTS {
            let message = format!("`over` has {} elements, more than {MAX_ELEMENTS}", list.len());
            return self.fail_lasting(&name, FailureKind::TooLarge, &message);
        }
        self.walk.position = Position::Elements(Elements::new(name, visit, list));
    }

    fn enter_manual(&mut self, name: String, visit: u32, message: Option<&TextTemplate>) {
        let message = match message.map(|message| message.render(&self.walk.roots())).transpose() {
            Ok(message) => message.as_ref().map(as_text).unwrap_or_default(),
            Err(error) => return self.fail_template(&name, &error),
        };
        let step = StepId { owner: StepOwner::Node(name.clone()), visit, index: None, attempt: 1 };
        self.push(Command::Ask(Question { step: step.clone(), kind: QuestionKind::Approval { message } }));
        self.start_timeout(&name, &step);
        let task = Task { phase: TaskPhase::AskedApproval, ..Task::new() };
        self.walk.position = Position::Single { node: name, visit, task };
    }
}

fn kind_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
