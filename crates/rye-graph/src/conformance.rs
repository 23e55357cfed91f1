//! What a driver can be tested with: scenarios with their traces, random graphs, and a player that is a driver without a
//! world.
//!
//! Another driver runs the graph of a [`Scenario`] with tools that end as [`Scenario::outcome`] says, writes down what it was
//! told as [`line()`] does, and has to come to the same trace.

mod player;
mod random;
mod scenario;

pub use self::player::{Player, line};
pub use self::random::{random_graph, random_outcome};
pub use self::scenario::{Outcome, Scenario, scenarios};
