//! The engine on real files: what it sees after a change, in many threads, and in a hostile tree.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod attacks;
mod chance;
mod hostile;
mod long_life;
mod random_changes;
mod threads;
mod tree;
