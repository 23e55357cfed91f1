//! Python packages that tests and benchmarks compare with: `.deps/venv`, and `.deps/bench` beside it.

use std::path::Path;

use super::{Python, read, stamp};
use crate::error::TaskError;
use crate::invocation::Invocation;
use crate::workspace::Workspace;

/// A virtual environment, and the lock that it is made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Venv {
    folder: &'static str,
    lock: &'static str,
}

/// What tests need.
pub(super) const TESTS: Venv = Venv { folder: "venv", lock: "requirements.txt" };

/// What benchmarks compare with. What it depends on contradicts what tests need.
pub(super) const BENCH: Venv = Venv { folder: "bench", lock: "bench-requirements.txt" };

/// Makes a virtual environment from its lock.
pub(super) fn install(workspace: &Workspace, python: &Python, venv: Venv) -> Result<(), TaskError> {
    let folder = workspace.deps().join(venv.folder);
    let lock = workspace.peers().join(venv.lock);
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
