//! A program that runs, with what keeps its descendants together, and who tells that it is over.

use std::ffi::c_int;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal, kill_process_group};

use super::enclosed::{Enclosed, is_readable_within};
use super::guard::{Collected, Guard, wait};
use super::own_end::OwnEnd;
use super::spare::Lease;
use super::{Mechanism, RunErrorKind};

/// A program that runs, with what keeps its descendants together. Dropping it ends them.
pub(super) enum Contained {
    /// The guard has started the program, and tells when it is over.
    Guarded(Guard, Mechanism),
    /// The program is a child of ours.
    Group(GroupLeader),
    /// A server has put the program into a namespace that a guard keeps, and tells when it is over.
    Enclosed(Enclosed),
    /// The program is another process's, which lends it to us.
    Leased(Lease),
}

/// How a program ended, as its parent sees it.
pub(super) enum Exit {
    Code(i32),
    Signal(i32),
    /// It was ended before anybody asked.
    Unknown,
}

/// A child of ours that leads its own process group.
pub(super) struct GroupLeader {
    group: Pid,
    pidfd: OwnedFd,
    collected: bool,
}

impl Contained {
    pub(super) fn mechanism(&self) -> Mechanism {
        match self {
            Self::Guarded(_, mechanism) => *mechanism,
            Self::Group(_) => Mechanism::ProcessGroup,
            Self::Enclosed(_) | Self::Leased(_) => Mechanism::PidNamespace,
        }
    }

    pub(super) fn pid(&self) -> u32 {
        match self {
            Self::Guarded(guard, _) => guard.pid(),
            Self::Group(leader) => leader.group.as_raw_nonzero().get().unsigned_abs(),
            Self::Enclosed(enclosed) => enclosed.pid(),
            Self::Leased(lease) => lease.pid(),
        }
    }

    /// Becomes readable when the program is over.
    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        match self {
            Self::Guarded(guard, _) => guard.own_end().map_or(guard.descriptor().as_fd(), OwnEnd::descriptor),
            Self::Group(leader) => leader.pidfd.as_fd(),
            Self::Enclosed(enclosed) => enclosed.descriptor(),
            Self::Leased(lease) => lease.descriptor(),
        }
    }

    /// What tells that the program is over.
    pub(super) fn over(&self) -> PollFd<'_> {
        match self {
            Self::Guarded(guard, _) if let Some(end) = guard.own_end() => end.over(),
            _ => PollFd::from_borrowed_fd(self.descriptor(), PollFlags::IN),
        }
    }

    /// Becomes readable when the program has taken its leave: all that is left to do is to collect it.
    pub(super) fn farewell(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Self::Guarded(guard, _) => guard.farewell().map(OwnedFd::as_fd),
            Self::Group(_) | Self::Leased(_) => None,
            Self::Enclosed(enclosed) => enclosed.guard().and_then(Guard::farewell).map(OwnedFd::as_fd),
        }
    }

    /// How a program that is over, or has taken its leave, ends, if that is certain by now and nobody else is there. What is left
    /// to collect can wait.
    pub(super) fn exit_alone(&self) -> Option<Exit> {
        let guard = match self {
            Self::Guarded(guard, _) => guard,
            Self::Group(_) | Self::Leased(_) => return None,
            Self::Enclosed(enclosed) => enclosed.guard()?,
        };
        if let Some(end) = guard.own_end() {
            // A program that was killed may have been killed with its guard.
            let exit = end.status().map(Exit::of).filter(|exit| !matches!(exit, Exit::Signal(libc::SIGKILL)));
            return exit.filter(|_| end.is_alone());
        }
        let told = guard.farewell()?.as_fd();
        is_readable_within(told, Duration::ZERO).then(|| guard.farewell_status().map(Exit::of)).flatten()
    }

    pub(super) fn terminate(&self) {
        match self {
            Self::Guarded(guard, _) => guard.terminate(),
            Self::Group(leader) => leader.signal(Signal::TERM),
            Self::Enclosed(enclosed) => enclosed.terminate(),
            Self::Leased(lease) => lease.terminate(),
        }
    }

    /// Ends the program. Returns how long to wait for that before it is worth to say so again.
    pub(super) fn kill(&self) -> Option<Duration> {
        match self {
            Self::Guarded(guard, _) => guard.finish(),
            Self::Group(leader) => leader.signal(Signal::KILL),
            Self::Enclosed(enclosed) => return enclosed.kill(),
            Self::Leased(lease) => return lease.kill(),
        }
        None
    }

    /// Collects the program once its descriptor is readable, and ends what is left of its descendants.
    pub(super) fn collect(&mut self) -> Result<Exit, RunErrorKind> {
        match self {
            Self::Guarded(guard, mechanism) => {
                if guard.own_end().is_some() {
                    guard.finish();
                }
                match guard.collect() {
                    Collected::Status(status) => Ok(Exit::of(status)),
                    Collected::Unknown => Ok(Exit::Unknown),
                    Collected::GuardLost => Err(RunErrorKind::GuardLost { mechanism: *mechanism }),
                }
            }
            Self::Group(leader) => Ok(leader.collect()),
            Self::Enclosed(enclosed) => enclosed.collect(),
            Self::Leased(lease) => lease.collect(),
        }
    }
}

impl Exit {
    /// What a wait status means.
    pub(super) fn of(status: c_int) -> Self {
        if libc::WIFEXITED(status) {
            Self::Code(libc::WEXITSTATUS(status))
        } else {
            Self::Signal(libc::WTERMSIG(status))
        }
    }
}

impl GroupLeader {
    pub(super) fn new(group: Pid, pidfd: OwnedFd) -> Self {
        Self { group, pidfd, collected: false }
    }

    /// Signals the group. The leader has not been collected, so the group's number is still its own.
    fn signal(&self, signal: Signal) {
        // It fails only if nobody is left.
        let _ = kill_process_group(self.group, signal);
    }

    fn collect(&mut self) -> Exit {
        self.signal(Signal::KILL);
        self.collected = true;
        match wait(&self.pidfd, 0) {
            Some((libc::CLD_EXITED, code)) => Exit::Code(code),
            Some((_, signal)) => Exit::Signal(signal),
            None => Exit::Unknown,
        }
    }
}

impl Drop for GroupLeader {
    fn drop(&mut self) {
        if !self.collected {
            self.collect();
        }
    }
}
