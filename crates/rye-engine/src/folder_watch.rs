//! Knowing that nothing has changed, without looking.

use std::path::Path;

use rustix::fs::inotify::{CreateFlags, Reader, WatchFlags, add_watch, init};
use rustix::fs::statfs;
use rustix::io::Errno;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

/// Watches folders for any change to what is in them.
///
/// The kernel queues an event before the call that made the change returns, so whoever asks after that call is told.
/// It tells nothing of a write through a shared mapping, nor of what another machine does to a file system that is shared
/// with it: of a folder on such a one, nothing is ever certain.
#[derive(Debug)]
pub(crate) struct FolderWatch {
    queue: OwnedFd,
    /// Whether every folder is watched. If not, nothing can be said.
    complete: bool,
}

/// What the kernel calls file systems that others may change: NFS, SMB in three versions, FUSE with virtiofs, 9P, Ceph,
/// AFS and Coda.
const SHARED: [u64; 9] = [
    0x6969,
    0x517B,
    0xFF53_4D42,
    0xFE53_4D42,
    0x6573_5546,
    0x0102_1997,
    0x00C3_6400,
    0x5346_414F,
    0x7375_7245,
];

/// Changes to what is in files.
const CONTENT: WatchFlags = WatchFlags::MODIFY.union(WatchFlags::CLOSE_WRITE).union(WatchFlags::ATTRIB);

impl FolderWatch {
    /// A watch over no folder yet; nothing if the kernel has none to give.
    pub(crate) fn new() -> Option<Self> {
        let queue = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
        Some(Self { queue, complete: true })
    }

    /// Watches a folder from now on. One that does not exist is covered by its parent.
    pub(crate) fn add_folder(&mut self, folder: &Path) {
        let inside = WatchFlags::CREATE | WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::MOVED_TO;
        let itself = WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF | WatchFlags::ONLYDIR;
        self.add(folder, CONTENT | inside | itself);
    }

    /// Watches a file itself, for changes that are made through another name of it.
    pub(crate) fn add_file(&mut self, file: &Path) {
        self.add(file, CONTENT | WatchFlags::DONT_FOLLOW);
    }

    fn add(&mut self, path: &Path, flags: WatchFlags) {
        match add_watch(&self.queue, path, flags) {
            Ok(_) => self.complete &= !is_shared(path),
            Err(Errno::NOENT | Errno::NOTDIR) => {}
            Err(_) => self.complete = false,
        }
    }

    /// Whether it is certain that nothing has changed since the folders were added.
    pub(crate) fn is_quiet(&self) -> bool {
        let mut buffer = [MaybeUninit::uninit(); 1024];
        self.complete && matches!(Reader::new(&self.queue, &mut buffer).next(), Err(Errno::AGAIN))
    }
}

/// Whether another machine may change what is there. If the kernel does not say, it may.
pub(crate) fn is_shared(path: &Path) -> bool {
    statfs(path).map_or(true, |found| u64::try_from(found.f_type).map_or(true, |kind| SHARED.contains(&kind)))
}
