//! What is left of a run that is over.

use std::fmt;
use std::os::fd::OwnedFd;

use super::contained::Contained;

/// What is left of a run that is over. Dropping it waits until the kernel has freed it.
#[must_use = "dropping it may take a moment, which is better spent elsewhere"]
pub struct Remains {
    /// The guard, and in its namespace nobody who could still do anything.
    process: Contained,
    /// The program's ends of its streams.
    _streams: Option<[OwnedFd; 3]>,
}

impl Remains {
    pub(super) fn new(process: Contained, streams: Option<[OwnedFd; 3]>) -> Self {
        Self { process, _streams: streams }
    }

    /// Has it go, and does not wait for that.
    pub fn let_go(&self) {
        self.process.kill();
    }
}

impl fmt::Debug for Remains {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remains").finish_non_exhaustive()
    }
}
