//! The files that come inside the program.

use lillux::Digest;
use lillux::digest::Hasher;

/// A system space that is part of the program. Nobody can change it, so its items need no signature.
#[derive(Debug, Clone, Copy)]
pub struct Bundle {
    files: &'static [BundleFile],
}

/// One file of a [`Bundle`].
#[derive(Debug, Clone, Copy)]
pub struct BundleFile {
    /// The path below `.ai`, with `/` between its parts.
    pub path: &'static str,
    /// The content.
    pub bytes: &'static [u8],
    /// The SHA-256 of the content, computed when the program was built.
    pub digest: [u8; 32],
    /// Whether it is a program.
    pub executable: bool,
}

impl Bundle {
    /// A bundle of `files`, which must be sorted by path.
    #[must_use]
    pub const fn new(files: &'static [BundleFile]) -> Self {
        Self { files }
    }

    /// All files, sorted by path.
    #[must_use]
    pub fn files(&self) -> &'static [BundleFile] {
        self.files
    }

    /// The file at this path below `.ai`.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&'static BundleFile> {
        self.files.binary_search_by(|file| file.path.cmp(path)).ok().map(|index| &self.files[index])
    }

    /// The files whose paths begin with `prefix`.
    #[must_use]
    pub fn below(&self, prefix: &str) -> &'static [BundleFile] {
        let start = self.files.partition_point(|file| file.path < prefix);
        let count = self.files[start..].partition_point(|file| file.path.starts_with(prefix));
        &self.files[start..start + count]
    }

    /// The digest of everything in it: the name of a layout.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut hasher = Hasher::default();
        for file in self.files {
            hasher.update(&(file.path.len() as u64).to_le_bytes());
            hasher.update(file.path.as_bytes());
            hasher.update(&file.digest);
            hasher.update(&[u8::from(file.executable)]);
        }
        hasher.finish()
    }
}
