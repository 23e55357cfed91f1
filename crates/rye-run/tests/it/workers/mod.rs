//! Runs that start in processes that were ready, with small helpers.

mod bench;
mod corpus;
mod lending;
mod pool;

pub(crate) use bench::Bench;
