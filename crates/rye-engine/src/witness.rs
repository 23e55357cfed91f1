//! Knowing that answers still hold, without asking again.
//!
//! Most of what a call finds out is what the one before has found out: where the spaces are, which file an id means, which
//! interpreter there is. All of it follows from names in folders, and the kernel tells whoever asks what happens to these. An
//! answer may be remembered if everything that it depends on was watched *before* it was sought, and it holds until something
//! happens there.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
use rustix::fs::{FileType, lstat};
use rustix::io::Errno;
use rustix::time::Timespec;
use rye_env::Consulted;
use rye_run::workers::Stillness;

use crate::Lifetime;
use crate::folder_watch::is_shared;

/// Watches everything that remembered answers depend on.
#[derive(Debug, Default)]
pub(crate) struct Witness(Mutex<State>);

/// A time in which nothing has happened that answers depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment(Option<u64>);

/// A moment, and who can say whether it has passed.
#[derive(Debug)]
pub(crate) struct Present<'a> {
    witness: &'a Witness,
    moment: Moment,
}

#[derive(Debug, Default)]
struct State {
    moment: u64,
    watch: Option<Watch>,
}

/// What is watched since the last time that something happened.
#[derive(Debug)]
struct Watch {
    queue: OwnedFd,
    /// Readable, in a way of its own, when something was mounted: then a path leads elsewhere, and no folder has changed.
    mounts: File,
    folders: HashMap<PathBuf, i32>,
    interests: HashMap<i32, Interest>,
    vouched: HashSet<Consulted>,
}

/// What matters of a folder.
#[derive(Debug, Default)]
struct Interest {
    entries: HashSet<OsString>,
    names: bool,
}

/// So many links in a path are followed, as the kernel does.
const MOST_LINKS: usize = 40;
/// Where more happens than this between two looks, or during one, the end of it is not waited for.
const MOST_EVENTS: usize = 4096;
/// What is watched of every folder.
const EVENTS: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

impl Moment {
    /// No time at all: what is known in it is known for the call alone.
    pub(crate) const NEVER: Self = Self(None);
}

impl Witness {
    /// The present. Answers of the same moment still hold.
    pub(crate) fn now(&self, lifetime: Lifetime) -> Moment {
        match lifetime {
            Lifetime::Short => Moment::NEVER,
            Lifetime::Long => Moment(Some(self.lock().look().moment)),
        }
    }

    /// Whether an answer that was sought in this moment holds for as long as the moment does. If not, the same answer, sought
    /// again, may.
    pub(crate) fn vouches(&self, moment: Moment, consulted: &[Consulted]) -> bool {
        let mut state = self.lock();
        if moment != Moment(Some(state.look().moment)) {
            return false;
        }
        let Some(watch) = state.watch() else { return false };
        let were_watched = consulted.iter().all(|what| watch.vouched.contains(what));
        for what in consulted {
            if !were_watched && !watch.vouched.contains(what) && watch.add(what).is_some() {
                watch.vouched.insert(what.clone());
            }
        }
        were_watched
    }

    /// This moment, for somebody who asks about files of his own.
    pub(crate) fn at(&self, moment: Moment) -> Present<'_> {
        Present { witness: self, moment }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stillness for Present<'_> {
    fn moment(&self) -> Option<u64> {
        self.moment.0
    }

    fn covers(&self, paths: &[PathBuf]) -> bool {
        let consulted =
            paths.iter().flat_map(|path| [Consulted::Names(path.clone()), Consulted::Content(path.clone())]);
        self.witness.vouches(self.moment, &consulted.collect::<Vec<_>>())
    }
}

impl State {
    /// Begins another moment if something has happened.
    fn look(&mut self) -> &Self {
        if self.watch.as_mut().is_some_and(Watch::has_news) {
            self.watch = None;
            self.moment += 1;
        }
        self
    }

    fn watch(&mut self) -> Option<&mut Watch> {
        if self.watch.is_none() {
            self.watch = Watch::new();
        }
        self.watch.as_mut()
    }
}

impl Watch {
    fn new() -> Option<Self> {
        Some(Self {
            queue: init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?,
            mounts: File::open("/proc/self/mountinfo").ok()?,
            folders: HashMap::new(),
            interests: HashMap::new(),
            vouched: HashSet::new(),
        })
    }

    /// Whether anything has happened that matters.
    fn has_news(&mut self) -> bool {
        let mut watched =
            [PollFd::new(&self.queue, PollFlags::IN), PollFd::new(&self.mounts, PollFlags::PRI)];
        match poll(&mut watched, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
            Ok(0) => false,
            Ok(_) if watched[1].revents().is_empty() => self.read_news(),
            _ => true,
        }
    }

    fn read_news(&self) -> bool {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = Reader::new(&self.queue, &mut buffer);
        for _ in 0..MOST_EVENTS {
            match events.next() {
                Ok(event) => {
                    let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                    let interest = self.interests.get(&event.wd());
                    if interest.is_none_or(|interest| interest.is_met_by(name)) {
                        return true;
                    }
                }
                Err(Errno::AGAIN) => return false,
                Err(Errno::INTR) => {}
                Err(_) => return true,
            }
        }
        true
    }

    /// Watches something from now on, with everything on the way to it; nothing if that cannot be done.
    fn add(&mut self, what: &Consulted) -> Option<()> {
        let (Consulted::Entry(path) | Consulted::Names(path) | Consulted::Content(path)) = what;
        if !path.is_absolute() {
            return None;
        }
        let mut at = PathBuf::from("/");
        let mut waiting = steps(path);
        let mut links = 0;
        while let Some(name) = waiting.pop() {
            if name == ".." {
                at.pop();
                continue;
            }
            let watched = match self.watch_folder(&at) {
                Ok(watched) => watched,
                // Others can tell what is in it, and we cannot. That it stays like this is watched from above.
                Err(Errno::ACCESS) if is_closed(&at.join(&name)) => return Some(()),
                Err(_) => return None,
            };
            let interest = self.interests.entry(watched).or_default();
            interest.entries.insert(name.clone());
            let next = at.join(&name);
            match lstat(&next).map(|found| FileType::from_raw_mode(found.st_mode)) {
                Ok(FileType::Symlink) => {
                    links += 1;
                    let target = next.read_link().ok().filter(|_| links <= MOST_LINKS)?;
                    if target.is_absolute() {
                        at = PathBuf::from("/");
                    }
                    waiting.extend(steps(&target));
                }
                Ok(FileType::RegularFile) if matches!(what, Consulted::Content(_)) => {
                    // A folder in which others write all the time has nothing to say about this file.
                    let watched = add_watch(&self.queue, &next, WatchFlags::MODIFY).ok()?;
                    self.interests.entry(watched).or_default();
                    at = next;
                }
                Ok(_) => at = next,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => return Some(()),
                Err(_) => return None,
            }
        }
        if matches!(what, Consulted::Names(_)) && at.is_dir() {
            let watched = self.watch_folder(&at).ok()?;
            self.interests.entry(watched).or_default().names = true;
        }
        Some(())
    }

    /// The number of the watch over a folder.
    fn watch_folder(&mut self, folder: &Path) -> Result<i32, Errno> {
        if let Some(known) = self.folders.get(folder) {
            return Ok(*known);
        }
        let number = add_watch(&self.queue, folder, EVENTS)?;
        if is_shared(folder) {
            return Err(Errno::OPNOTSUPP);
        }
        self.folders.insert(folder.to_owned(), number);
        Ok(number)
    }
}

impl Interest {
    /// What has no name happened to the folder itself, or to a file whose content matters.
    fn is_met_by(&self, name: Option<&OsStr>) -> bool {
        name.is_none_or(|name| self.names || self.entries.contains(name))
    }
}

/// Whether we may not even ask what is at a path.
fn is_closed(path: &Path) -> bool {
    lstat(path).is_err_and(|errno| errno == Errno::ACCESS)
}

/// The parts of a path, the first of them last. Those that lead nowhere are left out.
fn steps(path: &Path) -> Vec<OsString> {
    let part = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    };
    path.components().rev().filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    /// A folder `a/b` with a file in it and a link to it, and an answer that depends on something in there.
    fn check(what: fn(PathBuf) -> Consulted, path: &str, change: fn(&Path), expect_news: bool) {
        let space = tempfile::tempdir().unwrap();
        let root = space.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(root.join("other")).unwrap();
        fs::write(root.join("a/b/file"), "x").unwrap();
        symlink("a/b", root.join("link")).unwrap();
        let witness = Witness::default();
        let consulted = [what(root.join(path))];
        let moment = witness.now(Lifetime::Long);
        assert!(!witness.vouches(moment, &consulted), "it was not watched before");
        assert!(witness.vouches(moment, &consulted));
        change(root);
        assert_eq!(witness.now(Lifetime::Long) != moment, expect_news, "{consulted:?}");
        assert_eq!(witness.vouches(moment, &consulted), !expect_news);
    }

    #[test]
    fn what_happens_to_an_entry_is_news() {
        let entry = Consulted::Entry;
        check(entry, "a/b/file", |_| {}, false);
        check(entry, "a/b/file", |root| fs::remove_file(root.join("a/b/file")).unwrap(), true);
        check(entry, "a/b/file", |root| fs::rename(root.join("a"), root.join("c")).unwrap(), true);
        check(entry, "a/b/none", |root| fs::write(root.join("a/b/none"), "").unwrap(), true);
        check(entry, "none/x/y", |root| fs::create_dir(root.join("none")).unwrap(), true);
        check(
            entry,
            "a/b/file",
            |root| fs::set_permissions(root.join("a/b/file"), fs::Permissions::from_mode(0o700)).unwrap(),
            true,
        );
        // What is beside it, or in it, is not.
        check(entry, "a/b/file", |root| fs::write(root.join("a/b/other"), "").unwrap(), false);
        check(entry, "a/b/file", |root| fs::write(root.join("a/b/file"), "y").unwrap(), false);
    }

    #[test]
    fn links_on_the_way_are_followed() {
        let retarget = |root: &Path| {
            fs::remove_file(root.join("link")).unwrap();
            symlink("other", root.join("link")).unwrap();
        };
        check(Consulted::Entry, "link/file", retarget, true);
        check(Consulted::Entry, "link/file", |root| fs::remove_file(root.join("a/b/file")).unwrap(), true);
        check(Consulted::Entry, "link/../b/none", |root| fs::write(root.join("a/b/none"), "").unwrap(), true);
        check(Consulted::Entry, "link/file", |root| fs::write(root.join("other/file"), "").unwrap(), false);
    }

    #[test]
    fn names_and_contents_are_news_where_they_matter() {
        let add = |root: &Path| fs::write(root.join("a/b/other"), "").unwrap();
        let write = |root: &Path| fs::write(root.join("a/b/file"), "y").unwrap();
        check(Consulted::Names, "a/b", add, true);
        check(Consulted::Names, "a/b", write, false);
        check(Consulted::Names, "a/none", |root| fs::create_dir(root.join("a/none")).unwrap(), true);
        check(Consulted::Content, "a/b/file", write, true);
        check(Consulted::Content, "a/b/file", add, false);
        check(Consulted::Content, "link/file", write, true);
    }

    /// Somebody who writes without end must not keep us reading. The kernel has room for four times as much.
    #[test]
    fn a_folder_in_which_much_happens_is_not_waited_for() {
        let happen = |root: &Path, times: usize| {
            for _ in 0..times {
                fs::write(root.join("busy"), "x").unwrap();
                fs::remove_file(root.join("busy")).unwrap();
            }
        };
        let space = tempfile::tempdir().unwrap();
        let root = space.path();
        let witness = Witness::default();
        let consulted = [Consulted::Entry(root.join("none"))];
        let moment = witness.now(Lifetime::Long);
        assert!(!witness.vouches(moment, &consulted) && witness.vouches(moment, &consulted));
        happen(root, 100);
        assert_eq!(witness.now(Lifetime::Long), moment);
        happen(root, MOST_EVENTS / 2 + 100);
        assert_ne!(witness.now(Lifetime::Long), moment);
    }

    #[test]
    fn a_path_that_leads_nowhere_for_certain_is_never_vouched_for() {
        let witness = Witness::default();
        let consulted = [Consulted::Entry("relative".into())];
        let moment = witness.now(Lifetime::Long);
        assert!(!witness.vouches(moment, &consulted) && !witness.vouches(moment, &consulted));
        assert!(!witness.vouches(witness.now(Lifetime::Short), &[]));
    }
}
