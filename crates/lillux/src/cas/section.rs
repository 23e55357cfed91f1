//! The two parts of a store, and where an entry lies in them.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::Digest;

/// A part of the store. The same digest may stand in both: they are looked up apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Bytes of any kind.
    Blobs,
    /// JSON values in canonical form.
    Objects,
}

impl Section {
    /// Both parts.
    pub const ALL: [Self; 2] = [Self::Blobs, Self::Objects];

    pub(super) fn folder_name(self) -> &'static str {
        match self {
            Self::Blobs => "blobs",
            Self::Objects => "objects",
        }
    }

    pub(super) fn folder(self, root: &Path) -> PathBuf {
        root.join(self.folder_name())
    }

    /// Where the entry with this digest lies, whether it is there or not.
    pub(super) fn entry_path(self, root: &Path, digest: Digest) -> PathBuf {
        let digits = digest.to_string();
        let (shard, name) = digits.split_at(SHARD_DIGITS);
        self.folder(root).join(shard).join(name)
    }
}

/// What one entry of a section is called in a message.
impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Blobs => "blob",
            Self::Objects => "object",
        })
    }
}

/// Two digits make 256 folders: few enough to walk, and a million entries are still only four thousand in each.
const SHARD_DIGITS: usize = 2;

/// Whether a folder of this name can hold entries.
pub(super) fn is_shard_name(name: &str) -> bool {
    name.len() == SHARD_DIGITS && name.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// The digest that an entry has by its place.
pub(super) fn digest_of_place(shard: &str, name: &str) -> Option<Digest> {
    if is_shard_name(shard) { format!("{shard}{name}").parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_and_its_digest_agree() {
        let digest = Digest::of(b"abc");
        let path = Section::Blobs.entry_path(Path::new("/s"), digest);
        let expect = "/s/blobs/ba/7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(path, Path::new(expect));
        let name = path.file_name().and_then(|name| name.to_str()).unwrap();
        assert_eq!(digest_of_place("ba", name), Some(digest));
        assert_eq!(digest_of_place("b", &format!("a{name}")), None);
        assert_eq!(digest_of_place("ba", "README"), None);
        assert_eq!(digest_of_place("BA", name), None);
    }
}
