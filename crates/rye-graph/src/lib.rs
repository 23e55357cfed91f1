//! State graphs: tools that are made of other tools.
//!
//! A graph is a YAML tool whose `config` has nodes: each executes an item, branches, goes through a list, waits for a
//! person, or ends the run. [`read`] turns the text of such a file into a [`Graph`] with everything checked that can be
//! checked without the items themselves, each problem with its line and column. A [`Walker`] walks it. [`draw`] shows it.
//!
//! Nothing here does anything: the walker says what is to be done and is told what has happened, and has neither clock nor
//! chance nor I/O. So a journal of events leads to the same place again, whoever keeps it. [`conformance`] has what a
//! driver can be tested with.
//!
//! It refuses a graph that would execute what its `permissions` do not name, and a walker refuses the same again with the id
//! that a template has given.

mod check;
pub mod conformance;
pub mod draw;
pub mod driver;
mod graph;
mod read;
pub mod schema;
mod walk;

pub use graph::{
    Action, ActionSite, ActionSites, Branch, Collect, DEFAULT_MAX_BACKOFF, DEFAULT_MAX_STEPS, Foreach, Gate,
    Graph, GraphError, HookKind, Hooks, MAX_ELEMENTS, MAX_MAX_STEPS, MAX_NODES, MAX_RETRIES, MAX_STATE_BYTES,
    Node, NodeKind, OnError, OnInterrupt, Param, PermissionPattern, Permissions, Policy, Retry,
};
pub use read::{MAX_PARALLEL, MAX_TIME, Read, read};
pub use walk::{
    Answer, Applied, Command, Event, Failure, FailureKind, Finish, NodeRun, NodeStatus, ParseStepIdError,
    Question, QuestionKind, RestoreError, RunView, SNAPSHOT_VERSION, Snapshot, StartStep, StepFailure,
    StepId, StepOwner, TimerId, TimerKind, Walker,
};
