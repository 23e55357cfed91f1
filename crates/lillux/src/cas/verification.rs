//! Finding damage, and files that do not belong in a store.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use super::canonical_json::CanonicalJson;
use super::entry_file::EntryFile;
use super::error::CasErrorKind;
use super::listing::{Found, Walk};
use super::section::Section;
use super::store::temp_folder;
use super::temp_file::{self, Temporary};
use crate::Digest;

/// What is wrong with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// Its bytes are not the ones that were stored.
    #[error("its bytes have the digest `{found}`")]
    Content {
        /// The digest of the bytes that are there.
        found: Digest,
    },
    /// A folder, a link or the like has its name.
    #[error("it is not a regular file")]
    NotAFile,
    /// It stands among the objects, but no store writes an object like this.
    #[error("its bytes are not canonical JSON")]
    NotCanonical,
}

/// The result of checking one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is what its digest says.
    Intact,
    /// It is not.
    Damaged(Damage),
}

/// An entry that cannot be read any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedEntry {
    /// The section in which it stands.
    pub section: Section,
    /// The digest that it should have.
    pub digest: Digest,
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub damage: Damage,
}

/// The result of checking a whole store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verification {
    /// How many entries are intact.
    pub intact: u64,
    /// The entries that are not.
    pub damaged: Vec<DamagedEntry>,
    /// Files and folders that no store puts where they are.
    pub strays: Vec<PathBuf>,
    /// Unfinished files of writers that are dead; [`Store::clean`](super::Store::clean) removes them.
    pub abandoned: Vec<PathBuf>,
}

impl Verification {
    /// Whether every entry can be read. Strays and unfinished files take nothing away from that.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.damaged.is_empty()
    }
}

pub(super) fn verify_entry(section: Section, digest: Digest, path: &Path) -> Result<Verdict, CasErrorKind> {
    let mut file = match EntryFile::open(path)? {
        EntryFile::File { file, .. } => file,
        EntryFile::Absent => return Err(CasErrorKind::NotFound { path: path.to_owned() }),
        EntryFile::NotAFile => return Ok(Verdict::Damaged(Damage::NotAFile)),
    };
    let found = Digest::of_reader(&mut file).map_err(CasErrorKind::io("read", path))?;
    if found != digest {
        return Ok(Verdict::Damaged(Damage::Content { found }));
    }
    match section {
        Section::Blobs => Ok(Verdict::Intact),
        Section::Objects => verify_json(file, path),
    }
}

pub(super) fn verify_store(root: &Path) -> Result<Verification, CasErrorKind> {
    let mut verification = Verification::default();
    for section in Section::ALL {
        for found in Walk::new(section, root)? {
            match found? {
                Found::Entry(digest) => verification.add_entry(section, digest, root)?,
                Found::Stray(path) => verification.strays.push(path),
            }
        }
    }
    verification.add_temporaries(root)?;
    verification.add_strangers(root)?;
    Ok(verification)
}

impl Verification {
    fn add_entry(&mut self, section: Section, digest: Digest, root: &Path) -> Result<(), CasErrorKind> {
        let path = section.entry_path(root, digest);
        match verify_entry(section, digest, &path) {
            Ok(Verdict::Intact) => self.intact += 1,
            Ok(Verdict::Damaged(damage)) => self.damaged.push(DamagedEntry { section, digest, path, damage }),
            // Somebody removed it after it was listed.
            Err(CasErrorKind::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn add_temporaries(&mut self, root: &Path) -> Result<(), CasErrorKind> {
        for path in temp_file::paths_in(&temp_folder(root))? {
            match temp_file::classify(&path)? {
                Temporary::Live | Temporary::Gone => {}
                Temporary::Abandoned { .. } => self.abandoned.push(path),
                Temporary::Stray => self.strays.push(path),
            }
        }
        Ok(())
    }

    fn add_strangers(&mut self, root: &Path) -> Result<(), CasErrorKind> {
        let own = [Section::Blobs.folder(root), Section::Objects.folder(root), temp_folder(root)];
        self.strays.extend(temp_file::paths_in(root)?.into_iter().filter(|path| !own.contains(path)));
        Ok(())
    }
}

/// The digest is right, so the size is the one that was stored, and it was in memory then too.
fn verify_json(mut file: File, path: &Path) -> Result<Verdict, CasErrorKind> {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map_err(CasErrorKind::io("read", path))?;
    let is_canonical = CanonicalJson::value_of(&bytes).is_some();
    Ok(if is_canonical { Verdict::Intact } else { Verdict::Damaged(Damage::NotCanonical) })
}
