//! Graphs as a driver walks them.

mod conformance;
