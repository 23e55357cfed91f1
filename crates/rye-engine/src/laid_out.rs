//! The system space as files, which a process that lives long need not compare with the program for each call.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rye_item::{Bundle, LayoutError};

use crate::Lifetime;
use crate::folder_watch::FolderWatch;

/// The layout of the last call.
#[derive(Debug, Default)]
pub(crate) struct LaidOut(Mutex<Option<Known>>);

#[derive(Debug)]
struct Known {
    folder: PathBuf,
    /// Another folder may take its place, of which the watch would say nothing.
    inode: u64,
    watch: FolderWatch,
}

impl LaidOut {
    /// The folder that holds exactly the bundle.
    pub(crate) fn get(
        &self,
        bundle: Bundle,
        base: &Path,
        lifetime: Lifetime,
    ) -> Result<PathBuf, LayoutError> {
        if lifetime == Lifetime::Short {
            return bundle.lay_out(base);
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Known { folder, inode, watch }) = &*known
            && watch.is_quiet()
            && inode_of(folder) == Some(*inode)
        {
            return Ok(folder.clone());
        }
        *known = None;
        let folder = bundle.lay_out(base)?;
        let watched = watch_over(&folder).zip(inode_of(&folder));
        // Whatever happened before the watch began is seen by comparing once more.
        if bundle.lay_out(base)? == folder {
            *known = watched.map(|(watch, inode)| Known { folder: folder.clone(), inode, watch });
        }
        Ok(folder)
    }
}

fn watch_over(folder: &Path) -> Option<FolderWatch> {
    let mut watch = FolderWatch::new()?;
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        watch.add_folder(&folder);
        let entries = fs::read_dir(&folder).ok()?.flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        waiting.extend(folders.map(|entry| entry.path()));
    }
    Some(watch)
}

fn inode_of(folder: &Path) -> Option<u64> {
    folder.symlink_metadata().ok().map(|found| found.ino())
}
