//! The engine on real files: what it sees after a change, in many threads, and in a hostile tree.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod attacks;
mod chance;
mod declined_sessions;
mod help;
mod hostile;
mod locks;
mod long_life;
mod long_life_plans;
mod project_trust;
mod random_changes;
mod records;
mod run_secrets;
mod sign_preview;
mod signing;
mod threads;
mod tree;
mod warm;
