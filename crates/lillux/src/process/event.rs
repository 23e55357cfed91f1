//! What is told about a process while it runs.

use super::{Channel, Ending, Mechanism};

/// One thing that happened to a running process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessEvent<'a> {
    /// The program has been loaded.
    Started {
        /// Its process id, as `/proc` numbers it.
        pid: u32,
        /// What keeps its descendants together.
        containment: Mechanism,
    },
    /// It has written something. Everything is told, also what is over a limit.
    Output {
        /// Where.
        channel: Channel,
        /// What.
        bytes: &'a [u8],
    },
    /// It has gone on for as long as [`RunRequest::notice`](super::RunRequest::notice) says. That is told once.
    GoesOn,
    /// It is over, and so are all its descendants.
    Exited {
        /// How.
        ending: &'a Ending,
    },
}
