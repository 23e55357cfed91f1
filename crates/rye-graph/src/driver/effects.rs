//! What followed from an event: the steps that were about to be started, and the timers with the time that was chosen.

use serde::{Deserialize, Serialize};

use super::timers::DueTimer;
use crate::{Command, StepId};

/// What followed from an event, as far as the walker alone cannot tell it again, or can be held against it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Effects {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) starts: Vec<StepId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) timers: Vec<DueTimer>,
}

impl Effects {
    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty() && self.timers.is_empty()
    }

    /// The steps that commands start.
    pub(super) fn starts_of(commands: &[Command]) -> Vec<StepId> {
        let start = |command: &Command| match command {
            Command::StartStep(start) => Some(start.step.clone()),
            _ => None,
        };
        commands.iter().filter_map(start).collect()
    }
}
