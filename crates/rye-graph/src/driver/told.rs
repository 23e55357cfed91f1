//! What a driver tells while it drives.

use std::time::Duration;

use serde::Serialize;

use crate::{Finish, Question, StepFailure, StepId, TimerKind};

/// Something that has happened, and is in the journal. As JSON it is one line.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Told {
    /// The driver has begun, or gone on.
    Driving {
        /// The run.
        run: String,
        /// Whether it was begun before.
        resumed: bool,
    },
    /// A step was started.
    StepStarted {
        /// The step.
        step: StepId,
        /// The item.
        item: String,
        /// For a list: how far it has come.
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        elements: Option<ElementsDone>,
    },
    /// A step has ended.
    StepEnded {
        /// The step.
        step: StepId,
        /// How.
        #[serde(flatten)]
        end: StepEnd,
        /// How long it took.
        #[serde(rename = "duration_ms", serialize_with = "as_milliseconds")]
        duration: Duration,
        /// For a list: how far it has come.
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        elements: Option<ElementsDone>,
    },
    /// Nobody knows how a step ended, because its driver was gone.
    StepInterrupted {
        /// The step.
        step: StepId,
    },
    /// The next attempt, or the end of a step's time, was put off until then.
    TimerStarted {
        /// The step.
        step: StepId,
        /// What it is for.
        timer: TimerKind,
        /// When it is over, in milliseconds since 1970.
        due: i64,
    },
    /// The time of a step is over.
    TimedOut {
        /// The step.
        step: StepId,
    },
    /// A person has to say something.
    Asked(Question),
    /// Somebody has said something.
    Heard {
        /// What, as it is in the journal.
        message: serde_json::Value,
    },
    /// The run is over.
    Finished(Finish),
}

/// How far a list has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ElementsDone {
    /// So many elements are done, or have failed for good.
    pub done: u32,
    /// So many there are.
    pub of: u32,
}

/// How a step has ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum StepEnd {
    /// Well.
    Succeeded {
        /// Whether it is a result that was there before.
        cached: bool,
    },
    /// It failed.
    Failed(StepFailure),
}

fn as_milliseconds<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(lillux::clock::milliseconds(*duration))
}
