//! A guard that is made ahead, so that a run need not wait for its namespace.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fmt, mem};

use super::Mechanism;
use super::guard::Guard;
use super::run::allowed;

/// Keeps one guard ready for the next run of a process that makes many. Dropping it ends that guard.
///
/// What a program inherits from us beside its descriptors is what we were like when its guard was made. So this is for a
/// process whose limits, user, namespaces and control groups stay what they are; if somebody changes them, the next program
/// still has the old ones.
#[derive(Default)]
pub struct Standby(Mutex<Place>);

/// Where the guard stands.
#[derive(Default)]
enum Place {
    /// No run has wanted one yet.
    #[default]
    Unwanted,
    /// A run has taken it, or would have.
    Empty,
    Ready(Guard),
}

impl Standby {
    /// Makes a guard if a run has wanted one since the last was made, and the kernel allows it. Better done while nobody waits.
    pub fn refill(&self) {
        let mut place = self.place();
        let is_due = match &*place {
            Place::Unwanted => false,
            Place::Empty => true,
            Place::Ready(guard) => guard.is_over(),
        };
        if is_due {
            *place = allowed(Mechanism::PidNamespace, Guard::stand_by).map_or(Place::Unwanted, Place::Ready);
        }
    }

    /// The process id of the guard that is ready, if there is one.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        match &*self.place() {
            Place::Ready(guard) => Some(guard.pid()),
            Place::Unwanted | Place::Empty => None,
        }
    }

    /// The guard that is ready, if there is one and nobody has ended it.
    pub(super) fn take(&self) -> Option<Guard> {
        let place = mem::replace(&mut *self.place(), Place::Empty);
        match place {
            Place::Ready(guard) if !guard.is_over() => Some(guard),
            _ => None,
        }
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Standby {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Standby").finish_non_exhaustive()
    }
}
