//! Runs that start in processes that were ready, with the helpers of the bundle: whatever the mode, nobody can tell.

mod chain;
mod fork;
mod oneshot;
mod suite;
