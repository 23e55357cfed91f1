//! The watch itself.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::time::Timespec;

use super::error::{WatchError, WatchErrorKind};
use super::event_queue::{EventQueue, Follow};
use super::request::{Depth, WatchEvent, WatchOutcome, WatchRequest};
use super::targets::Targets;
use crate::CancelToken;
use crate::clock::{Clock, Deadline, SystemClock};

/// Watches, and calls `on_event` for [`WatchEvent::Ready`] and then for each change, on the calling thread.
///
/// # Errors
/// If a path does not exist or cannot be watched, now or, for a folder that comes into being, later.
pub fn watch(
    request: &WatchRequest,
    cancel: &CancelToken,
    on_event: &mut dyn FnMut(WatchEvent),
) -> Result<WatchOutcome, WatchError> {
    let deadline = request.timeout.map_or(Deadline::NEVER, |timeout| Deadline::after(timeout, &SystemClock));
    let targets = Targets::of(request)?;
    let mut session = Session::start(&targets, request.depth)?;
    on_event(WatchEvent::Ready);

    let mut changes = 0;
    let mut tell = |event| {
        if let Some(event) = targets.translate(event) {
            on_event(event);
            changes += 1;
        }
        request.until.is_reached(changes)
    };
    loop {
        if session.tell_queued(SystemClock.instant(), &mut tell) {
            return Ok(WatchOutcome::Satisfied);
        }
        if cancel.is_cancelled() {
            return Ok(WatchOutcome::Cancelled);
        }
        if deadline.is_over(&SystemClock) {
            // What has been received was in time, the first half of a move too.
            let is_satisfied = session.tell_rest(&mut tell);
            return Ok(if is_satisfied { WatchOutcome::Satisfied } else { WatchOutcome::TimedOut });
        }
        session.wait(deadline, cancel).map_err(WatchErrorKind::Notifications)?;
        session.receive()?;
    }
}

/// A running watch. Notifications arrive on a thread of the watcher.
struct Session {
    watcher: RecommendedWatcher,
    notifications: Receiver<notify::Result<notify::Event>>,
    bell: Bell,
    queue: EventQueue,
}

/// Makes the arrival of a notification something that can be polled, together with a cancel token.
#[derive(Clone)]
struct Bell(Arc<OwnedFd>);

impl Session {
    fn start(targets: &Targets, depth: Depth) -> Result<Self, WatchErrorKind> {
        let bell = Bell::new().map_err(WatchErrorKind::Notifications)?;
        let (sender, notifications) = mpsc::channel();
        let ringer = bell.clone();
        let handler = move |notification| {
            // Whoever does not listen any more has seen enough.
            if sender.send(notification).is_ok() {
                ringer.ring();
            }
        };
        let config = notify::Config::default().with_follow_symlinks(false);
        let mut watcher = RecommendedWatcher::new(handler, config)?;
        for (folder, depth) in targets.folders() {
            add(&mut watcher, &folder, depth)?;
        }
        Ok(Self { watcher, notifications, bell, queue: EventQueue::new(depth) })
    }

    /// Tells events until `tell` says that it is enough; says whether it did.
    fn tell_queued(&mut self, now: Instant, tell: &mut dyn FnMut(WatchEvent) -> bool) -> bool {
        std::iter::from_fn(|| self.queue.pop(now)).any(tell)
    }

    fn tell_rest(&mut self, tell: &mut dyn FnMut(WatchEvent) -> bool) -> bool {
        while let Some(opens_at) = self.queue.opens_at() {
            if self.tell_queued(opens_at, tell) {
                return true;
            }
        }
        false
    }

    /// Waits until there is something to do.
    fn wait(&self, deadline: Deadline, cancel: &CancelToken) -> io::Result<()> {
        let held_back = self.queue.opens_at().map(|at| at.saturating_duration_since(SystemClock.instant()));
        let longest = [deadline.remaining(&SystemClock), held_back].into_iter().flatten().min();
        let timeout = longest.map(timespec);
        let mut fds = [PollFd::new(&self.bell, PollFlags::IN), PollFd::new(cancel, PollFlags::IN)];
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes what has arrived.
    fn receive(&mut self) -> Result<(), WatchErrorKind> {
        // Silence comes first: a notification that arrives after it rings again.
        self.bell.silence();
        while let Ok(notification) = self.notifications.try_recv() {
            match self.queue.push(notification?, SystemClock.instant()) {
                Follow::Nothing => {}
                Follow::LookInto(folder) => {
                    self.await_new_watches();
                    look_into(&folder, &mut self.queue);
                }
            }
        }
        Ok(())
    }

    /// Returns when the folders that were notified so far are watched. The watcher adds them right after it has
    /// passed on a batch of notifications, and answers messages, such as this one, between batches.
    fn await_new_watches(&mut self) {
        // The watcher has nothing to configure; only its answer matters.
        let _ = self.watcher.configure(notify::Config::default());
    }
}

impl Bell {
    fn new() -> io::Result<Self> {
        Ok(Self(Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)))
    }

    fn ring(&self) {
        // The only failure is a counter that is full, which means that it rings.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    fn silence(&self) {
        // The only failure is that it did not ring.
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Watches a folder. In a busy tree a subfolder may vanish before it is watched; that is no reason to give up.
fn add(watcher: &mut RecommendedWatcher, folder: &Path, depth: Depth) -> Result<(), WatchErrorKind> {
    const ATTEMPTS: usize = 10;
    let mode = match depth {
        Depth::Shallow => RecursiveMode::NonRecursive,
        Depth::Recursive => RecursiveMode::Recursive,
    };
    let mut attempt = 1;
    loop {
        match watcher.watch(folder, mode) {
            Err(error) if attempt < ATTEMPTS && is_vanished_subfolder(&error, folder) => attempt += 1,
            result => return Ok(result?),
        }
    }
}

fn is_vanished_subfolder(error: &notify::Error, folder: &Path) -> bool {
    matches!(error.kind, notify::ErrorKind::PathNotFound) && error.paths.iter().all(|path| path != folder)
}

/// Reports everything below a new folder. What cannot be read has vanished again, or is not for us.
fn look_into(folder: &Path, queue: &mut EventQueue) {
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    if !is_folder(folder) {
        return;
    }
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        queue.found(path.clone());
        look_into(&path, queue);
    }
}

/// A span that is too long for the system is as good as one that it can take.
fn timespec(span: Duration) -> Timespec {
    Timespec::try_from(span).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 })
}
