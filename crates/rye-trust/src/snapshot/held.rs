//! Snapshots that stay locked from one use to the next.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lillux::Digest;

use super::stored::is_due;

/// The locks of snapshots that were used a moment ago. Whoever lives long need not lock them again for each use; whether the
/// tool in them is as it has to be is looked at each time all the same.
#[derive(Debug, Default)]
pub(super) struct HeldLocks(Mutex<HashMap<Digest, Arc<File>>>);

/// So many are held.
const MOST: usize = 4;

impl HeldLocks {
    /// The lock of a snapshot that has not been removed.
    pub(super) fn get(&self, digest: &Digest) -> Option<Arc<File>> {
        let lock = self.locks().get(digest).cloned()?;
        let found = lock.metadata().ok()?;
        (found.nlink() > 0 && !is_due(&found)).then_some(lock)
    }

    /// Holds another one.
    pub(super) fn hold(&self, digest: Digest, lock: &Arc<File>) {
        let mut locks = self.locks();
        if locks.len() >= MOST {
            locks.clear();
        }
        locks.insert(digest, Arc::clone(lock));
    }

    /// What is known stays true if a thread panics, so nobody minds.
    fn locks(&self) -> MutexGuard<'_, HashMap<Digest, Arc<File>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
