//! How something failed.

use serde::{Deserialize, Serialize};

use super::StepId;

/// Why a step has failed, as the driver knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepFailure {
    /// A stable code, such as `TOOL_FAILED`.
    pub code: String,
    /// What happened, for a person.
    pub message: String,
    /// Whether another attempt may have another outcome. Without it there is none, whatever the node's `retry` says.
    pub retryable: bool,
}

/// Why a node, or the run, has failed. Templates see it as `${error.…}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The node.
    pub node: String,
    /// The last step, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// What sort of failure it is.
    pub kind: FailureKind,
    /// The code of the step's failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What happened, for a person.
    pub message: String,
}

/// What sort of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureKind {
    /// The item that was executed has failed.
    Step,
    /// It took too long.
    Timeout,
    /// Nobody knows how it ended, and it counts as failed.
    Interrupted,
    /// A person has said no.
    Rejected,
    /// The graph may not execute the item.
    NotPermitted,
    /// A template could not be filled in, or what came out cannot be used.
    Template,
    /// No branch of the node's `next` holds.
    NoBranch,
    /// The state, or a result, is too large or nested too deep.
    TooLarge,
    /// The run would enter more nodes than it may.
    Limit,
}

impl FailureKind {
    /// Whether a run that goes on after failures stops at this one.
    pub(crate) fn is_final(self) -> bool {
        match self {
            Self::Rejected | Self::NoBranch | Self::Limit => true,
            Self::Step
            | Self::Timeout
            | Self::Interrupted
            | Self::NotPermitted
            | Self::Template
            | Self::TooLarge => false,
        }
    }
}
