//! Lillux against the real machine: real processes, files, servers and peers.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod http;
mod process;
//! Lillux against the real machine: real files, real processes.
#![expect(clippy::unwrap_used, reason = "the helpers of tests may fail like the tests themselves")]
mod canonical_json;
mod cas;
mod cas_processes;
mod watch;
//! Keys as another crate sees them, and as other programs see them.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, and says where")]
//! Keys and envelopes as another crate sees them, and as other programs see them.
mod envelope;
mod interop;
mod keys;
mod peer;
