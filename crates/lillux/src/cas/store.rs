//! The store: putting entries in, getting them out.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::blob_reader::BlobReader;
use super::canonical_json::CanonicalJson;
use super::entry_file::EntryFile;
use super::error::{CasError, CasErrorKind, CasTask};
use super::listing::Listing;
use super::section::Section;
use super::temp_file::{self, Cleaning};
use super::verification::{self, Damage, Verdict, Verification};
use crate::Digest;

/// A folder that keeps bytes by their digest.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) root: PathBuf,
    pub(super) durability: Durability,
}

/// What a power cut may take away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Nothing that was put: it has reached the disk, with its name, when the call returns.
    Synced,
    /// The latest entries, or some of their bytes, which is then found out when they are read.
    Fast,
}

/// An entry that is in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// The name by which it can be had again.
    pub digest: Digest,
    /// Its size in bytes.
    pub size: u64,
    /// What had to be done.
    pub disposition: Disposition,
}

/// What had to be done for an entry to be in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// It was written.
    Written,
    /// It was there, whole; nothing was written.
    AlreadyThere,
    /// It was there, damaged, and was replaced.
    Repaired,
}

impl Store {
    /// Opens the store in the folder `root`, and makes it if there is none. Folders that it makes can be
    /// entered by their owner only: what tools print ends up in here. Entries are [`Durability::Synced`].
    ///
    /// # Errors
    /// If the folders cannot be made.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, CasError> {
        let store = Self { root: root.into(), durability: Durability::Synced };
        store.make_folders().map_err(|kind| CasError::new(CasTask::Open(store.root.clone()), kind))?;
        Ok(store)
    }

    /// The same store, with another promise about what is put from now on.
    #[must_use]
    pub fn with_durability(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }

    /// The folder of the store.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where an entry lies, whether it is there or not. Bytes that are read from there are not checked.
    #[must_use]
    pub fn path(&self, section: Section, digest: Digest) -> PathBuf {
        section.entry_path(&self.root, digest)
    }

    /// Stores all that `input` gives as a blob, holding a small part of it in memory at a time.
    ///
    /// A blob that is there already is read and compared before it is believed, and replaced if it is damaged.
    /// That costs one more pass over its bytes, which is less than to write and sync them anew; a caller that
    /// knows the digest and is content with its presence asks [`Store::has`] first.
    ///
    /// # Errors
    /// If the input cannot be read or the store cannot be written. Then nothing of it is in the store.
    pub fn put(&self, mut input: impl Read) -> Result<Stored, CasError> {
        self.put_stream(&mut input).map_err(|kind| CasError::new(CasTask::Put(Section::Blobs), kind))
    }

    /// Stores `bytes` as a blob, like [`Store::put`]; if they are there already, nothing is written.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn put_bytes(&self, bytes: &[u8]) -> Result<Stored, CasError> {
        self.put_slice(Section::Blobs, bytes)
            .map_err(|kind| CasError::new(CasTask::Put(Section::Blobs), kind))
    }

    /// Stores a JSON value as an object, in its canonical form.
    ///
    /// # Errors
    /// If the value has no canonical form or the store cannot be written.
    pub fn put_object(&self, value: &Value) -> Result<Stored, CasError> {
        CanonicalJson::of(value)
            .map_err(CasErrorKind::NotCanonical)
            .and_then(|json| self.put_slice(Section::Objects, json.as_bytes()))
            .map_err(|kind| CasError::new(CasTask::Put(Section::Objects), kind))
    }

    /// Opens a blob. Its bytes are checked while they are read.
    ///
    /// # Errors
    /// If there is no such blob or it cannot be opened.
    pub fn get(&self, digest: Digest) -> Result<BlobReader, CasError> {
        self.open_entry(Section::Blobs, digest)
            .map(|(file, size)| BlobReader::new(file, self.path(Section::Blobs, digest), size, digest))
            .map_err(|kind| CasError::new(CasTask::Read(Section::Blobs, digest), kind))
    }

    /// The bytes of a blob of at most `max` bytes, checked.
    ///
    /// # Errors
    /// If there is no such blob, or it is too large, damaged or unreadable.
    pub fn read(&self, digest: Digest, max: usize) -> Result<Vec<u8>, CasError> {
        self.read_checked(Section::Blobs, digest, max)
            .map_err(|kind| CasError::new(CasTask::Read(Section::Blobs, digest), kind))
    }

    /// The value of an object of at most `max` bytes, checked.
    ///
    /// # Errors
    /// If there is no such object, or it is too large, damaged, unreadable or not canonical JSON.
    pub fn read_object(&self, digest: Digest, max: usize) -> Result<Value, CasError> {
        let read = || {
            let bytes = self.read_checked(Section::Objects, digest, max)?;
            CanonicalJson::value_of(&bytes)
                .ok_or_else(|| self.damaged(Section::Objects, digest, Damage::NotCanonical))
        };
        read().map_err(|kind| CasError::new(CasTask::Read(Section::Objects, digest), kind))
    }

    /// Whether there is an entry of this name. Its bytes are not looked at.
    ///
    /// # Errors
    /// If the file system does not say.
    pub fn has(&self, section: Section, digest: Digest) -> Result<bool, CasError> {
        let path = self.path(section, digest);
        match std::fs::symlink_metadata(&path) {
            Ok(metadata) => Ok(metadata.is_file()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => {
                Err(CasError::new(CasTask::Find(section, digest), CasErrorKind::io("examine", &path)(error)))
            }
        }
    }

    /// Removes an entry, and says whether there was one. Whoever has it open can still read it.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn remove(&self, section: Section, digest: Digest) -> Result<bool, CasError> {
        let path = self.path(section, digest);
        match std::fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => {
                Err(CasError::new(CasTask::Remove(section, digest), CasErrorKind::io("remove", &path)(error)))
            }
        }
    }

    /// The digests of all entries of a section.
    ///
    /// # Errors
    /// If the section cannot be read.
    pub fn list(&self, section: Section) -> Result<Listing, CasError> {
        Listing::new(section, &self.root).map_err(|kind| CasError::new(CasTask::List(section), kind))
    }

    /// Reads an entry and says whether it is what its digest says.
    ///
    /// # Errors
    /// If there is no such entry or it cannot be read.
    pub fn verify(&self, section: Section, digest: Digest) -> Result<Verdict, CasError> {
        let path = self.path(section, digest);
        verification::verify_entry(section, digest, &path)
            .map_err(|kind| CasError::new(CasTask::Verify(section, digest), kind))
    }

    /// Reads every entry, and looks for files that do not belong here.
    ///
    /// # Errors
    /// If something cannot be read.
    pub fn verify_all(&self) -> Result<Verification, CasError> {
        verification::verify_store(&self.root).map_err(|kind| CasError::new(CasTask::VerifyAll, kind))
    }

    /// Removes the unfinished files of writers that are dead. Those of live writers stay, however old.
    ///
    /// # Errors
    /// If a file can be neither examined nor removed.
    pub fn clean(&self) -> Result<Cleaning, CasError> {
        temp_file::clean(&temp_folder(&self.root)).map_err(|kind| CasError::new(CasTask::Clean, kind))
    }

    fn open_entry(&self, section: Section, digest: Digest) -> Result<(File, u64), CasErrorKind> {
        let path = self.path(section, digest);
        match EntryFile::open(&path)? {
            EntryFile::File { file, size } => Ok((file, size)),
            EntryFile::Absent => Err(CasErrorKind::NotFound { path }),
            EntryFile::NotAFile => Err(self.damaged(section, digest, Damage::NotAFile)),
        }
    }

    fn read_checked(&self, section: Section, digest: Digest, max: usize) -> Result<Vec<u8>, CasErrorKind> {
        let path = self.path(section, digest);
        let (file, size) = self.open_entry(section, digest)?;
        let capacity = usize::try_from(size).ok().filter(|size| *size <= max);
        let Some(capacity) = capacity else { return Err(CasErrorKind::TooLarge { path, size, max }) };
        let mut bytes = Vec::with_capacity(capacity);
        // A file that grows meanwhile is damaged; it must not fill the memory before that is noticed.
        file.take(size + 1).read_to_end(&mut bytes).map_err(CasErrorKind::io("read", &path))?;
        let found = Digest::of(&bytes);
        if found == digest {
            Ok(bytes)
        } else {
            Err(self.damaged(section, digest, Damage::Content { found }))
        }
    }

    fn damaged(&self, section: Section, digest: Digest, damage: Damage) -> CasErrorKind {
        CasErrorKind::Damaged { path: self.path(section, digest), expected: digest, damage }
    }
}

/// Where files are written. It is on the same file system as the sections, so that a rename moves them there.
pub(super) fn temp_folder(root: &Path) -> PathBuf {
    root.join("tmp")
}
