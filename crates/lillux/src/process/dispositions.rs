//! Which signals do something else in this process than what they usually do.
//!
//! To give all 64 of them their usual effect back takes 14 µs, which is more than the rest of what a program needs before it
//! is executed. Most of them have it, so it is asked once which have not.
#![expect(unsafe_code, reason = "what a signal does is only to be had by a system call")]

use std::ffi::c_int;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::raw::sys;

/// The highest signal that there is.
const HIGHEST: c_int = 64;
/// What the kernel has for a signal that does what it usually does.
const USUAL: u64 = libc::SIG_DFL as u64;

/// Signals, one bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signals(u64);

/// Those that we have caught since somebody asked.
static CAUGHT: AtomicU64 = AtomicU64::new(0);

impl Signals {
    /// Those that this process catches or ignores. What somebody else than we does to a signal after the first program was
    /// started does not count: a handler is taken away by `execve`, and could run until then if the signal came in that
    /// moment; what is ignored stays so in programs, as it does for every parent that does nothing about it.
    pub(super) fn changed() -> Self {
        static FOUND: OnceLock<u64> = OnceLock::new();
        let found = FOUND.get_or_init(|| (1..=HIGHEST).filter(|signal| is_changed(*signal)).map(bit).sum());
        // The guard ignores this one, or not, as it needs.
        Self(found | CAUGHT.load(Ordering::Acquire) | bit(libc::SIGCHLD))
    }

    /// Each of them.
    pub(super) fn each(self) -> impl Iterator<Item = c_int> {
        (1..=HIGHEST).filter(move |signal| self.0 & bit(*signal) != 0)
    }
}

/// Notes that a signal is caught from now on.
pub(crate) fn catches(signal: c_int) {
    CAUGHT.fetch_or(bit(signal), Ordering::AcqRel);
}

fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

fn is_changed(signal: c_int) -> bool {
    let mut action = [0_u64; 4];
    // SAFETY: the kernel fills as much as that, and begins with what is done about the signal. The C library would keep two
    // signals to itself.
    let asked = unsafe { sys!(libc::SYS_rt_sigaction, signal, ptr::null::<u64>(), action.as_mut_ptr(), 8) };
    asked == 0 && action[0] != USUAL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_changed_is_known() {
        let changed: Vec<_> = Signals::changed().each().collect();
        // Rust ignores this one in every program.
        assert!(changed.contains(&libc::SIGPIPE) && changed.contains(&libc::SIGCHLD), "{changed:?}");
        assert!(!changed.contains(&libc::SIGUSR2) && !changed.contains(&HIGHEST), "{changed:?}");
        catches(HIGHEST);
        assert!(Signals::changed().each().any(|signal| signal == HIGHEST));
    }
}
