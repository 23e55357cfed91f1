//! cargo-deny: which licences, registries and crates may come in (`deny.toml`).

use std::fs;

use crate::error::TaskError;
use crate::invocation::Invocation;
use crate::workspace::Workspace;

/// Older ones do not read edition 2024 and version 4 of the lock file.
const VERSION: &str = "0.20.2";

/// Builds cargo-deny into the project's own folder, unless that version is there.
pub(crate) fn install(workspace: &Workspace) -> Result<(), TaskError> {
    let root = workspace.deps().join("cargo");
    if is_installed(workspace) {
        return Ok(());
    }
    // The check is quick even without optimisation, which is the longest part of a release build.
    let scratch = root.join("target");
    Invocation::cargo(workspace)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .args(["install", "cargo-deny", "--locked", "--debug", "--force", "--quiet", "--version", VERSION])
        .arg("--root")
        .arg(&root)
        .arg("--target-dir")
        .arg(&scratch)
        .run()?;
    fs::remove_dir_all(&scratch).map_err(|source| TaskError::File {
        action: "remove",
        path: scratch.clone(),
        source,
    })
}

/// Judges the dependency graph. Advisories are left to a scheduled run: their database is on the network.
pub(crate) fn check(workspace: &Workspace) -> Result<(), TaskError> {
    install(workspace)?;
    deny(workspace)
        .in_folder(workspace.root())
        .args(["--locked", "--workspace", "--all-features", "check", "--hide-inclusion-graph"])
        .args(["bans", "licenses", "sources"])
        .run()
}

fn is_installed(workspace: &Workspace) -> bool {
    deny(workspace).arg("--version").read().is_ok_and(|words| words.trim().ends_with(VERSION))
}

fn deny(workspace: &Workspace) -> Invocation {
    Invocation::new(workspace.deps().join("cargo/bin/cargo-deny"))
}
