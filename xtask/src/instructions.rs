//! `cargo xtask instructions`: how many instructions pieces of our work take, held against what they took before.
//!
//! The harness is built as it is for the quick benchmarks, without optimisation: what counts is the change, and so nothing has
//! to be compiled for this alone.

mod callgrind;
mod counts;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use self::counts::Counts;
use crate::error::TaskError;
use crate::invocation::Invocation;
use crate::program::{built, nothing_left};
use crate::workspace::Workspace;
use crate::{setup, test};

/// Counts, and prints the counts beside those on record. With `--check` a difference is an error, with `--update` the
/// record is written anew.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), TaskError> {
    let mut args = args.to_vec();
    let mut takes = |flag: &str| {
        let before = args.len();
        args.retain(|arg| arg != flag);
        args.len() < before
    };
    let (check, update) = (takes("--check"), takes("--update"));
    nothing_left(&args)?;
    setup::interpreters(workspace)?;
    test::build_harness(workspace, "dev")?;
    let found = Counts { compiler: compiler(workspace)?, counts: count(workspace)? };
    let path = record(workspace);
    if update {
        return fs::write(&path, found.to_toml()).map_err(|source| TaskError::File {
            action: "write",
            path,
            source,
        });
    }
    let text =
        fs::read_to_string(&path).map_err(|source| TaskError::File { action: "read", path, source })?;
    let known = Counts::parse(&text).map_err(TaskError::Arguments)?;
    print!("{}", found.table(&known));
    if check { found.compare(&known) } else { Ok(()) }
}

/// Counts and wants what is on record: for the CI.
pub(crate) fn check(workspace: &Workspace) -> Result<(), TaskError> {
    run(workspace, &["--check".to_owned()])
}

fn record(workspace: &Workspace) -> PathBuf {
    workspace.root().join("benches/instructions.toml")
}

fn count(workspace: &Workspace) -> Result<BTreeMap<String, u64>, TaskError> {
    let harness = built(workspace, "dev", "rye-bench")?;
    let names = Invocation::new(&harness).arg("--count").read()?;
    names.lines().map(|name| Ok((name.to_owned(), callgrind::count(&harness, name)?))).collect()
}

fn compiler(workspace: &Workspace) -> Result<String, TaskError> {
    let said = Invocation::new("rustc").in_folder(workspace.root()).arg("--version").read()?;
    Ok(said.trim().to_owned())
}
