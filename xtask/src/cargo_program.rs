//! Programs that cargo builds for this project alone.

use std::fs;

use crate::error::TaskError;
use crate::invocation::Invocation;
use crate::workspace::Workspace;

/// A program from the registry, at one version.
#[derive(Debug)]
pub(crate) struct CargoProgram {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// Further arguments for `cargo install`.
    pub(crate) features: &'static [&'static str],
}

impl CargoProgram {
    /// Builds it into the project's own folder, unless that version is there.
    pub(crate) fn install(&self, workspace: &Workspace) -> Result<(), TaskError> {
        if self.is_installed(workspace) {
            return Ok(());
        }
        let root = workspace.deps().join("cargo");
        // These programs are quick enough without optimisation, which is the longest part of a release build.
        let scratch = root.join("target");
        Invocation::cargo(workspace)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .args([
                "install",
                self.name,
                "--locked",
                "--debug",
                "--force",
                "--quiet",
                "--version",
                self.version,
            ])
            .args(self.features)
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

    /// The program, without arguments.
    pub(crate) fn invocation(&self, workspace: &Workspace) -> Invocation {
        Invocation::new(workspace.deps().join("cargo/bin").join(self.name))
    }

    fn is_installed(&self, workspace: &Workspace) -> bool {
        let words = self.invocation(workspace).arg("--version").read();
        words.is_ok_and(|words| words.trim().ends_with(self.version))
    }
}
