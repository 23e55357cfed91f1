//! A guard that is made ahead, so that a run need not wait for its namespace.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::Mechanism;
use super::guard::Guard;
use super::run::allowed;

/// Keeps one guard ready for the next run of a process that makes many. Dropping it ends that guard.
///
/// What a program inherits from us beside its descriptors is what we were like when its guard was made. So this is for a
/// process that does not change its limits, its user, or the namespaces and control groups that it is in.
#[derive(Default)]
pub struct Standby(Mutex<Option<Guard>>);

impl Standby {
    /// Makes a guard, unless there is one, or the kernel does not allow it. Better done while nobody waits.
    pub fn refill(&self) {
        let mut ready = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ready.is_none() {
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
