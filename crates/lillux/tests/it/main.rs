//! Lillux against the real machine: real processes, files and peers.

mod process;
