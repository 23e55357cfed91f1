//! Runs that start in processes that were ready, with the helpers of the bundle: whatever the mode, nobody can tell.

mod fork;
mod helper;
mod oneshot;
mod suite;
