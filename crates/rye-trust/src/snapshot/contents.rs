//! What is in a snapshot, and its name.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use lillux::Digest;
use lillux::digest::Hasher;

use super::request::SnapshotLink;

/// The files of a snapshot by path.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Contents(BTreeMap<String, FileContent>);

/// What a file of a snapshot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileContent {
    pub(super) digest: Digest,
    pub(super) executable: bool,
}

const MARK: &[u8] = b"rye:snapshot:v1\0";

impl Contents {
    pub(super) fn insert(&mut self, path: &str, content: FileContent) {
        self.0.insert(path.to_owned(), content);
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The digest over all files.
    pub(super) fn digest(&self) -> Digest {
        let mut hasher = Hasher::default();
        hasher.update(MARK);
        for (path, content) in &self.0 {
            hasher.update(&(path.len() as u64).to_le_bytes());
            hasher.update(path.as_bytes());
            hasher.update(content.digest.as_bytes());
            hasher.update(&[u8::from(content.executable)]);
        }
        hasher.finish()
    }

    /// What the snapshot in a folder has to be called; nothing if anything there could not be part of one.
    pub(super) fn read_name(folder: &Path) -> Option<Digest> {
        let mut contents = Self::default();
        let mut links = Vec::new();
        contents.read_folder(folder, "", &mut links).then(|| name(contents.digest(), &mut links))
    }

    fn read_folder(&mut self, folder: &Path, prefix: &str, links: &mut Vec<SnapshotLink>) -> bool {
        let Ok(entries) = fs::read_dir(folder) else { return false };
        entries.into_iter().all(|entry| {
            let Ok(entry) = entry else { return false };
            let Some(path) = entry.file_name().to_str().map(|name| format!("{prefix}{name}")) else {
                return false;
            };
            match entry.metadata() {
                Ok(found) if found.is_dir() => self.read_folder(&entry.path(), &format!("{path}/"), links),
                Ok(found) if found.is_symlink() && prefix.is_empty() => fs::read_link(entry.path())
                    .is_ok_and(|target| {
                        links.push(SnapshotLink { name: path, target });
                        true
                    }),
                Ok(found) if found.is_file() => {
                    let digest = File::open(entry.path()).and_then(Digest::of_reader);
                    let executable = found.permissions().mode() & 0o100 != 0;
                    digest.is_ok_and(|digest| {
                        self.0.insert(path, FileContent { digest, executable });
                        true
                    })
                }
                _ => false,
            }
        })
    }
}

/// What a snapshot is called that has files of this digest, and these links.
pub(super) fn name(files: Digest, links: &mut [SnapshotLink]) -> Digest {
    if links.is_empty() {
        return files;
    }
    links.sort();
    let mut hasher = Hasher::default();
    hasher.update(MARK);
    hasher.update(files.as_bytes());
    for link in links {
        for part in [link.name.as_bytes(), link.target.as_os_str().as_encoded_bytes()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    hasher.finish()
}
