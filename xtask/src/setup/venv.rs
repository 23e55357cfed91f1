//! `.deps/venv`: Python packages that tests compare with.

use std::path::Path;

use super::{Python, read, stamp};
use crate::error::TaskError;
use crate::invocation::Invocation;
use crate::workspace::Workspace;

/// Makes the virtual environment from its lock.
pub(super) fn install(workspace: &Workspace, python: &Python) -> Result<(), TaskError> {
    let folder = workspace.deps().join("venv");
    let lock = workspace.peers().join("requirements.txt");
    stamp::fill(&folder, &[python.version(), &read(&lock)?], || {
        python.module("venv").arg("--clear").arg(&folder).run()?;
        pip_install(Invocation::new(folder.join("bin/python")).args(["-m", "pip"]), &lock).run()
    })
}

/// Installs exactly what the lock says, never by building it.
pub(super) fn pip_install(pip: Invocation, lock: &Path) -> Invocation {
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--require-hashes", "--no-deps"])
        .args(["--only-binary", ":all:", "--requirement"])
        .arg(lock)
}
