//! The walker: events in, commands out.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::position::{Position, Then};
use super::{Applied, Command, Event, Finish, RestoreError, SNAPSHOT_VERSION, Snapshot};
use crate::graph::{Graph, HookKind, Node};

/// A walk through a graph.
///
/// ```
/// use rye_graph::{Applied, Command, Event, Finish, Graph, Walker};
/// use serde_json::json;
///
/// let graph = Graph::parse(
///     "
/// tool_type: graph
/// executor_id: rye/core/runtimes/state-graph/runtime
/// permissions: {execute: [demo/*]}
/// config:
///   start: greet
///   nodes:
///     greet:
///       action: {item_id: demo/greet, params: {who: '${inputs.who}'}}
///       assign: {greeting: '${result.text}'}
///       next: done
///     done: {type: return, output: '${state.greeting}'}
/// ",
/// )?;
/// let mut walker = Walker::new(graph, json!({"who": "Ada"}));
/// let Some(Command::StartStep(start)) = walker.commands().pop() else { panic!("no step") };
/// assert_eq!((start.item_id.as_str(), &start.params), ("demo/greet", &json!({"who": "Ada"})));
///
/// let event = Event::StepSucceeded { step: start.step, result: json!({"text": "Hello Ada"}) };
/// assert_eq!(walker.apply(event), Applied::Taken);
/// assert_eq!(walker.commands(), [Command::Finish(Finish::Completed { output: json!("Hello Ada") })]);
/// # Ok::<(), rye_graph::GraphError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Walker {
    pub(super) graph: Arc<Graph>,
    pub(super) walk: Snapshot,
}

impl Walker {
    /// Begins a walk. `inputs` are the parameters of the call.
    #[must_use]
    pub fn new(graph: Arc<Graph>, inputs: Value) -> Self {
        let start = graph.start.clone();
        let mut walker = Self::at(graph, inputs, Map::new(), false);
        walker.call_hook(HookKind::GraphStarted, Then::Enter { node: start });
        walker.advance();
        walker
    }

    /// Begins a walk that enters one node, with a given state, and ends after it: without hooks, and with the output
    /// `{"result": …, "assigned": {…}, "next": …}`. It is none if there is no such node.
    #[must_use]
    pub fn for_single_node(
        graph: Arc<Graph>,
        node: &str,
        inputs: Value,
        state: Map<String, Value>,
    ) -> Option<Self> {
        graph.node(node)?;
        let mut walker = Self::at(graph, inputs, state, true);
        walker.walk.position = Position::Entering { node: node.to_owned() };
        walker.advance();
        Some(walker)
    }

    /// Goes on with a walk.
    ///
    /// # Errors
    /// If the snapshot is of another graph, or cannot be one of this crate.
    pub fn restore(graph: Arc<Graph>, snapshot: Snapshot) -> Result<Self, RestoreError> {
        super::restore::check(&graph, &snapshot)?;
        Ok(Self { graph, walk: snapshot })
    }

    fn at(graph: Arc<Graph>, inputs: Value, state: Map<String, Value>, single: bool) -> Self {
        let walk = Snapshot {
            version: SNAPSHOT_VERSION,
            graph: graph.digest,
            inputs,
            state: Value::Object(state),
            sizes: BTreeMap::new(),
            state_bytes: 0,
            result: Value::Null,
            error: Value::Null,
            position: Position::Entering { node: graph.start.clone() },
            paused: false,
            single,
            steps: 0,
            hook_runs: 0,
            visits: BTreeMap::new(),
            pending: VecDeque::new(),
        };
        Self { graph, walk }
    }

    /// Takes note of what has happened. What follows from it are [`Self::commands`].
    pub fn apply(&mut self, event: Event) -> Applied {
        if self.finish().is_some() {
            return Applied::Ignored;
        }
        let applied = match event {
            Event::StepSucceeded { step, result } => self.step_ended(&step, Ok(result)),
            Event::StepFailed { step, failure } => self.step_ended(&step, Err(failure.into())),
            Event::StepInterrupted { step } => self.step_interrupted(&step),
            Event::TimerFired { timer } => self.timer_fired(&timer),
            Event::Answered { step, answer } => self.answered(&step, answer),
            Event::Pause if self.walk.paused => Applied::Ignored,
            Event::Resume if !self.walk.paused => Applied::Ignored,
            Event::Pause => {
                self.walk.paused = true;
                Applied::Taken
            }
            Event::Resume => {
                self.walk.paused = false;
                Applied::Taken
            }
            Event::Cancel { reason } => {
                self.cancel_open();
                self.end(Finish::Cancelled { reason });
                Applied::Taken
            }
        };
        if applied == Applied::Taken {
            self.advance();
        }
        applied
    }

    /// The commands that nobody has taken yet, in the order in which they are to be carried out.
    pub fn commands(&mut self) -> Vec<Command> {
        self.walk.pending.drain(..).collect()
    }

    /// The walk as data, at no cost.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.walk
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// How the run has ended, if it has.
    #[must_use]
    pub fn finish(&self) -> Option<&Finish> {
        self.walk.finish()
    }

    /// Goes on for as long as nobody has to be waited for.
    pub(super) fn advance(&mut self) {
        while !self.walk.paused && self.step_forward() {}
    }

    /// Does one thing, if there is one to be done.
    fn step_forward(&mut self) -> bool {
        match &self.walk.position {
            Position::Entering { .. } => self.enter(),
            Position::Single { .. } => self.start_single(),
            Position::Elements(_) => self.start_elements(),
            Position::Hook { .. } => self.start_hook(),
            Position::Ended { .. } => false,
        }
    }

    pub(super) fn end(&mut self, finish: Finish) {
        self.walk.position = Position::Ended { finish: finish.clone() };
        self.push(Command::Finish(finish));
    }

    pub(super) fn push(&mut self, command: Command) {
        self.walk.pending.push_back(command);
    }

    /// A node that the walk has come to. Names come from the graph, or from a snapshot that was held against it.
    pub(super) fn node_named<'g>(graph: &'g Graph, name: &str) -> &'g Node {
        &graph.nodes[name]
    }
}
