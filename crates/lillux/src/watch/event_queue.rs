//! From the system's notifications to events, in their order.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use notify::EventKind;
use notify::event::{CreateKind, ModifyKind, RenameMode};

use super::request::{Depth, WatchEvent};

/// How long after the first half of a move the second may come. The system sends them in one go; what takes time
/// is at most to read them.
const MOVE_WINDOW: Duration = Duration::from_millis(50);

/// Notifications that were received and not yet told.
#[derive(Debug)]
pub(super) struct EventQueue {
    items: VecDeque<Queued>,
    depth: Depth,
    /// What came into being below watched folders since the start. A file in a folder that was just made may be
    /// found by looking and be notified too; it has been created only once.
    known: BTreeSet<PathBuf>,
}

#[derive(Debug)]
enum Queued {
    Event(WatchEvent),
    /// The first half of a move. The events behind it wait until it is clear what it is.
    MovedAway {
        path: PathBuf,
        move_id: usize,
        since: Instant,
    },
}

/// What has to be done about a notification, besides telling it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Follow {
    Nothing,
    /// Look what is in this folder: it may have been filled before it was watched.
    LookInto(PathBuf),
}

impl EventQueue {
    pub(super) fn new(depth: Depth) -> Self {
        Self { items: VecDeque::new(), depth, known: BTreeSet::new() }
    }

    pub(super) fn push(&mut self, notification: notify::Event, now: Instant) -> Follow {
        if notification.need_rescan() {
            self.known.clear();
            self.items.push_back(Queued::Event(WatchEvent::Overflowed));
            return Follow::Nothing;
        }
        let move_id = notification.tracker();
        let Some(path) = notification.paths.into_iter().next() else { return Follow::Nothing };
        match notification.kind {
            EventKind::Create(kind) => return self.created(path, kind),
            EventKind::Remove(_) => self.removed(path),
            EventKind::Modify(ModifyKind::Name(RenameMode::From)) => match move_id {
                Some(move_id) => self.items.push_back(Queued::MovedAway { path, move_id, since: now }),
                // The watched folder itself was moved, and the system does not say where to.
                None => self.removed(path),
            },
            EventKind::Modify(ModifyKind::Name(RenameMode::To)) => return self.moved_here(path, move_id),
            // The last kind repeats the two halves of a move; the others tell that somebody looked.
            EventKind::Access(_)
            | EventKind::Any
            | EventKind::Other
            | EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => {}
            EventKind::Modify(_) => self.items.push_back(Queued::Event(WatchEvent::Modified(path))),
        }
        Follow::Nothing
    }

    /// Adds what was found by looking into a new folder.
    pub(super) fn found(&mut self, path: PathBuf) {
        if self.known.insert(path.clone()) {
            self.items.push_back(Queued::Event(WatchEvent::Created(path)));
        }
    }

    /// The next event, unless it is still open what it is.
    pub(super) fn pop(&mut self, now: Instant) -> Option<WatchEvent> {
        if self.opens_at().is_some_and(|opens_at| now < opens_at) {
            return None;
        }
        match self.items.pop_front()? {
            Queued::Event(event) => Some(event),
            Queued::MovedAway { path, .. } => {
                self.forget(&path);
                Some(WatchEvent::Removed(path))
            }
        }
    }

    /// When an event can be had at last, if one is being held back.
    pub(super) fn opens_at(&self) -> Option<Instant> {
        match self.items.front()? {
            Queued::Event(_) => None,
            Queued::MovedAway { since, .. } => Some(*since + MOVE_WINDOW),
        }
    }

    fn created(&mut self, path: PathBuf, kind: CreateKind) -> Follow {
        let is_new = match self.depth {
            Depth::Shallow => true,
            Depth::Recursive => self.known.insert(path.clone()),
        };
        if is_new {
            self.items.push_back(Queued::Event(WatchEvent::Created(path.clone())));
        }
        match (self.depth, kind) {
            (Depth::Recursive, CreateKind::Folder) => Follow::LookInto(path),
            _ => Follow::Nothing,
        }
    }

    fn removed(&mut self, path: PathBuf) {
        self.forget(&path);
        self.items.push_back(Queued::Event(WatchEvent::Removed(path)));
    }

    fn moved_here(&mut self, to: PathBuf, move_id: Option<usize>) -> Follow {
        let first_half = self.items.iter_mut().find_map(|item| match item {
            Queued::MovedAway { path, move_id: id, .. } if Some(*id) == move_id => {
                let from = std::mem::take(path);
                *item = Queued::Event(WatchEvent::Renamed { from: from.clone(), to: to.clone() });
                Some(from)
            }
            _ => None,
        });
        if let Some(from) = first_half {
            self.forget(&from);
            return Follow::Nothing;
        }
        self.items.push_back(Queued::Event(WatchEvent::Created(to.clone())));
        match self.depth {
            Depth::Shallow => Follow::Nothing,
            Depth::Recursive => Follow::LookInto(to),
        }
    }

    /// What was at `path` and below can come into being again.
    fn forget(&mut self, path: &Path) {
        let gone: Vec<_> = self
            .known
            .range::<Path, _>((std::ops::Bound::Included(path), std::ops::Bound::Unbounded))
            .take_while(|known| known.starts_with(path))
            .cloned()
            .collect();
        for path in gone {
            self.known.remove(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{Flag, RemoveKind};

    use super::*;

    fn notification(kind: EventKind, path: &str) -> notify::Event {
        notify::Event::new(kind).add_path(path.into())
    }

    fn moved(mode: RenameMode, path: &str, id: usize) -> notify::Event {
        notification(EventKind::Modify(ModifyKind::Name(mode)), path).set_tracker(id)
    }

    fn created(path: &str) -> WatchEvent {
        WatchEvent::Created(path.into())
    }

    fn removed(path: &str) -> WatchEvent {
        WatchEvent::Removed(path.into())
    }

    fn drain(queue: &mut EventQueue, now: Instant) -> Vec<WatchEvent> {
        std::iter::from_fn(|| queue.pop(now)).collect()
    }

    const FILE: EventKind = EventKind::Create(CreateKind::File);
    const FOLDER: EventKind = EventKind::Create(CreateKind::Folder);
    const GONE: EventKind = EventKind::Remove(RemoveKind::Any);

    #[test]
    fn the_halves_of_a_move_become_one_event_in_the_place_of_the_first() {
        let (mut queue, now) = (EventQueue::new(Depth::Shallow), Instant::now());
        queue.push(moved(RenameMode::From, "/a", 1), now);
        queue.push(moved(RenameMode::From, "/c", 2), now);
        queue.push(notification(FILE, "/x"), now);
        assert_eq!(drain(&mut queue, now), []);
        queue.push(moved(RenameMode::To, "/d", 2), now);
        queue.push(moved(RenameMode::To, "/b", 1), now);
        queue.push(moved(RenameMode::Both, "/a", 1).add_path("/b".into()), now);
        let renamed = |from: &str, to: &str| WatchEvent::Renamed { from: from.into(), to: to.into() };
        assert_eq!(drain(&mut queue, now), [renamed("/a", "/b"), renamed("/c", "/d"), created("/x")]);
    }

    #[test]
    fn half_a_move_is_a_removal_after_a_while_and_a_creation_at_once() {
        let (mut queue, now) = (EventQueue::new(Depth::Shallow), Instant::now());
        queue.push(moved(RenameMode::From, "/a", 1), now);
        queue.push(moved(RenameMode::To, "/b", 2), now);
        assert_eq!(queue.opens_at(), Some(now + MOVE_WINDOW));
        assert_eq!(drain(&mut queue, now + MOVE_WINDOW), [removed("/a"), created("/b")]);
        assert_eq!(queue.opens_at(), None);
    }

    #[test]
    fn what_is_found_and_notified_was_created_once() {
        let (mut queue, now) = (EventQueue::new(Depth::Recursive), Instant::now());
        assert_eq!(queue.push(notification(FOLDER, "/d"), now), Follow::LookInto("/d".into()));
        queue.found("/d/f".into());
        queue.push(notification(FILE, "/d/f"), now);
        assert_eq!(drain(&mut queue, now), [created("/d"), created("/d/f")]);
        // The folder goes with all that is in it, and comes back.
        queue.push(notification(GONE, "/d"), now);
        queue.push(notification(FOLDER, "/d"), now);
        queue.found("/d/f".into());
        assert_eq!(drain(&mut queue, now), [removed("/d"), created("/d"), created("/d/f")]);
    }

    #[test]
    fn lost_notifications_are_told() {
        let (mut queue, now) = (EventQueue::new(Depth::Shallow), Instant::now());
        queue.push(notify::Event::new(EventKind::Other).set_flag(Flag::Rescan), now);
        assert_eq!(drain(&mut queue, now), [WatchEvent::Overflowed]);
    }
}
