//! The `lillux` program as a person or a script meets it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cas;
mod command_line;
mod detached;
mod envelope;
mod exec;
mod identity;
mod interrupt;
mod keys;
mod memory;
mod patience;
mod processes;
mod space;
mod supervisor_death;
mod time;
mod unreadable;
mod watch;
