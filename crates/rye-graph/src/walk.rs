//! Walking a graph. The [`Walker`] decides, and whoever drives it acts: it starts steps and timers, asks people, and tells
//! what has happened. There is no clock, no chance and no I/O in here, so the same events always give the same commands.

mod command;
mod elements;
mod enter;
mod event;
mod failing;
mod failure;
mod finish;
mod hooks;
mod leave;
mod outcome;
mod position;
mod restore;
mod run_view;
mod scope;
mod snapshot;
mod step_id;
mod tasks;
mod walker;

pub use self::command::{Command, Question, QuestionKind, StartStep};
pub use self::event::{Answer, Applied, Event};
pub use self::failure::{Failure, FailureKind, StepFailure};
pub use self::finish::Finish;
pub use self::restore::RestoreError;
pub use self::run_view::{NodeRun, NodeStatus, RunView};
pub use self::snapshot::{SNAPSHOT_VERSION, Snapshot};
pub use self::step_id::{ParseStepIdError, StepId, StepOwner, TimerId, TimerKind};
pub use self::walker::Walker;
