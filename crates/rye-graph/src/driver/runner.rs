//! What makes the steps of a run.

use lillux::CancelToken;
use serde_json::Value;

use crate::{StartStep, StepFailure};

/// A step to make.
#[derive(Debug)]
pub struct StepCall {
    /// What to do.
    pub start: StartStep,
    /// The id of the run.
    pub run: String,
    /// By what an item knows that it is called again for the same thing.
    pub key: String,
}

/// How a step has ended.
#[derive(Debug)]
pub enum StepOutcome {
    /// Well.
    Gives {
        /// What it gave.
        result: Value,
        /// Whether it is a result that was there before.
        cached: bool,
    },
    /// It failed.
    Fails(StepFailure),
}

/// What makes the steps of a run. Several are made at the same time, each on a thread of its own, unless they are brief.
pub trait StepRunner: Sync {
    /// Makes a step, and comes back soon after `cancel` is cancelled. When it is back, nothing of the step is left.
    fn run(&self, call: &StepCall, cancel: &CancelToken) -> StepOutcome;

    /// Whether a step is over before anybody could want it to end, so that it is not worth a thread: the driver makes it
    /// itself, and hears nothing else until it is done. Its `cancel` is what stops the driver.
    fn is_brief(&self, _start: &StartStep) -> bool {
        false
    }

    /// Whether a step of which nobody knows how it ended may simply be made again.
    fn may_repeat(&self, start: &StartStep) -> bool;
}
