//! A guard that is made ahead, so that a run need not wait for its namespace.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::Mechanism;
use super::guard::Guard;
use super::run::allowed;

/// Keeps one guard ready for the next run of a process that makes many. Dropping it ends that guard.
///
/// What a program inherits from us beside its descriptors is what we were like when its guard was made. So this is for a
/// process whose limits, user, namespaces and control groups stay what they are; if somebody changes them, the next program
/// still has the old ones.
#[derive(Default)]
pub struct Standby(Mutex<Option<Guard>>);

impl Standby {
    /// Makes a guard, unless one is there, or the kernel does not allow it. Better done while nobody waits.
    pub fn refill(&self) {
        let mut ready = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ready.as_ref().is_none_or(Guard::is_over) {
            *ready = allowed(Mechanism::PidNamespace, Guard::stand_by).ok();
        }
    }

    /// The process id of the guard that is ready, if there is one.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(Guard::pid)
    }

    /// The guard that is ready, if there is one and nobody has ended it.
    pub(super) fn take(&self) -> Option<Guard> {
        let ready = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        ready.filter(|guard| !guard.is_over())
    }
}

impl fmt::Debug for Standby {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Standby").finish_non_exhaustive()
    }
}
