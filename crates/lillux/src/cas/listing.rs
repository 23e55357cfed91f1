//! Walking over a section.

use std::fs::{DirEntry, ReadDir};
use std::io;
use std::path::{Path, PathBuf};

use super::error::{CasError, CasErrorKind, CasTask};
use super::section::{Section, digest_of_place, is_shard_name};
use crate::Digest;

/// The digests of a section, in no order. Files that no store put there are passed over; [`Store::verify_all`]
/// names them.
///
/// Entries that come or go during the walk may be in it or not; all others are in it once.
///
/// [`Store::verify_all`]: super::Store::verify_all
#[derive(Debug)]
pub struct Listing {
    section: Section,
    walk: Walk,
}

/// What a walk over a section comes across.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Entry(Digest),
    Stray(PathBuf),
}

/// The walk itself. It holds one folder open at a time, however large the store is.
#[derive(Debug)]
pub(super) struct Walk {
    folder: PathBuf,
    shards: ReadDir,
    shard: Option<OpenShard>,
}

#[derive(Debug)]
struct OpenShard {
    name: String,
    path: PathBuf,
    entries: ReadDir,
}

impl Listing {
    pub(super) fn new(section: Section, root: &Path) -> Result<Self, CasErrorKind> {
        Ok(Self { section, walk: Walk::new(section, root)? })
    }
}

impl Iterator for Listing {
    type Item = Result<Digest, CasError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.walk.next()? {
                Ok(Found::Entry(digest)) => return Some(Ok(digest)),
                Ok(Found::Stray(_)) => {}
                Err(kind) => return Some(Err(CasError::new(CasTask::List(self.section), kind))),
            }
        }
    }
}

impl Walk {
    pub(super) fn new(section: Section, root: &Path) -> Result<Self, CasErrorKind> {
        let folder = section.folder(root);
        let shards = std::fs::read_dir(&folder).map_err(CasErrorKind::io("list", &folder))?;
        Ok(Self { folder, shards, shard: None })
    }

    /// Goes down into a shard, or says that it is none.
    fn enter(&mut self, entry: &DirEntry) -> Result<Option<Found>, CasErrorKind> {
        let path = entry.path();
        let is_folder = entry.file_type().map_err(CasErrorKind::io("examine", &path))?.is_dir();
        match entry.file_name().into_string() {
            Ok(name) if is_folder && is_shard_name(&name) => {
                let entries = std::fs::read_dir(&path).map_err(CasErrorKind::io("list", &path))?;
                self.shard = Some(OpenShard { name, path, entries });
                Ok(None)
            }
            _ => Ok(Some(Found::Stray(path))),
        }
    }
}

impl Iterator for Walk {
    type Item = Result<Found, CasErrorKind>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(shard) = &mut self.shard {
                match shard.entries.next() {
                    Some(entry) => return Some(shard.judge(entry)),
                    None => self.shard = None,
                }
            } else {
                let step = match self.shards.next()? {
                    Ok(entry) => self.enter(&entry).transpose(),
                    Err(error) => Some(Err(CasErrorKind::io("list", &self.folder)(error))),
                };
                if step.is_some() {
                    return step;
                }
            }
        }
    }
}

impl OpenShard {
    fn judge(&self, entry: io::Result<DirEntry>) -> Result<Found, CasErrorKind> {
        let entry = entry.map_err(CasErrorKind::io("list", &self.path))?;
        let path = entry.path();
        let is_file = entry.file_type().map_err(CasErrorKind::io("examine", &path))?.is_file();
        let digest = entry.file_name().to_str().and_then(|name| digest_of_place(&self.name, name));
        Ok(match digest {
            Some(digest) if is_file => Found::Entry(digest),
            _ => Found::Stray(path),
        })
    }
}
