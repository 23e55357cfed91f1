//! Being there at once when something happens.
//!
//! Whoever writes to a pipe or a socket is taken by the kernel for somebody who is about to wait for the answer, so the
//! reader is put on the processor of the writer. A program that goes on computing then keeps its reader waiting for as long as
//! its turn lasts, about 3 milliseconds, even if another processor has nothing to do. Whoever has asked for short turns of
//! its own comes before those with long ones; it gets no more time than others.
#![expect(unsafe_code, reason = "no library knows these two system calls")]

use std::cell::Cell;
use std::mem::size_of;
use std::time::Duration;

/// A program that is younger than this is left alone with what it says and writes, as far as its pipes take it. Each time that it
/// wakes us up, we take its processor away from it, or wait for it although another one is idle; and a short one is over before
/// there is anything else to do.
pub(super) const YOUTH: Duration = Duration::from_millis(2);

/// The shortest turn that can be asked for, in nanoseconds.
const TURN: u64 = 100_000;
/// What we start has turns like everybody else.
const RESET_ON_FORK: u64 = 1;

/// What the kernel calls `struct sched_attr`, in its first version.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
}

thread_local! {
    static IS_PROMPT: Cell<bool> = const { Cell::new(false) };
}

/// Asks for short turns for this thread, once. A kernel that knows nothing of these (before 6.12) leaves everything as it is, and
/// so do we for a thread that is special already.
pub(super) fn be_prompt() {
    if IS_PROMPT.replace(true) {
        return;
    }
    let mut attributes = Attributes::default();
    let size = size_of::<Attributes>();
    // SAFETY: the structure is ours, and as long as we say.
    let known = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
    let is_ordinary = attributes.policy == libc::SCHED_OTHER.unsigned_abs() && attributes.nice >= 0;
    if known != 0 || !is_ordinary {
        return;
    }
    attributes.runtime = TURN;
    attributes.flags |= RESET_ON_FORK;
    // SAFETY: the structure is one that the kernel has filled in. If it refuses, nothing has changed.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}
