//! Running every test of the workspace, doctests included.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::TaskError;
use crate::invocation::Invocation;
use crate::parts::Parts;
use crate::program::built;
use crate::setup;
use crate::workspace::Workspace;

/// Installs what the tests need, builds them, runs them.
pub(crate) fn all(workspace: &Workspace, args: &[String], parts: &mut Parts) -> Result<(), TaskError> {
    parts.run("test set-up", || setup::install(workspace))?;
    let (to_cargo, to_tests) = split(args);
    let test = || {
        Invocation::cargo(workspace)
            .path_first(&setup::programs_folder(workspace))
            .arg("test")
            .args(scope(to_cargo))
            .args(to_cargo)
    };
    parts.run("tests, build", || test().arg("--no-run").run())?;
    parts.run("tests, run", || test().args(to_tests).run())
}

/// Builds what is measured and the harness beside it, and runs the harness.
pub(crate) fn benchmarks(workspace: &Workspace, profile: &str, args: &[String]) -> Result<(), TaskError> {
    setup::install(workspace)?;
    if compares_with_peers(args) {
        setup::install_bench_peers(workspace)?;
    }
    build_harness(workspace, profile)?;
    // Running it by cargo would build everything again, with what the harness alone needs of each crate.
    let harness = installed(&built(workspace, profile, "rye-bench")?)?;
    installed(&built(workspace, profile, "rye")?)?;
    Invocation::new(harness).in_folder(workspace.root()).args(args).run()
}

/// A copy of a program, as an installation makes one. A file that the linker has written through a mapping is in memory page by page
/// until the machine starts again, and a program takes longer to start from it than from one that was written or read as a whole.
fn installed(program: &Path) -> Result<PathBuf, TaskError> {
    let folder = program.with_file_name("installed");
    let copy = folder.join(program.file_name().unwrap_or_default());
    let failed = |source| TaskError::File { action: "install", path: copy.clone(), source };
    fs::create_dir_all(&folder).map_err(failed)?;
    match fs::remove_file(&copy) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    fs::copy(program, &copy).map_err(failed)?;
    // Nothing of it waits to be written while something is measured.
    File::open(&copy).and_then(|file| file.sync_all()).map_err(failed)?;
    Ok(copy)
}

/// Builds the harness, and the program that it measures.
pub(crate) fn build_harness(workspace: &Workspace, profile: &str) -> Result<(), TaskError> {
    let build = Invocation::cargo(workspace).args(["build", "--locked", "--profile", profile]);
    build.args(["--package", "rye", "--package", "rye-bench"]).run()
}

/// Runs every benchmark for a moment, to see that each still works. Nothing is said about time.
pub(crate) fn quick_benchmarks(workspace: &Workspace) -> Result<(), TaskError> {
    benchmarks(workspace, "dev", &["--quick".to_owned()])
}

/// Whether the group that compares with other systems is among those asked for: by its name, or because none is named.
fn compares_with_peers(args: &[String]) -> bool {
    let mut groups = args.iter().filter(|arg| !arg.starts_with("--")).peekable();
    groups.peek().is_none() || groups.any(|group| group == "peers")
}

/// What cargo itself understands, and what stands behind `--` for the test programs.
fn split(args: &[String]) -> (&[String], &[String]) {
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    args.split_at(end)
}

/// The whole workspace, unless the caller chose packages.
fn scope(to_cargo: &[String]) -> Option<&'static str> {
    let chosen = to_cargo.iter().any(|arg| arg.starts_with("-p") || arg.starts_with("--package"));
    (!chosen).then_some("--workspace")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn arguments_behind_the_dashes_go_to_the_test_programs() {
        let args = words("-p lillux cas -- --nocapture");
        let (to_cargo, to_tests) = split(&args);
        assert_eq!(to_cargo, words("-p lillux cas"));
        assert_eq!(to_tests, words("-- --nocapture"));
    }

    #[test]
    fn peers_are_installed_for_those_who_compare_with_them() {
        let check = |line, expect| assert_eq!(compares_with_peers(&words(line)), expect, "{line}");
        check("", true);
        check("--quick", true);
        check("--quick mcp peers", true);
        check("mcp --quick", false);
    }

    #[test]
    fn what_is_installed_is_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("rye");
        for text in ["one", "two"] {
            fs::write(&program, text).unwrap();
            let copy = installed(&program).unwrap();
            assert_eq!(copy, folder.path().join("installed/rye"));
            assert_eq!(fs::read(&copy).unwrap(), text.as_bytes());
        }
        assert!(installed(&folder.path().join("none")).is_err());
    }

    #[test]
    fn a_chosen_package_replaces_the_whole_workspace() {
        assert_eq!(scope(&words("cas")), Some("--workspace"));
        assert_eq!(scope(&words("-p lillux")), None);
        assert_eq!(scope(&words("--package=lillux")), None);
    }
}
