//! What the driver tells the walker.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{StepFailure, StepId, TimerId};

/// Something that has happened. A journal of these is all that is needed to come to the same place again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A step has ended well.
    StepSucceeded {
        /// The step.
        step: StepId,
        /// What it gave.
        result: Value,
    },
    /// A step has failed.
    StepFailed {
        /// The step.
        step: StepId,
        /// Why.
        failure: StepFailure,
    },
    /// Nobody knows how a step ended: the driver was gone while it ran.
    StepInterrupted {
        /// The step.
        step: StepId,
    },
    /// The time of a timer is over.
    TimerFired {
        /// The timer.
        timer: TimerId,
    },
    /// A person has answered a question.
    Answered {
        /// The step that the question is about.
        step: StepId,
        /// What they said.
        answer: Answer,
    },
    /// No more steps are to be started for now.
    Pause,
    /// The run is to go on.
    Resume,
    /// The run is to end.
    Cancel {
        /// Why, for a person.
        reason: String,
    },
}

/// What a person said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// A manual gate is opened. The node's result is `{"approved": true, "by": …, "comment": …}`.
    Approve {
        /// Who it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
        /// What they had to say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
    },
    /// A manual gate stays shut: the node fails.
    Reject {
        /// Who it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
        /// What they had to say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
    },
    /// An interrupted step is to be made again.
    Retry,
    /// An interrupted step counts as failed.
    Fail,
    /// An interrupted step has ended well after all.
    Done {
        /// What it gave.
        result: Value,
    },
}

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Applied {
    /// The walk has gone on by it.
    Taken,
    /// Nothing waited for it, and nothing has changed: it came too late, twice, or is about something unknown.
    Ignored,
}
