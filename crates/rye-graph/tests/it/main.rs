//! Graphs as a driver walks them.

mod conformance;
mod drawings;
mod examples;
mod problems;
mod scale;
mod walking;
