//! The `rye` program that a task needs: one that is there already, or one that is built first.

use std::path::PathBuf;

use serde::Deserialize;

use crate::error::TaskError;
use crate::invocation::Invocation;
use crate::workspace::Workspace;

/// How a program is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Quick to build.
    Dev,
    /// As it is installed.
    Release,
}

/// Which program a task works with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// The one that is built from this workspace.
    Built(Profile),
    /// This file.
    There(PathBuf),
}

#[derive(Deserialize)]
struct Metadata {
    target_directory: PathBuf,
}

impl Program {
    /// Takes `--rye FILE`, or `--debug`, out of the arguments of a task.
    pub(crate) fn take(args: &mut Vec<String>, usual: Profile) -> Result<Self, TaskError> {
        if let Some(at) = args.iter().position(|arg| arg == "--rye") {
            args.remove(at);
            if at == args.len() {
                return Err(TaskError::Arguments("`--rye` needs the path of a program".to_owned()));
            }
            return Ok(Self::There(PathBuf::from(args.remove(at))));
        }
        let before = args.len();
        args.retain(|arg| arg != "--debug");
        Ok(Self::Built(if args.len() < before { Profile::Dev } else { usual }))
    }

    /// Its file, after building it if that has to be done.
    pub(crate) fn path(&self, workspace: &Workspace) -> Result<PathBuf, TaskError> {
        let profile = match self {
            Self::There(path) => {
                return path.canonicalize().map_err(|source| TaskError::File {
                    action: "find",
                    path: path.clone(),
                    source,
                });
            }
            Self::Built(profile) => profile,
        };
        let build = Invocation::cargo(workspace).args(["build", "--locked", "--package", "rye"]);
        let (build, profile) = match profile {
            Profile::Dev => (build, "dev"),
            Profile::Release => (build.arg("--release"), "release"),
        };
        build.run()?;
        built(workspace, profile, "rye")
    }
}

/// Where cargo puts a program that it builds.
pub(crate) fn built(workspace: &Workspace, profile: &str, name: &str) -> Result<PathBuf, TaskError> {
    let said =
        Invocation::cargo(workspace).args(["metadata", "--format-version", "1", "--no-deps"]).read()?;
    let metadata: Metadata = serde_json::from_str(&said).map_err(TaskError::Metadata)?;
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(metadata.target_directory.join(folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// Refuses arguments that nobody has taken.
pub(crate) fn nothing_left(args: &[String]) -> Result<(), TaskError> {
    match args.first() {
        None => Ok(()),
        Some(arg) => Err(TaskError::Arguments(format!("nobody knows what `{arg}` means here"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: &Program, left: &[&str]) {
        let mut args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        assert_eq!(&Program::take(&mut args, Profile::Release).unwrap(), expect, "{line}");
        assert_eq!(args, left, "{line}");
    }

    #[test]
    fn a_program_is_named_or_built() {
        check("", &Program::Built(Profile::Release), &[]);
        check("--check --debug", &Program::Built(Profile::Dev), &["--check"]);
        check("--rye a/rye --check", &Program::There(PathBuf::from("a/rye")), &["--check"]);
        let error = Program::take(&mut vec!["--rye".to_owned()], Profile::Dev).unwrap_err();
        assert_eq!(error.to_string(), "`--rye` needs the path of a program");
        assert!(nothing_left(&["--chekc".to_owned()]).is_err());
    }
}
