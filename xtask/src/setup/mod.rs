//! Installing what the tests need, and only what is missing.
//!
//! Programs come from the system's packages; everything that has a version worth pinning goes into `.deps`, from
//! lock files that hold digests. Running it again does nothing unless a lock or an interpreter has changed.

mod node;
mod node_modules;
mod packages;
mod python;
mod stamp;
mod venv;

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::TaskError;
use crate::workspace::Workspace;

pub(crate) use node::Node;
pub(crate) use python::{OLDEST as OLDEST_PYTHON, Python};

/// Makes everything ready for tests. Two callers at once wait for each other.
pub(crate) fn install(workspace: &Workspace) -> Result<(), TaskError> {
    let lock = lock(workspace)?;
    let (python, node) = interpreters(workspace)?;
    venv::install(workspace, &python, venv::TESTS)?;
    node_modules::install(workspace, &node)?;
    drop(lock);
    Ok(())
}

/// Makes ready what only benchmarks compare with.
pub(crate) fn install_bench_peers(workspace: &Workspace) -> Result<(), TaskError> {
    let lock = lock(workspace)?;
    venv::install(workspace, &Python::find()?, venv::BENCH)?;
    drop(lock);
    Ok(())
}

/// Waits until nobody else installs anything, and keeps others out for as long as the file is open.
fn lock(workspace: &Workspace) -> Result<fs::File, TaskError> {
    let deps = workspace.deps();
    make_folder(&deps)?;
    let path = deps.join(".lock");
    fs::File::create(&path).and_then(|file| file.lock().map(|()| file)).map_err(|source| TaskError::File {
        action: "lock",
        path,
        source,
    })
}

/// Python and Node, with the system's programs beside them.
pub(crate) fn interpreters(workspace: &Workspace) -> Result<(Python, Node), TaskError> {
    packages::install_missing()?;
    let python = Python::find()?;
    let node = node::find_or_install(workspace, &python)?;
    Ok((python, node))
}

/// Programs that are not the system's own; tests have this folder first on their `PATH`.
pub(crate) fn programs_folder(workspace: &Workspace) -> PathBuf {
    workspace.deps().join("bin")
}

fn read(path: &Path) -> Result<String, TaskError> {
    fs::read_to_string(path).map_err(|source| TaskError::File {
        action: "read",
        path: path.to_path_buf(),
        source,
    })
}

fn make_folder(path: &Path) -> Result<(), TaskError> {
    fs::create_dir_all(path).map_err(|source| TaskError::File {
        action: "make the folder",
        path: path.to_path_buf(),
        source,
    })
}

/// Removes a folder with all that is in it, or nothing if there is none.
fn clear_folder(path: &Path) -> Result<(), TaskError> {
    match fs::remove_dir_all(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(TaskError::File { action: "remove the folder", path: path.to_path_buf(), source })
        }
        _ => Ok(()),
    }
}
