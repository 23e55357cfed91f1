//! Removing snapshots that nobody uses any more.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use lillux::Digest;
use rustix::fs::{FlockOperation, flock};

use super::draft::PREFIX;
use super::store::{INDEX, SnapshotStore};
use super::stored::USED;
use super::tree;

/// How long a snapshot is kept after it was used, if nobody says otherwise.
pub const SNAPSHOT_MAX_AGE: Duration = Duration::from_hours(30 * 24);

/// What a collection has removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collected {
    /// Snapshots.
    pub snapshots: usize,
    /// Drafts that somebody has not finished.
    pub drafts: usize,
}

/// How often snapshots are collected by those who take some.
const INTERVAL: Duration = Duration::from_hours(24);
/// The file that remembers when they were.
const COLLECTED: &str = "collected";
/// A draft that is younger may not be locked yet.
const DRAFT_MAX_AGE: Duration = Duration::from_mins(10);
/// What the names of removed snapshots begin with.
const DEAD: &str = ".dead-";

impl SnapshotStore {
    /// Removes the snapshots that were not used for `max_age`, give or take an hour. One that is in use stays.
    ///
    /// # Errors
    /// If the store cannot be listed.
    pub fn collect(&self, max_age: Duration) -> io::Result<Collected> {
        let mut collected = Collected::default();
        for entry in fs::read_dir(self.path())? {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if name.parse::<Digest>().is_ok() {
                collected.snapshots += usize::from(self.remove_snapshot(&entry.path(), name, max_age));
            } else if name.starts_with(PREFIX) {
                collected.drafts += usize::from(remove_unlocked(&entry.path(), DRAFT_MAX_AGE));
            } else if name.starts_with(DEAD) {
                remove_unlocked(&entry.path(), Duration::ZERO);
            }
        }
        for entry in fs::read_dir(self.path().join(INDEX)).into_iter().flatten().flatten() {
            if is_older(&entry.path(), max_age) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(collected)
    }

    /// Collects if nobody has done so for a day.
    pub(super) fn collect_when_due(&self) {
        let stamp = self.path().join(COLLECTED);
        if age(&stamp).is_some_and(|age| age < INTERVAL) {
            return;
        }
        // The stamp comes first, so that others do not start too. What goes wrong here is tried again tomorrow.
        if File::create(&stamp).and_then(|file| file.set_modified(SystemTime::now())).is_ok() {
            let _ = self.collect(SNAPSHOT_MAX_AGE);
        }
    }

    fn remove_snapshot(&self, folder: &Path, name: &str, max_age: Duration) -> bool {
        let used = folder.join(USED);
        if !is_older(&used, max_age) {
            return false;
        }
        let Ok(lock) = File::open(&used) else { return false };
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() || !is_older(&used, max_age) {
            return false;
        }
        // Whoever waits for the lock finds that the name is gone.
        let dead = self.path().join(format!("{DEAD}{name}-{}", std::process::id()));
        let is_gone = fs::rename(folder, &dead).is_ok();
        drop(lock);
        if is_gone {
            tree::remove(&dead);
        }
        is_gone
    }
}

/// Removes what nobody has locked.
fn remove_unlocked(folder: &Path, max_age: Duration) -> bool {
    let is_free = match File::open(folder.join(USED)) {
        Ok(lock) => flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok(),
        Err(_) => true,
    };
    let is_abandoned = is_free && is_older(folder, max_age);
    if is_abandoned {
        tree::remove(folder);
    }
    is_abandoned
}

fn is_older(path: &Path, limit: Duration) -> bool {
    age(path).is_some_and(|age| age >= limit)
}

/// How long ago something was changed, if it is there.
fn age(path: &Path) -> Option<Duration> {
    let modified = path.symlink_metadata().and_then(|found| found.modified()).ok()?;
    Some(modified.elapsed().unwrap_or_default())
}
