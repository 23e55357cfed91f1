//! A program whose end we notice ourselves.
//!
//! Its guard ignores that it ends: the kernel then collects it at once, and keeps how it ended for whoever has a descriptor of
//! it. So nobody is woken but us, and the guard can go when nobody waits for that.
#![expect(unsafe_code, reason = "no library asks a process descriptor how the process ended")]

use std::ffi::c_int;
use std::fs::File;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::sync::OnceLock;

use rustix::event::{PollFd, PollFlags};
use rustix::ioctl::{Opcode, Updater, ioctl, opcode};

use super::launch::own_pid;

/// The question how a process ended, and that it was answered.
const EXIT: u64 = libc::PIDFD_INFO_EXIT as u64;

/// A program that the kernel collects.
pub(super) struct OwnEnd {
    pidfd: OwnedFd,
    /// The children of the guard, if we may look at them.
    children: Option<File>,
}

impl OwnEnd {
    /// The program behind a descriptor, and its guard by its number.
    pub(super) fn new(pidfd: OwnedFd, guard: u32) -> Self {
        // `/proc` must number processes as we do.
        let is_ours = own_pid().unsigned_abs() == std::process::id();
        let children = || File::open(format!("/proc/{guard}/task/{guard}/children")).ok();
        Self { pidfd, children: is_ours.then(children).flatten() }
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// What tells that the program has been collected. It ends a moment before, and whoever traces it has a say then.
    pub(super) fn over(&self) -> PollFd<'_> {
        PollFd::new(&self.pidfd, PollFlags::empty())
    }

    /// The wait status of a program that has been collected.
    pub(super) fn status(&self) -> Option<c_int> {
        exit_status(&self.pidfd)
    }

    /// Whether nobody is in the namespace any more. Whoever loses its parent there becomes a child of the guard, so each process
    /// has an ancestor among the children of the guard, or is one.
    pub(super) fn is_alone(&self) -> bool {
        self.children.as_ref().is_some_and(|file| matches!(file.read_at(&mut [0], 0), Ok(0)))
    }
}

/// Whether the kernel keeps how a process ended, for whoever has a descriptor as we have one of ourselves.
pub(super) fn is_kept(ourselves: &OwnedFd) -> bool {
    static IS_KEPT: OnceLock<bool> = OnceLock::new();
    *IS_KEPT.get_or_init(|| keeps_the_right_one() && information(ourselves).is_some())
}

/// Before version 6.16 the kernel could tell how the first thread of a process ended, and not the process.
fn keeps_the_right_one() -> bool {
    let version = rustix::system::uname();
    let release = version.release().to_string_lossy();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map_while(|text| text.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(6), Some(16))
}

/// How a process ended, or nothing if it has not.
fn exit_status(pidfd: &OwnedFd) -> Option<c_int> {
    information(pidfd).filter(|info| info.mask & EXIT != 0).map(|info| info.exit_code)
}

/// What the kernel says when it is asked how a process ended.
fn information(pidfd: &OwnedFd) -> Option<libc::pidfd_info> {
    const GET_INFO: Opcode = opcode::read_write::<libc::pidfd_info>(0xff, 11);
    // SAFETY: the structure is plain memory that the call fills, and it is the one that belongs to the number.
    unsafe {
        let mut info: libc::pidfd_info = std::mem::zeroed();
        info.mask = EXIT;
        ioctl(pidfd, Updater::<GET_INFO, _>::new(&mut info)).ok()?;
        Some(info)
    }
}
