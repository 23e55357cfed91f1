//! How a run ended, and what it left.

use std::time::Duration;

use super::Mechanism;
use crate::Capture;

/// The result of a run that could be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    /// Why it is over.
    pub ending: Ending,
    /// What it wrote to its standard output.
    pub stdout: Capture,
    /// What it wrote to its standard error.
    pub stderr: Capture,
    /// How long it took, from the request to the death of its last descendant.
    pub duration: Duration,
    /// What kept its descendants together.
    pub containment: Mechanism,
}

/// Why a run is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The program exited by itself.
    Exited {
        /// Its exit code.
        code: i32,
    },
    /// A signal that we did not send ended the program.
    Signaled {
        /// The signal's number.
        signal: i32,
    },
    /// We stopped it because its time was up.
    TimedOut {
        /// The time it had.
        limit: Duration,
        /// Whether it was still there after the grace period.
        killed: bool,
    },
    /// We stopped it because the caller asked for that.
    Cancelled {
        /// Whether it was still there after the grace period.
        killed: bool,
    },
    /// We stopped it because it wrote more than it may.
    OutputLimit {
        /// Where it wrote too much.
        channel: Channel,
        /// Whether it was still there after the grace period.
        killed: bool,
    },
}

/// One of the two streams that a process writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Ending {
    /// Whether the program exited by itself with code 0.
    #[must_use]
    pub fn is_success(&self) -> bool {
        *self == Self::Exited { code: 0 }
    }
}
