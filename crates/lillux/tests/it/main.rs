//! Lillux against the real machine: real processes, files, servers and peers.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod canonical_json;
mod cas;
mod cas_processes;
mod envelope;
mod http;
mod interop;
mod keys;
mod peer;
mod process;
mod watch;
