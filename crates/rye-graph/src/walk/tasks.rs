//! Calls and their attempts: what follows from what the driver tells.

use std::sync::Arc;
use std::time::Duration;

use rye_template::graph::{MAX_VALUE_BYTES, Roots, measure};
use serde_json::{Value, json};

use super::outcome::Setback;
use super::position::{Position, Task, TaskPhase};
use super::scope::as_text;
use super::{
    Answer, Applied, Command, FailureKind, Question, QuestionKind, StartStep, StepId, TimerId, TimerKind,
    Walker,
};
use crate::graph::{Action, OnInterrupt};

impl Walker {
    pub(super) fn step_ended(&mut self, step: &StepId, outcome: Result<Value, Setback>) -> Applied {
        if self.hook_step_ended(step) {
            return Applied::Taken;
        }
        if self.phase_of(step) != Some(TaskPhase::Running) {
            return Applied::Ignored;
        }
        self.cancel_timeout(step);
        self.attempt_ended(step, outcome);
        Applied::Taken
    }

    pub(super) fn step_interrupted(&mut self, step: &StepId) -> Applied {
        // Nobody waits for what a hook does, so there is nothing to find out about it.
        if self.hook_step_ended(step) {
            return Applied::Taken;
        }
        if self.phase_of(step) != Some(TaskPhase::Running) {
            return Applied::Ignored;
        }
        self.cancel_timeout(step);
        let on_interrupt = step.node().and_then(|name| self.graph.node(name)).map(|node| node.on_interrupt);
        match on_interrupt.unwrap_or_default() {
            OnInterrupt::Retry => self.try_again(step),
            OnInterrupt::Fail => self.attempt_ended(step, Err(Setback::interrupted())),
            OnInterrupt::Ask | OnInterrupt::ByItem => {
                self.set_phase(step, TaskPhase::AskedInterrupted);
                self.push(Command::Ask(Question { step: step.clone(), kind: QuestionKind::Interrupted }));
            }
        }
        Applied::Taken
    }

    pub(super) fn timer_fired(&mut self, timer: &TimerId) -> Applied {
        let step = &timer.step;
        match (timer.kind, self.phase_of(step)) {
            (TimerKind::Backoff, Some(TaskPhase::BackingOff)) => self.make_ready(step),
            (TimerKind::Timeout, Some(TaskPhase::Running)) if self.timeout_of(step).is_some() => {
                self.push(Command::CancelStep { step: step.clone() });
                self.attempt_ended(step, Err(Setback::timeout()));
            }
            (TimerKind::Timeout, Some(TaskPhase::AskedApproval)) if self.timeout_of(step).is_some() => {
                self.push(Command::CancelQuestion { step: step.clone() });
                let setback = Setback::lasting(FailureKind::Timeout, "nobody has answered in time");
                self.attempt_ended(step, Err(setback));
            }
            _ => return Applied::Ignored,
        }
        Applied::Taken
    }

    pub(super) fn answered(&mut self, step: &StepId, answer: Answer) -> Applied {
        match (self.phase_of(step), answer) {
            (Some(TaskPhase::AskedApproval), Answer::Approve { by, comment }) => {
                self.cancel_timeout(step);
                self.attempt_ended(step, Ok(json!({"approved": true, "by": by, "comment": comment})));
            }
            (Some(TaskPhase::AskedApproval), Answer::Reject { by, comment }) => {
                self.cancel_timeout(step);
                let setback = Setback::lasting(FailureKind::Rejected, rejection(by, comment));
                self.attempt_ended(step, Err(setback));
            }
            (Some(TaskPhase::AskedInterrupted), Answer::Retry) => self.try_again(step),
            (Some(TaskPhase::AskedInterrupted), Answer::Fail) => {
                self.attempt_ended(step, Err(Setback::interrupted()));
            }
            (Some(TaskPhase::AskedInterrupted), Answer::Done { result }) => {
                self.attempt_ended(step, Ok(result));
            }
            _ => return Applied::Ignored,
        }
        Applied::Taken
    }

    /// An attempt is over: the call is done, tried again, or has failed.
    fn attempt_ended(&mut self, step: &StepId, outcome: Result<Value, Setback>) {
        let checked = outcome.and_then(|result| match measure(&result, MAX_VALUE_BYTES) {
            Ok(_) => Ok(result),
            Err(error) => Err(Setback::lasting(FailureKind::TooLarge, format!("the result: {error}"))),
        });
        match checked {
            Ok(result) => self.call_done(step, result),
            Err(setback) if setback.retryable && self.wait_for_next_attempt(step) => {}
            Err(setback) => self.call_failed(step, setback),
        }
    }

    fn call_done(&mut self, step: &StepId, result: Value) {
        match (step.node(), step.index) {
            (Some(_), Some(index)) => self.element_done(index, result),
            (Some(name), None) => {
                self.walk.result = result;
                self.leave(name);
            }
            (None, _) => {}
        }
    }

    pub(super) fn call_failed(&mut self, step: &StepId, setback: Setback) {
        let Some(name) = step.node() else { return };
        let failure = setback.into_failure(name, Some(step.clone()));
        match step.index {
            Some(index) => self.element_failed(index, failure),
            None => self.fail_node(failure),
        }
    }

    /// Prepares another attempt, if there is one left.
    fn wait_for_next_attempt(&mut self, step: &StepId) -> bool {
        let Some(retry) = step.node().and_then(|name| self.graph.node(name)).map(|node| node.retry) else {
            return false;
        };
        let Some(task) = self.task_mut(step).filter(|task| task.failures < retry.max) else { return false };
        task.failures += 1;
        task.attempt = task.attempt.saturating_add(1);
        let (failures, attempt) = (task.failures, task.attempt);
        let next = step.with_attempt(attempt);
        let after = retry.wait_after(failures);
        if after.is_zero() {
            self.make_ready(&next);
        } else {
            self.set_phase(&next, TaskPhase::BackingOff);
            let timer = TimerId { step: next, kind: TimerKind::Backoff };
            self.push(Command::StartTimer { timer, after, jitter: retry.jitter_after(failures) });
        }
        true
    }

    /// Makes the same call again, which is no attempt that failed.
    fn try_again(&mut self, step: &StepId) {
        if let Some(task) = self.task_mut(step) {
            task.attempt = task.attempt.saturating_add(1);
            let next = step.with_attempt(task.attempt);
            self.make_ready(&next);
        }
    }

    fn make_ready(&mut self, step: &StepId) {
        self.set_phase(step, TaskPhase::Ready);
        if let (Position::Elements(elements), Some(index)) = (&mut self.walk.position, step.index) {
            elements.ready.push_back(index);
        }
    }

    /// Starts the call of the node that the walk is in.
    pub(super) fn start_single(&mut self) -> bool {
        let Position::Single { node: name, visit, task } = &self.walk.position else { return false };
        if task.phase != TaskPhase::Ready {
            return false;
        }
        let step = StepId {
            owner: super::StepOwner::Node(name.clone()),
            visit: *visit,
            index: None,
            attempt: task.attempt,
        };
        let graph = Arc::clone(&self.graph);
        let node = Self::node_named(&graph, name);
        let Some(action) = node.action() else { return false };
        match self.render_start(step.clone(), action, node.cache_result, &self.walk.roots()) {
            Ok(start) => self.start(start),
            Err(setback) => self.call_failed(&step, setback),
        }
        true
    }

    /// Starts a step, and the timer for it.
    pub(super) fn start(&mut self, start: StartStep) {
        let step = start.step.clone();
        self.set_phase(&step, TaskPhase::Running);
        self.push(Command::StartStep(start));
        if let Some(name) = step.node() {
            self.start_timeout(name, &step);
        }
    }

    /// Fills in an action, and sees to it that it may run.
    pub(super) fn render_start(
        &self,
        step: StepId,
        action: &Action,
        cache_result: bool,
        roots: &Roots<'_>,
    ) -> Result<StartStep, Setback> {
        let template = |error: rye_template::graph::InterpolateError| {
            Setback::lasting(FailureKind::Template, error.to_string())
        };
        let item_id = as_text(&action.item_id.render(roots).map_err(template)?);
        let item_kind = action.item_kind;
        if !self.graph.permissions.allow(item_kind, &item_id) {
            let message = format!("the graph has no permission to execute `{item_kind}:{item_id}`");
            return Err(Setback::lasting(FailureKind::NotPermitted, message));
        }
        let params = action.render_params(roots).map_err(template)?;
        Ok(StartStep { step, item_kind, item_id, params, cache_result })
    }

    pub(super) fn start_timeout(&mut self, name: &str, step: &StepId) {
        if let Some(after) = self.graph.node(name).and_then(|node| node.timeout) {
            let timer = TimerId { step: step.clone(), kind: TimerKind::Timeout };
            self.push(Command::StartTimer { timer, after, jitter: Duration::ZERO });
        }
    }

    pub(super) fn cancel_timeout(&mut self, step: &StepId) {
        if self.timeout_of(step).is_some() {
            let timer = TimerId { step: step.clone(), kind: TimerKind::Timeout };
            self.push(Command::CancelTimer { timer });
        }
    }

    pub(super) fn timeout_of(&self, step: &StepId) -> Option<Duration> {
        self.graph.node(step.node()?)?.timeout
    }

    pub(super) fn phase_of(&self, step: &StepId) -> Option<TaskPhase> {
        self.task(step).map(|task| task.phase)
    }

    fn set_phase(&mut self, step: &StepId, phase: TaskPhase) {
        if let Some(task) = self.task_mut(step) {
            task.phase = phase;
        }
    }

    /// The call that `step` is the current attempt of.
    pub(super) fn task(&self, step: &StepId) -> Option<&Task> {
        let task = match (&self.walk.position, step.index) {
            (Position::Single { node, visit, task }, None)
                if step.node() == Some(node) && *visit == step.visit =>
            {
                Some(task)
            }
            (Position::Elements(elements), Some(index))
                if step.node() == Some(&elements.node) && elements.visit == step.visit =>
            {
                elements.open.get(&index)
            }
            _ => None,
        };
        task.filter(|task| task.attempt == step.attempt)
    }

    fn task_mut(&mut self, step: &StepId) -> Option<&mut Task> {
        self.task(step)?;
        match (&mut self.walk.position, step.index) {
            (Position::Single { task, .. }, None) => Some(task),
            (Position::Elements(elements), Some(index)) => elements.open.get_mut(&index),
            _ => None,
        }
    }
}

fn rejection(by: Option<String>, comment: Option<String>) -> String {
    let by = by.map(|by| format!(" by {by}")).unwrap_or_default();
    let comment = comment.map(|comment| format!(": {comment}")).unwrap_or_default();
    format!("rejected{by}{comment}")
}
