//! A program that a server has put into a namespace of ours.

use std::cell::Cell;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::time::Timespec;

use super::contained::Exit;
use super::guard::{Collected, Guard};
use super::{Mechanism, RunErrorKind};

/// How long a server may take to collect a child of its own that has been killed. The kernel keeps a namespace for as
/// long as one of its processes has not been collected, so a server that hangs would make us hang.
const PATIENCE: Duration = Duration::from_secs(2);

/// A server that lives for as long as somebody needs it: who holds a spare of it, or runs one, does.
pub(super) struct Server {
    pub(super) guard: Guard,
    /// The server exits when this is closed.
    pub(super) socket: OwnedFd,
}

/// A program in a PID namespace whose init process is a guard. Dropping it ends everything in there.
pub(super) struct Enclosed {
    /// The guard; there is one until the program is collected.
    guard: Option<Guard>,
    /// Where the server writes how the program ended.
    status: OwnedFd,
    /// The server, which is ended in the last resort.
    server: Arc<Server>,
    killed: Cell<bool>,
}

impl Enclosed {
    pub(super) fn new(guard: Guard, status: OwnedFd, server: Arc<Server>) -> Self {
        Self { guard: Some(guard), status, server, killed: Cell::new(false) }
    }

    /// The process id of the namespace's init process: only the server knows that of the program.
    pub(super) fn pid(&self) -> u32 {
        self.guard.as_ref().map_or(0, Guard::pid)
    }

    /// Becomes readable when the program is over, or the server is.
    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.status.as_fd()
    }

    pub(super) fn terminate(&self) {
        if let Some(guard) = &self.guard {
            guard.terminate();
        }
    }

    /// Ends the program; said again, the server.
    pub(super) fn kill(&self) -> Option<Duration> {
        if self.killed.replace(true) {
            self.server.guard.finish();
            return None;
        }
        if let Some(guard) = &self.guard {
            guard.finish();
        }
        Some(PATIENCE)
    }

    pub(super) fn guard(&self) -> Option<&Guard> {
        self.guard.as_ref()
    }

    pub(super) fn collect(&mut self) -> Result<Exit, RunErrorKind> {
        let farewell = self.guard().and_then(Guard::farewell_status);
        let told = farewell.or_else(|| read_status(&self.status));
        let killed = self.killed.get();
        match (self.end(), told) {
            (Some(Collected::GuardLost), _) => {
                Err(RunErrorKind::GuardLost { mechanism: Mechanism::PidNamespace })
            }
            (_, Some(status)) => Ok(Exit::of(status)),
            (_, None) if killed => Ok(Exit::Unknown),
            (_, None) => Err(RunErrorKind::ServerLost),
        }
    }

    /// Ends everything in the namespace and waits for it.
    fn end(&mut self) -> Option<Collected> {
        let mut guard = self.guard.take()?;
        guard.finish();
        if !is_readable_within(guard.descriptor().as_fd(), PATIENCE) {
            self.server.guard.finish();
        }
        Some(guard.collect())
    }
}

impl Drop for Enclosed {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads the wait status that the server has written, if it has.
fn read_status(socket: &OwnedFd) -> Option<i32> {
    let mut bytes = [0_u8; 4];
    let mut filled = 0;
    while filled < bytes.len() {
        match rustix::net::recv(socket, &mut bytes[filled..], rustix::net::RecvFlags::DONTWAIT) {
            Ok((_, 0)) => return None,
            Ok((_, count)) => filled += count,
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    Some(i32::from_be_bytes(bytes))
}

/// Waits for a descriptor, but not for longer than this.
pub(super) fn is_readable_within(descriptor: BorrowedFd<'_>, patience: Duration) -> bool {
    is_any_readable_within(&[descriptor], patience)
}

/// Waits for the first of some descriptors, but not for longer than this.
pub(super) fn is_any_readable_within(descriptors: &[BorrowedFd<'_>], patience: Duration) -> bool {
    let until = Instant::now() + patience;
    let watched = descriptors.iter().map(|descriptor| PollFd::from_borrowed_fd(*descriptor, PollFlags::IN));
    let mut watched: Vec<_> = watched.collect();
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let limit = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 0, tv_nsec: 0 });
        match poll(&mut watched, Some(&limit)) {
            Err(Errno::INTR) => {}
            Ok(count) => return count > 0,
            Err(_) => return true,
        }
    }
}
