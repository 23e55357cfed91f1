//! Waiting for others, but not for ever.

use std::os::fd::AsFd;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::Result;

/// The moment until which something is waited for.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    end: Instant,
    limit: Duration,
}

impl Deadline {
    pub(crate) fn after(limit: Duration) -> Self {
        Self { end: Instant::now() + limit, limit }
    }

    /// Waits until there is something to read, or the other side has gone.
    pub(crate) fn readable(&self, descriptor: impl AsFd) -> Result<()> {
        loop {
            let left = self.end.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left)?;
            match poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], Some(&timeout)) {
                Ok(0) => return Err(format!("no answer within {} s", self.limit.as_secs()).into()),
                Ok(_) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits for the end of a process.
    pub(crate) fn ended(&self, child: &Child) -> Result<()> {
        let pid = Pid::from_raw(i32::try_from(child.id())?).ok_or("a process has a number")?;
        self.readable(pidfd_open(pid, PidfdFlags::empty())?)
    }
}

/// Ends a process that may have ended already.
pub(crate) fn end(child: &mut Child) {
    // What has ended already cannot be ended again.
    let _ = child.kill();
    let _ = child.wait();
}
