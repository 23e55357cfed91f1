//! The Python that makes the virtual environment.

use std::path::PathBuf;

use crate::error::TaskError;
use crate::invocation::Invocation;

/// The oldest one that the packages in the lock support.
pub(crate) const OLDEST: &str = "3.10";

/// Prints the version, if it is new enough and virtual environments can be made.
const PROBE: &str = "import sys, venv, ensurepip; assert sys.version_info >= (3, 10); print(sys.version)";

/// A Python that can make virtual environments.
#[derive(Debug, Clone)]
pub(crate) struct Python {
    path: PathBuf,
    version: String,
}

impl Python {
    /// The first one on `PATH` that will do.
    ///
    /// Debian ships Python without `venv`, and a version manager's stand-in may lead nowhere, so each candidate
    /// has to show that it works.
    pub(crate) fn find() -> Result<Self, TaskError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let candidates = std::env::split_paths(&path).map(|folder| folder.join("python3"));
        candidates
            .filter(|path| path.is_file())
            .find_map(Self::probe)
            .ok_or(TaskError::Unusable { program: "python3", why: "none on PATH is new enough and has venv" })
    }

    fn probe(path: PathBuf) -> Option<Self> {
        let version = Invocation::new(&path).args(["-c", PROBE]).read().ok()?;
        Some(Self { path, version: version.trim().to_owned() })
    }

    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// This interpreter with `-m module`.
    pub(crate) fn module(&self, name: &str) -> Invocation {
        Invocation::new(&self.path).args(["-m", name])
    }
}
