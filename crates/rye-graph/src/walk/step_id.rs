//! The names of steps and timers. They follow from the walk alone, so they are the same whenever it is walked again.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::graph::HookKind;

/// One attempt of one call, or one question of a manual gate.
///
/// As text it is `fetch#2[17]@1`: the node, its visit, the element of a `foreach`, the attempt. An action of a hook is
/// `hook:after_step#3[0]@1`. Visits and attempts count from 1, elements from 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId {
    /// Who has the step.
    pub owner: StepOwner,
    /// How often the owner had its turn, this time included.
    pub visit: u32,
    /// The element of the list, or the number of the hook's action.
    pub index: Option<u32>,
    /// The number of the attempt.
    pub attempt: u32,
}

/// Who has a step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepOwner {
    /// A node.
    Node(String),
    /// A hook.
    Hook(HookKind),
}

/// A timer of a step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TimerId {
    /// The step that it belongs to; for a wait before an attempt, that attempt.
    pub step: StepId,
    /// What it is for.
    pub kind: TimerKind,
}

/// What a timer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimerKind {
    /// The step takes too long.
    Timeout,
    /// The step may start.
    Backoff,
}

/// A text that names no step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the name of a step, such as `fetch#2[17]@1`")]
pub struct ParseStepIdError {
    text: String,
}

impl StepId {
    /// What all attempts of the same call have in common. Together with the id of the run it tells a tool that a call
    /// is the same one again.
    #[must_use]
    pub fn call(&self) -> String {
        let text = self.to_string();
        text.rsplit_once('@').map_or(text.clone(), |(call, _)| call.to_owned())
    }

    /// The node, if the step is one of a node.
    #[must_use]
    pub fn node(&self) -> Option<&str> {
        match &self.owner {
            StepOwner::Node(name) => Some(name),
            StepOwner::Hook(_) => None,
        }
    }

    pub(crate) fn with_attempt(&self, attempt: u32) -> Self {
        Self { attempt, ..self.clone() }
    }
}

impl fmt::Display for StepId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.owner {
            StepOwner::Node(name) => f.write_str(name)?,
            StepOwner::Hook(hook) => write!(f, "hook:{}", hook.name())?,
        }
        write!(f, "#{}", self.visit)?;
        if let Some(index) = self.index {
            write!(f, "[{index}]")?;
        }
        write!(f, "@{}", self.attempt)
    }
}

impl FromStr for StepId {
    type Err = ParseStepIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text)
            .filter(|id| id.to_string() == text)
            .ok_or_else(|| ParseStepIdError { text: text.to_owned() })
    }
}

fn parse(text: &str) -> Option<StepId> {
    let (owner, rest) = text.rsplit_once('#')?;
    let (rest, attempt) = rest.split_once('@')?;
    let (visit, index) = match rest.split_once('[') {
        Some((visit, index)) => (visit, Some(index.strip_suffix(']')?.parse().ok()?)),
        None => (rest, None),
    };
    let owner = match owner.strip_prefix("hook:") {
        Some(name) => StepOwner::Hook(HookKind::ALL.into_iter().find(|(word, _)| *word == name)?.1),
        None => StepOwner::Node(owner.to_owned()),
    };
    Some(StepId { owner, visit: visit.parse().ok()?, index, attempt: attempt.parse().ok()? })
}

impl Serialize for StepId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StepId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for text in ["fetch#1@1", "fetch#2[17]@3", "hook:after_step#3[0]@1", "a-b_c#4294967295@1"] {
            assert_eq!(text.parse::<StepId>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "fetch",
            "fetch#1",
            "fetch#1[2@1",
            "fetch#01@1",
            "hook:other#1@1",
            "fetch#-1@1",
            "fetch#1@+1",
        ] {
            assert!(text.parse::<StepId>().is_err(), "{text}");
        }
        assert_eq!("fetch#2[17]@3".parse::<StepId>().unwrap().call(), "fetch#2[17]");
    }
}
