//! Graphs as a driver walks them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod chance;
mod conformance;
mod drawings;
mod driver;
mod examples;
mod problems;
mod pruning;
mod scale;
mod walking;
