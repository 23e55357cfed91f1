//! How a run ends.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Failure;

/// How a run has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Finish {
    /// At a node of `type: return`.
    Completed {
        /// What the node gave. For a run of a single node: `result`, `assigned` and `next`.
        output: Value,
    },
    /// A node has failed, and nothing was there to go on with.
    Failed {
        /// Why.
        failure: Failure,
    },
    /// Somebody has asked for it.
    Cancelled {
        /// What they said.
        reason: String,
    },
}
