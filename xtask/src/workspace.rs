//! Where things are.

use std::path::{Path, PathBuf};

/// The root folder of the project, and what lies at fixed places below it.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace that this program was built from.
    pub(crate) fn here() -> Self {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self { root: manifest.parent().unwrap_or(manifest).to_path_buf() }
    }

    /// The folder that holds the workspace's `Cargo.toml`.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Everything that is downloaded for tests and checks; git ignores it.
    pub(crate) fn deps(&self) -> PathBuf {
        self.root.join(".deps")
    }

    /// The lists and locks of the foreign packages that tests compare with.
    pub(crate) fn peers(&self) -> PathBuf {
        self.root.join("tests/peers")
    }
}
