//! Scenarios: a graph, how its steps end, and what has to come of it.

use std::collections::BTreeMap;

use rye_metadata::read_placed_yaml;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Answer, StepFailure, StepId};

/// A run whose course is known.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it is about.
    pub about: String,
    /// The text of the graph's file.
    pub graph: String,
    /// What the run is started with.
    #[serde(default)]
    pub inputs: Value,
    /// How steps end, by their names; see [`Self::outcome`] for the others.
    #[serde(default)]
    pub outcomes: BTreeMap<String, Outcome>,
    /// The commands, one a line, without those that take a timer back.
    pub trace: Vec<String>,
}

/// How a step ends, or what a person answers.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ends well.
    Gives(Value),
    /// It fails, and may be tried again.
    Fails(String),
    /// It fails in a way that another attempt does not change.
    FailsForGood(String),
    /// It goes on until it is cancelled.
    Hangs,
    /// The driver loses sight of it.
    Interrupted,
    /// A person answers the question about it.
    Answered(Answer),
    /// The driver loses sight of it, and a person answers.
    InterruptedThen(Answer),
}

const FILES: [&str; 13] = [
    include_str!("../../scenarios/chain.yaml"),
    include_str!("../../scenarios/branches.yaml"),
    include_str!("../../scenarios/retry.yaml"),
    include_str!("../../scenarios/timeout.yaml"),
    include_str!("../../scenarios/foreach.yaml"),
    include_str!("../../scenarios/foreach_fails.yaml"),
    include_str!("../../scenarios/foreach_continues.yaml"),
    include_str!("../../scenarios/error_node.yaml"),
    include_str!("../../scenarios/hooks.yaml"),
    include_str!("../../scenarios/limit.yaml"),
    include_str!("../../scenarios/manual_gate.yaml"),
    include_str!("../../scenarios/rejected.yaml"),
    include_str!("../../scenarios/interrupted.yaml"),
];

/// All scenarios.
///
/// # Panics
/// Never: the files are part of the program, and a test reads them.
#[must_use]
pub fn scenarios() -> Vec<Scenario> {
    let read = |text: &&str| {
        let file = read_placed_yaml(text.as_bytes()).expect("a scenario is YAML");
        serde_json::from_value(file.to_value()).expect("a scenario has the fields of one")
    };
    FILES.iter().map(read).collect()
}

impl Scenario {
    /// How a step ends. One that is not named ends well and gives its parameters.
    #[must_use]
    pub fn outcome(&self, step: &StepId, params: &Value) -> Outcome {
        self.outcomes.get(&step.to_string()).cloned().unwrap_or_else(|| Outcome::Gives(params.clone()))
    }
}

impl Outcome {
    /// The failure, if it is one that is told at once.
    #[must_use]
    pub fn failure(&self) -> Option<StepFailure> {
        let (message, retryable) = match self {
            Self::Fails(message) => (message, true),
            Self::FailsForGood(message) => (message, false),
            _ => return None,
        };
        Some(StepFailure { code: "TOOL_FAILED".to_owned(), message: message.clone(), retryable })
    }
}

impl Default for Outcome {
    fn default() -> Self {
        Self::Gives(json!({}))
    }
}
