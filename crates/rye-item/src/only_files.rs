//! Which extension the only file of an id has.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::Stat;

use crate::{ItemRef, Space};

/// Remembers which extension the only file of an id has, for as long as nothing comes to its folder or goes from it. It saves
/// asking for every other extension each time, and decides nothing else: the file is opened and read as ever.
#[derive(Debug, Default)]
pub(crate) struct OnlyFiles {
    known: Mutex<HashMap<Space, HashMap<ItemRef, OnlyFile>>>,
}

/// What is known about one id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OnlyFile {
    pub(crate) folder: FolderState,
    pub(crate) extension: String,
}

/// Which folder it is, and when the names in it have last changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FolderState {
    device: u64,
    inode: u64,
    seconds: i64,
    nanoseconds: u64,
}

/// So many are remembered of a space.
const LIMIT: usize = 4096;
/// A folder that has changed within so many seconds may change again without its time doing so.
const YOUNG: i64 = 2;

impl OnlyFiles {
    /// What was found out about an id. It holds if the folder is still the same.
    pub(crate) fn get(&self, space: Space, item: &ItemRef) -> Option<OnlyFile> {
        self.lock().get(&space)?.get(item).cloned()
    }

    /// Remembers what was found out after the folder was looked at, which was not before `looked`.
    pub(crate) fn remember(&self, space: Space, item: &ItemRef, file: OnlyFile, looked: SystemTime) {
        if !file.folder.was_settled(looked) {
            return;
        }
        let mut known = self.lock();
        let known = known.entry(space).or_default();
        if known.len() >= LIMIT {
            known.clear();
        }
        known.insert(item.clone(), file);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Space, HashMap<ItemRef, OnlyFile>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FolderState {
    pub(crate) fn of(facts: &Stat) -> Self {
        Self {
            device: facts.st_dev,
            inode: facts.st_ino,
            seconds: facts.st_ctime,
            nanoseconds: facts.st_ctime_nsec,
        }
    }

    /// Whether a change from then on shows. A time in the future says nothing.
    fn was_settled(self, then: SystemTime) -> bool {
        let then = then.duration_since(UNIX_EPOCH).map_or(0, |then| then.as_secs());
        i64::try_from(then).is_ok_and(|then| self.seconds.saturating_add(YOUNG) < then)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ItemId, ItemKind};

    fn item(id: &str) -> ItemRef {
        ItemRef::new(ItemKind::Tool, ItemId::new(id).unwrap())
    }

    fn seconds_ago(seconds: i64) -> OnlyFile {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let seconds = i64::try_from(now).unwrap() - seconds;
        let folder = FolderState { device: 1, inode: 2, seconds, nanoseconds: 5 };
        OnlyFile { folder, extension: "py".to_owned() }
    }

    #[test]
    fn what_was_found_out_is_known_for_that_id_and_space() {
        let (files, file) = (OnlyFiles::default(), seconds_ago(60));
        files.remember(Space::Project, &item("a"), file.clone(), SystemTime::now());
        assert_eq!(files.get(Space::Project, &item("a")), Some(file));
        assert_eq!(files.get(Space::Project, &item("b")), None);
        assert_eq!(files.get(Space::User, &item("a")), None);
    }

    #[test]
    fn a_folder_that_has_just_changed_is_asked_again() {
        let files = OnlyFiles::default();
        for file in [seconds_ago(0), seconds_ago(-60)] {
            files.remember(Space::Project, &item("a"), file, SystemTime::now());
            assert_eq!(files.get(Space::Project, &item("a")), None);
        }
    }
}
