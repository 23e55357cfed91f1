//! Renewing the lock files of the foreign packages that tests and benchmarks compare with.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::TaskError;
use crate::invocation::Invocation;
use crate::setup;
use crate::workspace::Workspace;

/// The resolver that writes locks with the digests of all platforms.
const UV: &str = "uv==0.13.7";

/// The lists of Python packages, without their extensions.
const PYTHON_LISTS: [&str; 3] = ["requirements", "node-requirements", "bench-requirements"];

/// Resolves the lists of pins afresh.
pub(crate) fn renew(workspace: &Workspace) -> Result<(), TaskError> {
    let (python, node) = setup::interpreters(workspace)?;
    let peers = workspace.peers();
    let venv = workspace.deps().join("lock-peers");
    python.module("venv").arg("--clear").arg(&venv).run()?;
    Invocation::new(venv.join("bin/python"))
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV])
        .run()?;
    for name in PYTHON_LISTS {
        compile(&venv.join("bin/uv"), &peers, name)?;
    }
    node.npm()
        .args(["install", "--package-lock-only", "--omit-lockfile-registry-resolved", "--ignore-scripts"])
        .args(["--no-audit", "--no-fund"])
        .in_folder(&peers)
        .run()?;
    locks(&peers).iter().try_for_each(|lock| refuse_urls(lock))
}

/// Every lock file.
fn locks(peers: &Path) -> Vec<PathBuf> {
    let of_python = PYTHON_LISTS.iter().map(|name| format!("{name}.txt"));
    of_python.chain(["package-lock.json".to_owned()]).map(|name| peers.join(name)).collect()
}

fn compile(uv: &Path, peers: &Path, name: &str) -> Result<(), TaskError> {
    Invocation::new(uv)
        .args(["pip", "compile", "--quiet", "--no-config", "--universal", "--generate-hashes", "--upgrade"])
        .args(["--no-header", "--no-annotate", "--python-version", setup::OLDEST_PYTHON])
        .args([format!("{name}.in"), "--output-file".to_owned(), format!("{name}.txt")])
        .in_folder(peers)
        .run()
}

/// Where packages come from is each user's own configuration; what they are is ours.
fn refuse_urls(lock: &Path) -> Result<(), TaskError> {
    let text = fs::read_to_string(lock).map_err(|source| TaskError::File {
        action: "read",
        path: lock.to_path_buf(),
        source,
    })?;
    match line_with_place(&text) {
        Some(line) => Err(TaskError::UrlInLock { path: lock.to_path_buf(), line }),
        None => Ok(()),
    }
}

fn line_with_place(lock: &str) -> Option<usize> {
    let names_a_place = |line: &str| {
        line.contains("\"resolved\"")
            || ["--index-url", "--extra-index-url", "--find-links"].iter().any(|option| line.contains(option))
            || line.contains(" @ ")
    };
    lock.lines().position(names_a_place).map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_names_a_place_is_refused() {
        let check = |lock, expect| assert_eq!(line_with_place(lock), expect, "{lock}");
        check("cffi==2.0 \\\n    --hash=sha256:00\n", None);
        check("--index-url somewhere\ncffi==2.0\n", Some(1));
        check("cffi @ somewhere\n", Some(1));
        check("{\n  \"resolved\": \"somewhere\",\n", Some(2));
        check("{\n  \"integrity\": \"sha512-00\",\n", None);
    }

    #[test]
    fn the_locks_of_this_project_name_none() {
        for lock in locks(&Workspace::here().peers()) {
            refuse_urls(&lock).unwrap();
        }
    }
}
