//! Knowing that nothing has changed, without looking.

use std::path::Path;

use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
use rustix::io::Errno;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

/// Watches folders for any change to what is in them.
///
/// The kernel queues an event before the call that made the change returns, so whoever asks after that call is told.
#[derive(Debug)]
pub(crate) struct FolderWatch {
    queue: OwnedFd,
    /// Whether every folder is watched. If not, nothing can be said.
    complete: bool,
}

impl FolderWatch {
    /// A watch over no folder yet; nothing if the kernel has none to give.
    pub(crate) fn new() -> Option<Self> {
        let queue = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
        Some(Self { queue, complete: true })
    }

    /// Watches a folder from now on. One that does not exist is covered by its parent.
    pub(crate) fn add(&mut self, folder: &Path) {
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        match add_watch(&self.queue, folder, flags) {
            Ok(_) | Err(Errno::NOENT | Errno::NOTDIR) => {}
            Err(_) => self.complete = false,
        }
    }

    /// Whether it is certain that nothing has changed since the folders were added.
    pub(crate) fn is_quiet(&self) -> bool {
        let mut buffer = [MaybeUninit::uninit(); 1024];
        self.complete && matches!(Reader::new(&self.queue, &mut buffer).next(), Err(Errno::AGAIN))
    }
}
