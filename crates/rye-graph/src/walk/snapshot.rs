//! A walk as data.

use std::collections::{BTreeMap, VecDeque};

use rye_item::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::position::{Position, Visits};
use super::{Command, Finish};

/// The form of the snapshots that this crate writes, and the only one that it reads.
pub const SNAPSHOT_VERSION: u32 = 1;

/// Everything about a walk but the graph, of which it has the digest. It is written as JSON; what is in it is the concern
/// of the walker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    pub(crate) version: u32,
    pub(crate) graph: Digest,
    pub(crate) inputs: Value,
    pub(crate) state: Value,
    /// The size of each value of the state.
    pub(crate) sizes: BTreeMap<String, usize>,
    /// Their sum.
    pub(crate) state_bytes: usize,
    /// What the last step gave; null before the first one.
    pub(crate) result: Value,
    /// How the last node that failed did; null before.
    pub(crate) error: Value,
    pub(crate) position: Position,
    pub(crate) paused: bool,
    /// Whether only one node is walked.
    pub(crate) single: bool,
    /// How many nodes were entered.
    pub(crate) steps: u32,
    /// How often hooks were called.
    pub(crate) hook_runs: u32,
    pub(crate) visits: BTreeMap<String, Visits>,
    /// Commands that nobody has taken yet.
    pub(crate) pending: VecDeque<Command>,
}

impl Snapshot {
    /// The digest of the graph that it belongs to.
    #[must_use]
    pub fn graph(&self) -> Digest {
        self.graph
    }

    /// What the run was started with.
    #[must_use]
    pub fn inputs(&self) -> &Value {
        &self.inputs
    }

    /// The state, a map.
    #[must_use]
    pub fn state(&self) -> &Value {
        &self.state
    }

    /// How many nodes were entered.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Whether the run is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// How the run has ended, if it has.
    #[must_use]
    pub fn finish(&self) -> Option<&Finish> {
        match &self.position {
            Position::Ended { finish } => Some(finish),
            _ => None,
        }
    }
}
