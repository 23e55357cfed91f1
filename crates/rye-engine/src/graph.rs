//! Running graphs: every step goes the way of any execution.

mod check;
mod circle;
mod harm;
mod known_graphs;
mod result_cache;
mod runs;
mod steps;
mod verified;

pub use self::check::GraphCheck;
pub(crate) use self::check::{NamedItems, check_file};
pub(crate) use self::harm::may_destroy;
pub(crate) use self::known_graphs::KnownGraphs;
pub use self::runs::{DriveRequest, GraphStart};
pub use self::verified::VerifiedGraph;

/// The variable by which a graph knows the graphs that it is a step of.
pub const ANCESTORS_VARIABLE: &str = "RYE_GRAPH_ANCESTORS";
/// The variable by which a step knows that it is made again.
pub const KEY_VARIABLE: &str = "RYE_IDEMPOTENCY_KEY";
