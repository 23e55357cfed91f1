//! What other processes have to say to whoever drives a run.

use serde::{Deserialize, Serialize};

use crate::{Answer, Event, StepId};

/// Something that another process says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum Message {
    /// The answer to a question.
    Answer {
        /// The step that the question is about.
        step: StepId,
        /// The answer.
        answer: Answer,
    },
    /// The run is to end.
    Cancel {
        /// Why, for a person.
        reason: String,
    },
    /// No more steps are to be started.
    Pause,
}

impl From<Message> for Event {
    fn from(message: Message) -> Self {
        match message {
            Message::Answer { step, answer } => Self::Answered { step, answer },
            Message::Cancel { reason } => Self::Cancel { reason },
            Message::Pause => Self::Pause,
        }
    }
}
