//! Files of a space that are replaced by others, many at a time.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, RenameFlags, Stat, Uid, fchmod, fchown, fstat, openat, renameat,
    renameat_with, statat, syncfs, unlinkat,
};
use rustix::io::Errno;

use crate::folder::OpenError;
use crate::space_root::Content;
use crate::{FileFacts, ItemKind, SpaceRoot};

/// Files that are to be replaced. Nothing changes before [`commit`](Self::commit), and then each file is the old or the new
/// one, whole, whatever happens. All of them together reach the disk before the first takes its place, and all are in
/// their places on the disk, too, when it returns.
#[derive(Debug, Default)]
pub struct Replacements {
    drafts: Vec<Draft>,
}

/// A file that could not be replaced.
#[derive(Debug, thiserror::Error)]
#[error("cannot replace `{}`", path.display())]
pub struct ReplaceError {
    path: PathBuf,
    #[source]
    kind: ReplaceErrorKind,
}

/// Why not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplaceErrorKind {
    /// Somebody has changed it since it was looked at.
    #[error("it has changed in the meantime")]
    Changed,
    /// It is part of the program.
    #[error("it is part of the program")]
    Embedded,
    /// The file system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<Errno> for ReplaceErrorKind {
    fn from(errno: Errno) -> Self {
        Self::Io(errno.into())
    }
}

#[derive(Debug)]
struct Draft {
    folder: Arc<DraftFolder>,
    name: String,
    temporary: String,
    path: PathBuf,
    was: Option<FileFacts>,
    /// Whether there is something under the draft's name: what is to be put in place, or what was there before.
    is_there: bool,
}

/// So few files are removed by one thread.
const FEW: usize = 64;

/// A folder that files are replaced in.
#[derive(Debug)]
struct DraftFolder {
    descriptor: OwnedFd,
    path: PathBuf,
    /// The file system that it is on.
    device: u64,
}

impl Replacements {
    /// Writes the new content of a file beside the old one, with the same mode and owner. `was` is the file that the new
    /// content was made from, as it was when it was read; nothing if there was none, and then there will be one.
    ///
    /// # Errors
    /// If it is no longer the same file, or the file system refuses.
    pub fn add(
        &mut self,
        root: &SpaceRoot,
        kind: ItemKind,
        below: &str,
        was: Option<FileFacts>,
        bytes: &[u8],
    ) -> Result<(), ReplaceError> {
        let path = root.kind_path(kind).join(below);
        self.write(root, kind, below, was, bytes).map_err(|kind| ReplaceError { path, kind })
    }

    /// How many files there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.drafts.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    /// Takes over the files of another, which go to their places together with these.
    pub fn append(&mut self, mut other: Self) {
        self.drafts.append(&mut other.drafts);
    }

    /// Puts all new files in their places.
    ///
    /// # Errors
    /// For each file that could not be replaced, why. The others are.
    pub fn commit(mut self) -> Result<(), Vec<ReplaceError>> {
        let mut errors = Vec::new();
        self.sync()?;
        for draft in &mut self.drafts {
            if let Err(kind) = draft.put_in_place() {
                errors.push(draft.failed(kind));
            }
        }
        self.remove_drafts();
        errors.extend(self.sync().err().into_iter().flatten());
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Removes what was replaced, on all cores: a file system takes longer to free a file than to give it a name.
    fn remove_drafts(&mut self) {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let part = self.drafts.len().div_ceil(threads).max(FEW);
        std::thread::scope(|scope| {
            let mut parts = self.drafts.chunks_mut(part);
            let own = parts.next();
            for others in parts {
                scope.spawn(|| others.iter_mut().for_each(Draft::remove));
            }
            own.into_iter().flatten().for_each(Draft::remove);
        });
    }

    /// Waits until everything that was written is on the disk: once for each file system, however many files there are.
    fn sync(&self) -> Result<(), Vec<ReplaceError>> {
        let mut synced = Vec::new();
        for folder in self.drafts.iter().map(|draft| &draft.folder) {
            if synced.contains(&folder.device) {
                continue;
            }
            synced.push(folder.device);
            if let Err(errno) = syncfs(folder.descriptor.as_fd()) {
                // Nobody knows what of it is there, so nothing counts.
                return Err(self.drafts.iter().map(|draft| draft.failed(errno.into())).collect());
            }
        }
        Ok(())
    }

    fn write(
        &mut self,
        root: &SpaceRoot,
        kind: ItemKind,
        below: &str,
        was: Option<FileFacts>,
        bytes: &[u8],
    ) -> Result<(), ReplaceErrorKind> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (parent, name) = below.rsplit_once('/').unwrap_or(("", below));
        let folder_path = format!("{}/{parent}", kind.folder());
        let folder = self.folder(root, folder_path.trim_end_matches('/'))?;
        let before = still_the_same(&folder, name, was)?;
        let draft = format!(".{}-{}.draft", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        // What others may not read, they may not read before its mode is complete, either.
        let mode = Mode::from_raw_mode(before.map_or(0o644, |before| before.st_mode & 0o666));
        let file = openat(&folder.descriptor, &draft, flags, mode)?;
        self.drafts.push(Draft {
            folder,
            name: name.to_owned(),
            temporary: draft,
            path: root.kind_path(kind).join(below),
            was,
            is_there: true,
        });
        let mut file = File::from(file);
        file.write_all(bytes)?;
        if let Some(before) = before {
            keep_rights(&file, &before)?;
        }
        Ok(())
    }

    /// Opens a folder, unless the last file was in it too.
    fn folder(&self, root: &SpaceRoot, path: &str) -> Result<Arc<DraftFolder>, ReplaceErrorKind> {
        let whole_path = root.path().join(path);
        if let Some(last) = self.drafts.last()
            && last.folder.path == whole_path
        {
            return Ok(Arc::clone(&last.folder));
        }
        match &root.content {
            Content::Embedded(_) => Err(ReplaceErrorKind::Embedded),
            Content::Folder(folder) => {
                let descriptor =
                    folder.open_folder(path).map_err(|error: OpenError| io::Error::from(error))?;
                let device = fstat(&descriptor)?.st_dev;
                Ok(Arc::new(DraftFolder { descriptor, path: whole_path, device }))
            }
        }
    }
}

impl Draft {
    fn failed(&self, kind: ReplaceErrorKind) -> ReplaceError {
        ReplaceError { path: self.path.clone(), kind }
    }

    fn put_in_place(&mut self) -> Result<(), ReplaceErrorKind> {
        still_the_same(&self.folder, &self.name, self.was)?;
        match (self.rename(), self.was) {
            (Ok(()), Some(was)) => return self.look_at_replaced(was),
            (Ok(()), None) => {}
            (Err(Errno::EXIST | Errno::NOENT), _) => return Err(ReplaceErrorKind::Changed),
            // This file system can do no more than that.
            (Err(Errno::INVAL | Errno::NOSYS), _) => {
                let folder = &self.folder.descriptor;
                renameat(folder, self.temporary.as_str(), folder, self.name.as_str())?;
            }
            (Err(errno), _) => return Err(errno.into()),
        }
        self.is_there = false;
        Ok(())
    }

    /// Changes places with the file that is to be replaced, or takes a place where nothing is.
    fn rename(&self) -> Result<(), Errno> {
        let (folder, name, draft) = (&self.folder.descriptor, self.name.as_str(), self.temporary.as_str());
        match self.was {
            None => renameat_with(folder, draft, folder, name, RenameFlags::NOREPLACE),
            // In this order those who watch the folder are told last that there is a file of this name.
            Some(_) => renameat_with(folder, name, folder, draft, RenameFlags::EXCHANGE),
        }
    }

    /// Takes back what has replaced another file than it should: what somebody has written in the last moment is not lost.
    fn look_at_replaced(&mut self, was: FileFacts) -> Result<(), ReplaceErrorKind> {
        // As long as nobody knows whose file it is, it is not removed.
        self.is_there = false;
        let now = statat(&self.folder.descriptor, self.temporary.as_str(), AtFlags::SYMLINK_NOFOLLOW)?;
        // A new name is a change of its facts, too.
        let is_it = FileFacts { changed: was.changed, ..FileFacts::of(&now) } == was;
        if !is_it {
            self.rename()?;
        }
        self.is_there = true;
        if is_it { Ok(()) } else { Err(ReplaceErrorKind::Changed) }
    }

    fn remove(&mut self) {
        if std::mem::take(&mut self.is_there) {
            // What cannot be removed is a file that no item has.
            let _ = unlinkat(&self.folder.descriptor, self.temporary.as_str(), AtFlags::empty());
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        self.remove();
    }
}

impl ReplaceError {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Why it could not be replaced.
    #[must_use]
    pub fn kind(&self) -> &ReplaceErrorKind {
        &self.kind
    }
}

/// What the file system says about a file, if it is the one that it was.
fn still_the_same(
    folder: &DraftFolder,
    name: &str,
    was: Option<FileFacts>,
) -> Result<Option<Stat>, ReplaceErrorKind> {
    let now = match statat(&folder.descriptor, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Some(stat),
        Err(Errno::NOENT) => None,
        Err(errno) => return Err(errno.into()),
    };
    if now.as_ref().map(FileFacts::of) == was { Ok(now) } else { Err(ReplaceErrorKind::Changed) }
}

/// Gives the file the mode and the owner of another one.
fn keep_rights(file: &File, before: &Stat) -> io::Result<()> {
    let fresh = fstat(file)?;
    if (fresh.st_uid, fresh.st_gid) != (before.st_uid, before.st_gid) {
        fchown(file, Some(Uid::from_raw(before.st_uid)), Some(Gid::from_raw(before.st_gid)))?;
    }
    let mode = Mode::from_raw_mode(before.st_mode);
    if Mode::from_raw_mode(fresh.st_mode) != mode {
        fchmod(file, mode)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_in_the_last_moment_is_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        let descriptor = OwnedFd::from(File::open(folder.path()).unwrap());
        let found = |descriptor: &OwnedFd| FileFacts::of(&statat(descriptor, "a", AtFlags::empty()).unwrap());
        for (now, expect) in [(None, "new"), (Some("of somebody else"), "of somebody else")] {
            std::fs::write(&file, "old").unwrap();
            std::fs::write(folder.path().join("draft"), "new").unwrap();
            let descriptor = descriptor.try_clone().unwrap();
            let was = found(&descriptor);
            let place = DraftFolder { descriptor, path: folder.path().to_owned(), device: 0 };
            let mut draft = Draft {
                folder: Arc::new(place),
                name: "a".to_owned(),
                temporary: "draft".to_owned(),
                path: file.clone(),
                was: Some(was),
                is_there: true,
            };
            if let Some(now) = now {
                std::fs::write(&file, now).unwrap();
            }
            draft.rename().unwrap();
            assert_eq!(draft.look_at_replaced(was).is_ok(), now.is_none());
            drop(draft);
            assert_eq!(std::fs::read_to_string(&file).unwrap(), expect);
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }
}
