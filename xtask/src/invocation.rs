//! Starting a program and judging how it ended.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::error::TaskError;
use crate::workspace::Workspace;

/// One program with its arguments, printable as a person would type it.
#[derive(Debug)]
pub(crate) struct Invocation {
    command: Command,
}

impl Invocation {
    /// A program from `PATH`, or by its path.
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        Self { command: Command::new(program) }
    }

    /// Cargo itself, at the root of the workspace, as if nobody had started it through `cargo xtask`.
    ///
    /// `cargo run` describes the package it runs in variables. Build scripts watch some of them, so letting them
    /// through would rebuild those crates whenever the same command is given with and without `xtask`.
    pub(crate) fn cargo(workspace: &Workspace) -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut invocation = Self::new(cargo).in_folder(workspace.root());
        for (name, _) in std::env::vars_os() {
            if describes_a_package(&name.to_string_lossy()) {
                invocation.command.env_remove(name);
            }
        }
        invocation
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command.args(args);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn in_folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Puts a folder before all others on `PATH`, if it exists.
    pub(crate) fn path_first(self, folder: &Path) -> Self {
        if !folder.is_dir() {
            return self;
        }
        let old = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> =
            std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&old)).collect();
        match std::env::join_paths(folders) {
            Ok(path) => self.env("PATH", path),
            // Only a folder with a colon in its name cannot be joined, and such a folder cannot be on PATH.
            Err(_) => self,
        }
    }

    /// Shows the command, lets it write to the terminal, and wants it to succeed.
    pub(crate) fn run(mut self) -> Result<(), TaskError> {
        let words = self.words();
        eprintln!("$ {words}");
        let status = self.command.status().map_err(|source| self.not_started(source))?;
        if status.success() {
            return Ok(());
        }
        Err(TaskError::Failed { command: words, status, stderr: String::new() })
    }

    /// Says nothing, wants success, and returns what the program printed.
    pub(crate) fn read(mut self) -> Result<String, TaskError> {
        let words = self.words();
        let Output { status, stdout, stderr } =
            self.command.stdin(Stdio::null()).output().map_err(|source| self.not_started(source))?;
        if status.success() {
            return Ok(String::from_utf8_lossy(&stdout).into_owned());
        }
        Err(TaskError::Failed {
            command: words,
            status,
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        })
    }

    fn not_started(&self, source: std::io::Error) -> TaskError {
        TaskError::Start { program: self.command.get_program().to_string_lossy().into_owned(), source }
    }

    fn words(&self) -> String {
        let program = Path::new(self.command.get_program());
        let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
        let args = self.command.get_args().map(|arg| arg.to_string_lossy().into_owned());
        std::iter::once(name).chain(args).collect::<Vec<_>>().join(" ")
    }
}

fn describes_a_package(name: &str) -> bool {
    name.starts_with("CARGO_PKG_")
        || name.starts_with("CARGO_MANIFEST_")
        || matches!(name, "CARGO_BIN_NAME" | "CARGO_CRATE_NAME" | "CARGO_PRIMARY_PACKAGE" | "LD_LIBRARY_PATH")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_carries_the_command_and_its_last_words() {
        let error = Invocation::new("sh").args(["-c", "echo no such luck >&2; exit 3"]).read().unwrap_err();
        let TaskError::Failed { command, status, stderr } = error else { panic!("{error}") };
        assert_eq!(command, "sh -c echo no such luck >&2; exit 3");
        assert_eq!(status.code(), Some(3));
        assert_eq!(stderr, "no such luck\n");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = Invocation::new("no-such-program-here").run().unwrap_err();
        assert!(matches!(error, TaskError::Start { program, .. } if program == "no-such-program-here"));
    }

    #[test]
    fn the_package_of_xtask_is_hidden_from_cargo_and_its_settings_are_not() {
        assert!(describes_a_package("CARGO_PKG_NAME") && describes_a_package("CARGO_MANIFEST_DIR"));
        assert!(!describes_a_package("CARGO_HOME") && !describes_a_package("CARGO_TARGET_DIR"));
    }
}
