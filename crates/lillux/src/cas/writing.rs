//! Bringing bytes to their place.

use std::fs::{DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::entry_file::EntryFile;
use super::error::CasErrorKind;
use super::section::Section;
use super::store::{Disposition, Durability, Store, Stored, temp_folder};
use super::temp_file::TempFile;
use crate::Digest;
use crate::digest::Hasher;

/// What a put finds under the name that it wants to give.
enum Existing {
    Absent,
    Intact(File),
    Damaged,
}

const FOLDER_MODE: u32 = 0o700;

impl Store {
    pub(super) fn make_folders(&self) -> Result<(), CasErrorKind> {
        DirBuilder::new()
            .recursive(true)
            .mode(FOLDER_MODE)
            .create(&self.root)
            .map_err(CasErrorKind::io("create", &self.root))?;
        for section in Section::ALL {
            self.make_folder(&section.folder(&self.root))?;
        }
        self.make_folder(&temp_folder(&self.root))
    }

    fn make_folder(&self, path: &Path) -> Result<(), CasErrorKind> {
        match DirBuilder::new().mode(FOLDER_MODE).create(path) {
            Ok(()) => self.sync_parent(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(CasErrorKind::io("create", path)(error)),
        }
    }

    pub(super) fn put_stream(&self, input: &mut dyn Read) -> Result<Stored, CasErrorKind> {
        let mut temp = TempFile::create(&temp_folder(&self.root))?;
        let mut hasher = Hasher::default();
        let mut size = 0;
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = match input.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(CasErrorKind::Input(error)),
            };
            hasher.update(&buffer[..count]);
            temp.write(&buffer[..count])?;
            size += count as u64;
        }
        self.place(Section::Blobs, hasher.finish(), size, || Ok(temp))
    }

    pub(super) fn put_slice(&self, section: Section, bytes: &[u8]) -> Result<Stored, CasErrorKind> {
        self.place(section, Digest::of(bytes), bytes.len() as u64, || {
            let mut temp = TempFile::create(&temp_folder(&self.root))?;
            temp.write(bytes)?;
            Ok(temp)
        })
    }

    /// Gives what `written` returns its place, unless the same bytes are there already.
    fn place(
        &self,
        section: Section,
        digest: Digest,
        size: u64,
        written: impl FnOnce() -> Result<TempFile, CasErrorKind>,
    ) -> Result<Stored, CasErrorKind> {
        let path = self.path(section, digest);
        let disposition = match existing(&path, digest, size)? {
            Existing::Intact(file) => {
                // Its writer may have been content with less than this store promises, or may not be done.
                if self.durability == Durability::Synced {
                    file.sync_all().map_err(CasErrorKind::io("sync", &path))?;
                }
                Disposition::AlreadyThere
            }
            Existing::Absent => Disposition::Written,
            Existing::Damaged => Disposition::Repaired,
        };
        if disposition != Disposition::AlreadyThere {
            let temp = written()?;
            if let Some(shard) = path.parent() {
                self.make_folder(shard)?;
            }
            temp.publish(&path, self.durability)?;
        }
        self.sync_parent(&path)?;
        Ok(Stored { digest, size, disposition })
    }

    /// Makes the name of `path` durable, if that is wanted.
    fn sync_parent(&self, path: &Path) -> Result<(), CasErrorKind> {
        match (self.durability, path.parent()) {
            (Durability::Synced, Some(folder)) => File::open(folder)
                .and_then(|folder| folder.sync_all())
                .map_err(CasErrorKind::io("sync", folder)),
            _ => Ok(()),
        }
    }
}

fn existing(path: &Path, digest: Digest, size: u64) -> Result<Existing, CasErrorKind> {
    let (mut file, found_size) = match EntryFile::open(path)? {
        EntryFile::File { file, size } => (file, size),
        EntryFile::Absent => return Ok(Existing::Absent),
        EntryFile::NotAFile => return Ok(Existing::Damaged),
    };
    // The size is free and shows most damage, so the bytes are read only if it is right.
    if found_size != size {
        return Ok(Existing::Damaged);
    }
    let found = Digest::of_reader(&mut file).map_err(CasErrorKind::io("read", path))?;
    Ok(if found == digest { Existing::Intact(file) } else { Existing::Damaged })
}
