//! A request to stop, which one thread makes and any number notice.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::time::Timespec;

/// Says to whoever holds a clone of it that the work is no longer wanted.
///
/// Its descriptor is readable from the moment of the cancellation on, so it can be waited for together with
/// anything else that can be polled.
#[derive(Debug, Clone)]
pub struct CancelToken(Arc<OwnedFd>);

impl CancelToken {
    /// A token that nobody has cancelled.
    ///
    /// # Errors
    /// If the process has no descriptor left.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self(Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)))
    }

    /// Cancels. A second call changes nothing.
    pub fn cancel(&self) {
        // The only failure is a counter that is full, which means that it was cancelled long ago.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Whether somebody has cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let mut fds = [PollFd::new(&self.0, PollFlags::IN)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        matches!(poll(&mut fds, Some(&at_once)), Ok(1))
    }
}

impl AsFd for CancelToken {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clone_sees_it() {
        let token = CancelToken::new().unwrap();
        let other = token.clone();
        assert!(!other.is_cancelled());
        token.cancel();
        token.cancel();
        assert!(token.is_cancelled() && other.is_cancelled());
    }
}
