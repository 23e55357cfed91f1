//! What the walker tells the driver.

use std::time::Duration;

use rye_item::ItemKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Finish, StepId, TimerId};

/// Something to do. Commands are carried out in their order: what [`Command::CancelStep`] names has ended before what
/// comes after it is started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Command {
    /// Execute an item, and tell how it ended.
    StartStep(StartStep),
    /// End a step. What it may still say is ignored.
    CancelStep {
        /// The step.
        step: StepId,
    },
    /// Tell when some time is over.
    StartTimer {
        /// The timer.
        timer: TimerId,
        /// How long it takes, in milliseconds in JSON.
        #[serde(with = "milliseconds")]
        after: Duration,
        /// By how much it may be longer. The driver chooses.
        #[serde(with = "milliseconds")]
        jitter: Duration,
    },
    /// Forget a timer.
    CancelTimer {
        /// The timer.
        timer: TimerId,
    },
    /// Ask a person.
    Ask(Question),
    /// Forget a question.
    CancelQuestion {
        /// The step that it is about.
        step: StepId,
    },
    /// The run is over. This is the last command.
    Finish(Finish),
}

/// A step to start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StartStep {
    /// Its name.
    pub step: StepId,
    /// The kind of the item.
    pub item_kind: ItemKind,
    /// The id of the item, which the graph may execute.
    pub item_id: String,
    /// The parameters, with everything filled in.
    pub params: Value,
    /// Whether a result of the same call, by item and parameters, may be used again.
    pub cache_result: bool,
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The step that it is about, by which the answer finds its way back.
    pub step: StepId,
    /// What it is about.
    pub kind: QuestionKind,
}

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum QuestionKind {
    /// A manual gate: approve or reject.
    Approval {
        /// What the graph says.
        message: String,
    },
    /// A step of which nobody knows how it ended: retry, fail or done.
    Interrupted,
}

/// Times as whole milliseconds, which every JSON reader has.
mod milliseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_millis)
    }
}
