//! The check that dependencies between the crates point downward only.

mod graph;
mod rules;
mod table;

pub(crate) use rules::check_workspace;
