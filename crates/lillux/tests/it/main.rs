//! Lillux against the real machine: real processes, files, servers and peers.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod http;
mod process;
