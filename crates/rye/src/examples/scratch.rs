//! An empty folder that an example has to itself.

use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that goes away with everything in it.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Makes a folder with these files in it.
    pub(super) fn new(files: &BTreeMap<String, Vec<u8>>) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("rye-test-{}-{number}", std::process::id()));
        // Somebody else's folder of this name would be an error, and never used.
        DirBuilder::new().mode(0o700).create(&path)?;
        let scratch = Self(path.canonicalize()?);
        for (name, bytes) in files {
            let path = scratch.0.join(name);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(path, bytes)?;
        }
        Ok(scratch)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays where temporary things are.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
