//! Graphs as a driver walks them.

mod conformance;
mod examples;
mod problems;
mod scale;
mod walking;
