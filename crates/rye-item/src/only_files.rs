//! Which extension the only file of an id has.

use std::collections::HashMap;
use std::os::fd::BorrowedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::fstat;

use crate::{ItemKind, Space};

/// Remembers which extension the only file of an id has, for as long as nothing comes to its folder or goes from it. It saves
/// asking for every other extension each time, and decides nothing else: the file is opened and read as ever.
#[derive(Debug, Default)]
pub(crate) struct OnlyFiles {
    known: Mutex<HashMap<Place, Known>>,
}

/// An id in a folder, as one space understands it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    space: Space,
    kind: ItemKind,
    device: u64,
    inode: u64,
    stem: String,
}

/// When the names in a folder have last changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FolderTime {
    seconds: i64,
    nanoseconds: u64,
}

#[derive(Debug)]
struct Known {
    time: FolderTime,
    extension: String,
}

/// So many are remembered.
const LIMIT: usize = 4096;
/// A folder that has changed within so many seconds may change again without its time doing so.
const YOUNG: i64 = 2;

impl OnlyFiles {
    /// The extension of the only file that has the id, unless the folder has changed since that was found out.
    pub(crate) fn extension(&self, place: &Place, time: FolderTime) -> Option<String> {
        let known = self.lock();
        let known = known.get(place).filter(|known| known.time == time)?;
        Some(known.extension.clone())
    }

    /// Remembers what was found out after the folder was asked for its time.
    pub(crate) fn remember(&self, place: Place, time: FolderTime, extension: &str) {
        if !time.is_settled() {
            return;
        }
        let mut known = self.lock();
        if known.len() >= LIMIT {
            known.clear();
        }
        known.insert(place, Known { time, extension: extension.to_owned() });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Place, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Where an id is in an open folder, and when that has changed; nothing if the file system does not tell.
    pub(crate) fn of(
        space: Space,
        kind: ItemKind,
        folder: BorrowedFd<'_>,
        stem: &str,
    ) -> Option<(Self, FolderTime)> {
        let facts = fstat(folder).ok()?;
        let place = Self { space, kind, device: facts.st_dev, inode: facts.st_ino, stem: stem.to_owned() };
        Some((place, FolderTime { seconds: facts.st_ctime, nanoseconds: facts.st_ctime_nsec }))
    }
}

impl FolderTime {
    /// Whether a change from now on shows. A time in the future says nothing.
    fn is_settled(self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
        i64::try_from(now).is_ok_and(|now| self.seconds.saturating_add(YOUNG) < now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(stem: &str) -> Place {
        Place { space: Space::Project, kind: ItemKind::Tool, device: 1, inode: 2, stem: stem.to_owned() }
    }

    fn seconds_ago(seconds: i64) -> FolderTime {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        FolderTime { seconds: i64::try_from(now).unwrap() - seconds, nanoseconds: 5 }
    }

    #[test]
    fn what_was_found_out_holds_until_the_folder_changes() {
        let (files, time) = (OnlyFiles::default(), seconds_ago(60));
        files.remember(place("a"), time, "py");
        assert_eq!(files.extension(&place("a"), time).as_deref(), Some("py"));
        assert_eq!(files.extension(&place("b"), time), None);
        assert_eq!(files.extension(&place("a"), FolderTime { nanoseconds: 6, ..time }), None);
        assert_eq!(files.extension(&Place { space: Space::User, ..place("a") }, time), None);
    }

    #[test]
    fn a_folder_that_has_just_changed_is_asked_again() {
        let files = OnlyFiles::default();
        for time in [seconds_ago(0), seconds_ago(-60)] {
            files.remember(place("a"), time, "py");
            assert_eq!(files.extension(&place("a"), time), None);
        }
    }
}
