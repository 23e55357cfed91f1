//! The seeds: small files in `fuzz/corpus`, a folder for each target.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// An input with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    /// What it is called, which tells what is in it.
    pub name: String,
    /// The input.
    pub bytes: Vec<u8>,
}

impl AsRef<[u8]> for Seed {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The folder that has one folder for each target.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// The seeds of a target, in the order of their names.
///
/// # Errors
/// If they cannot be read.
pub fn seeds(target: &str) -> io::Result<Vec<Seed>> {
    let mut seeds = Vec::new();
    for entry in fs::read_dir(folder().join(target))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        seeds.push(Seed { name, bytes: fs::read(entry.path())? });
    }
    seeds.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(seeds)
}
