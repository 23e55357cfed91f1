//! Signatures that were found good, kept from one process to the next.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

use lillux::Digest;
use lillux::stored_file::{self, Access};
use rustix::fs::OFlags;

use crate::KeyFolder;

/// The file `verified/signatures` in the operator's folder of keys.
///
/// That a signature is good follows from the statement, the signature and the key alone, so there is nothing to go stale;
/// whether the key counts is asked each time, and so is whether the content is the one that was signed. The file is as far
/// out of reach for others as the keys are: whoever could write here could write down a key to be trusted, next to it.
#[derive(Debug, Clone)]
pub struct KnownSignatures {
    path: PathBuf,
}

/// How many are kept. A file that is full starts again.
const MOST: usize = 128;
/// The bytes of one.
const LENGTH: usize = 32;

impl KnownSignatures {
    /// Those that are kept beside these keys.
    #[must_use]
    pub fn beside(keys: &KeyFolder) -> Self {
        Self { path: keys.path().join("verified/signatures") }
    }

    /// Whether a signature is among them. A file that cannot be read, or that others can write, knows none.
    pub(crate) fn has(&self, signature: Digest) -> bool {
        stored_file::read(&self.path, Access::Private)
            .is_ok_and(|known| known.chunks_exact(LENGTH).any(|known| known == signature.as_bytes()))
    }

    /// Keeps one that is good. If that fails, the next process finds it out for itself.
    pub(crate) fn add(&self, signature: Digest) {
        let _ = self.append(signature);
    }

    fn append(&self, signature: Digest) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            match DirBuilder::new().mode(0o700).create(folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        let is_full = fs::metadata(&self.path).is_ok_and(|file| file.len() >= (MOST * LENGTH) as u64);
        let mut options = File::options();
        options.create(true).mode(0o600).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        let options = if is_full { options.write(true).truncate(true) } else { options.append(true) };
        options.open(&self.path)?.write_all(signature.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn digest(number: usize) -> Digest {
        Digest::of(&number.to_le_bytes())
    }

    fn beside_keys() -> (tempfile::TempDir, KnownSignatures) {
        let space = tempfile::tempdir().unwrap();
        let keys = KeyFolder::at(space.path());
        DirBuilder::new().mode(0o700).create(keys.path()).unwrap();
        (space, KnownSignatures::beside(&keys))
    }

    #[test]
    fn another_process_knows_what_was_kept_and_nothing_else() {
        let (_space, known) = beside_keys();
        assert!(!known.has(digest(1)));
        known.add(digest(1));
        known.add(digest(2));
        assert!(known.has(digest(1)) && known.has(digest(2)) && !known.has(digest(3)));
    }

    #[test]
    fn what_others_could_have_written_counts_for_nothing() {
        for (below, mode) in [("verified", 0o770), ("verified/signatures", 0o660)] {
            let (space, known) = beside_keys();
            known.add(digest(1));
            let path = space.path().join("keys").join(below);
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            assert!(!known.has(digest(1)), "{below}");
        }
    }

    #[test]
    fn without_a_folder_of_keys_none_is_made() {
        let space = tempfile::tempdir().unwrap();
        let keys = KeyFolder::at(space.path());
        KnownSignatures::beside(&keys).add(digest(1));
        assert!(!keys.path().exists());
    }

    #[test]
    fn a_file_that_is_full_starts_again() {
        let (_space, known) = beside_keys();
        (0..=MOST).for_each(|number| known.add(digest(number)));
        assert!(known.has(digest(MOST)) && !known.has(digest(0)));
        assert_eq!(fs::metadata(&known.path).unwrap().len(), LENGTH as u64);
    }
}
