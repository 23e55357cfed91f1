//! What a walk waits for, and whether a snapshot can be gone on with.

use super::position::{Position, TaskPhase, Then};
use super::scope::as_text;
use super::{
    Command, Question, QuestionKind, SNAPSHOT_VERSION, Snapshot, StartStep, StepId, StepOwner, TimerId,
    TimerKind, Walker,
};
use crate::graph::{Gate, Graph, NodeKind};

/// A snapshot that cannot be gone on with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// It was made by a program that writes another form.
    #[error("the snapshot has the form {found}, and not {SNAPSHOT_VERSION}")]
    Version {
        /// The form that it has.
        found: u32,
    },
    /// The graph is not the one that was walked.
    #[error("the snapshot belongs to another graph, or to another version of it")]
    OtherGraph,
    /// It says something that no walk through the graph can have come to.
    #[error("the snapshot does not fit the graph: {message}")]
    Invalid {
        /// What that is.
        message: String,
    },
}

impl Walker {
    /// The steps that were started and have not ended, as far as the walk knows. After a restart, the driver tells of each
    /// how it ended, or that it was interrupted; one that it never started it starts now ([`Self::start_of`]).
    #[must_use]
    pub fn open_steps(&self) -> Vec<StepId> {
        let running = |(step, phase): (StepId, TaskPhase)| (phase == TaskPhase::Running).then_some(step);
        self.tasks().into_iter().filter_map(running).chain(self.open_hook_step()).collect()
    }

    /// The command that starts an open step, once more.
    #[must_use]
    pub fn start_of(&self, step: &StepId) -> Option<StartStep> {
        if self.open_hook_step().as_ref() == Some(step) {
            return self.start_of_hook(step);
        }
        if self.phase_of(step)? != TaskPhase::Running {
            return None;
        }
        let node = self.graph.node(step.node()?)?;
        match &node.kind {
            NodeKind::Foreach(foreach) => self.render_element(step.clone(), node, foreach).ok(),
            NodeKind::Action(action) => {
                self.render_start(step.clone(), action, node.cache_result, &self.walk.roots()).ok()
            }
            NodeKind::Gate(_) | NodeKind::Return { .. } => None,
        }
    }

    /// The timers that the walk waits for, as the commands that start them. After a restart they are started again.
    #[must_use]
    pub fn open_timers(&self) -> Vec<Command> {
        let mut timers = Vec::new();
        for (step, phase) in self.tasks() {
            let Some(node) = step.node().and_then(|name| self.graph.node(name)) else { continue };
            match (phase, node.timeout) {
                (TaskPhase::Running | TaskPhase::AskedApproval, Some(after)) => {
                    let timer = TimerId { step, kind: TimerKind::Timeout };
                    timers.push(Command::StartTimer { timer, after, jitter: std::time::Duration::ZERO });
                }
                (TaskPhase::BackingOff, _) => {
                    let failures = self.task(&step).map_or(1, |task| task.failures);
                    let timer = TimerId { step, kind: TimerKind::Backoff };
                    let (after, jitter) =
                        (node.retry.wait_after(failures), node.retry.jitter_after(failures));
                    timers.push(Command::StartTimer { timer, after, jitter });
                }
                _ => {}
            }
        }
        timers
    }

    /// The questions that nobody has answered yet.
    #[must_use]
    pub fn questions(&self) -> Vec<Question> {
        let question = |(step, phase): (StepId, TaskPhase)| match phase {
            TaskPhase::AskedInterrupted => Some(Question { step, kind: QuestionKind::Interrupted }),
            TaskPhase::AskedApproval => {
                let message = self.gate_message(&step);
                Some(Question { step, kind: QuestionKind::Approval { message } })
            }
            TaskPhase::Ready | TaskPhase::Running | TaskPhase::BackingOff => None,
        };
        self.tasks().into_iter().filter_map(question).collect()
    }

    /// Tells the driver to give up everything that it has under way.
    pub(super) fn cancel_open(&mut self) {
        if let Some(step) = self.open_hook_step() {
            self.push(Command::CancelStep { step });
        }
        for (step, phase) in self.tasks() {
            match phase {
                TaskPhase::Ready => {}
                TaskPhase::Running => {
                    self.push(Command::CancelStep { step: step.clone() });
                    self.cancel_timeout(&step);
                }
                TaskPhase::BackingOff => {
                    self.push(Command::CancelTimer { timer: TimerId { step, kind: TimerKind::Backoff } });
                }
                TaskPhase::AskedInterrupted => self.push(Command::CancelQuestion { step }),
                TaskPhase::AskedApproval => {
                    self.push(Command::CancelQuestion { step: step.clone() });
                    self.cancel_timeout(&step);
                }
            }
        }
    }

    fn gate_message(&self, step: &StepId) -> String {
        let node = step.node().and_then(|name| self.graph.node(name));
        match node.map(|node| &node.kind) {
            Some(NodeKind::Gate(Gate::Manual { message: Some(message) })) => {
                message.render(&self.walk.roots()).as_ref().map(as_text).unwrap_or_default()
            }
            _ => String::new(),
        }
    }

    /// The calls that are under way.
    fn tasks(&self) -> Vec<(StepId, TaskPhase)> {
        match &self.walk.position {
            Position::Single { node, visit, task } => {
                let owner = StepOwner::Node(node.clone());
                vec![(StepId { owner, visit: *visit, index: None, attempt: task.attempt }, task.phase)]
            }
            Position::Elements(elements) => elements
                .open
                .iter()
                .map(|(&index, task)| (elements.step(index, task.attempt), task.phase))
                .collect(),
            Position::Entering { .. } | Position::Hook { .. } | Position::Ended { .. } => Vec::new(),
        }
    }
}

/// Holds a snapshot against the graph, so that the walker can rely on what is in it.
pub(super) fn check(graph: &Graph, snapshot: &Snapshot) -> Result<(), RestoreError> {
    if snapshot.version != SNAPSHOT_VERSION {
        return Err(RestoreError::Version { found: snapshot.version });
    }
    if snapshot.graph != graph.digest {
        return Err(RestoreError::OtherGraph);
    }
    let invalid = |message: &str| Err(RestoreError::Invalid { message: message.to_owned() });
    if !snapshot.state.is_object() {
        return invalid("the state is not a map");
    }
    let name = match &snapshot.position {
        Position::Entering { node }
        | Position::Single { node, .. }
        | Position::Hook { then: Then::Enter { node }, .. } => node,
        Position::Elements(elements) => &elements.node,
        Position::Hook { .. } | Position::Ended { .. } => return Ok(()),
    };
    let Some(node) = graph.node(name) else { return invalid("it is at a node that does not exist") };
    match (&snapshot.position, &node.kind) {
        (Position::Single { .. }, NodeKind::Action(_) | NodeKind::Gate(Gate::Manual { .. })) => Ok(()),
        (Position::Single { .. }, _) => invalid("it is in a node that has no call"),
        (Position::Elements(elements), NodeKind::Foreach(_)) => {
            let count = elements.items.len();
            let known = |index: &u32| (*index as usize) < count;
            let fits = elements.open.keys().chain(elements.collected.keys()).all(known)
                && elements.ready.iter().all(|index| elements.open.contains_key(index));
            if fits { Ok(()) } else { invalid("it has elements that do not exist") }
        }
        (Position::Elements(_), _) => invalid("it goes through a list in a node that has none"),
        _ => Ok(()),
    }
}
