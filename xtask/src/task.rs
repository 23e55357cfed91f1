//! The commands and what each of them does.

use crate::error::TaskError;
use crate::parts::{Parts, with_table};
use crate::workspace::Workspace;
use crate::{
    demo, deny, docs, fuzz, instructions, layers, link_order, lint, lock_peers, runtime_ids, setup, size,
    test,
};

/// One command of `cargo xtask`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    Demo,
    Setup,
    Test,
    Bench,
    Lint,
    Deps,
    RuntimeIds,
    Deny,
    Doc,
    Docs,
    Size,
    Fuzz,
    Instructions,
    LinkOrder,
    Ci,
    LockPeers,
    Help,
}

impl Task {
    pub(crate) const USAGE: &str = "\
usage: cargo xtask <command>

  demo [ARGS]   build the program and show what it does, in a folder of its own; ARGS: --debug, --rye FILE
  test [ARGS]   install what the tests need, then run all of them; ARGS go to `cargo test`
  bench [ARGS]  build everything with optimisation, measure it, print one table and write docs/benchmarks; ARGS: --quick,
                --into FOLDER, names of groups
  instructions [ARGS]
                count the instructions of pieces of work; ARGS: --check wants what is on record, --update renews the record
  link-order [ARGS]
                list the functions that a call enters, for the linker to put them side by side; ARGS: --check only
                wants most of the list to be there still
  ci            everything that a change must pass: lint, deny, test, benchmarks, instructions, link order, doc
  lint          format, clippy with warnings denied, and the two checks below
  deps          check that dependencies between the crates point downward only
  runtime-ids   check that no crate of the engine names a runtime
  deny          check licences, sources and banned crates with cargo-deny
  doc           build the documentation of the crates with warnings denied
  docs [ARGS]   make the pages below docs and check all links; ARGS: --check compares only, --build makes the site,
                --rye FILE
  size [ARGS]   build a release, print its size and refuse one that is too large; ARGS: --rye FILE
  fuzz [ARGS]   look for inputs that break a parser; ARGS: a target, then seconds or one input
  setup         install what the tests need, and nothing else
  lock-peers    renew the lock files below tests/peers from their lists of pins
";

    /// The task of that name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "demo" => Self::Demo,
            "setup" => Self::Setup,
            "test" => Self::Test,
            "bench" => Self::Bench,
            "lint" => Self::Lint,
            "deps" => Self::Deps,
            "runtime-ids" => Self::RuntimeIds,
            "deny" => Self::Deny,
            "doc" => Self::Doc,
            "docs" => Self::Docs,
            "size" => Self::Size,
            "fuzz" => Self::Fuzz,
            "instructions" => Self::Instructions,
            "link-order" => Self::LinkOrder,
            "ci" => Self::Ci,
            "lock-peers" => Self::LockPeers,
            "help" | "--help" | "-h" => Self::Help,
            _ => return None,
        })
    }

    /// Does it.
    pub(crate) fn run(self, workspace: &Workspace, args: &[String]) -> Result<(), TaskError> {
        match self {
            Self::Demo => demo::run(workspace, args),
            Self::Setup => setup::install(workspace),
            Self::Test => with_table(|parts| test::all(workspace, args, parts)),
            Self::Bench => test::benchmarks(workspace, "release", args),
            Self::Lint => with_table(|parts| lint::all(workspace, parts)),
            Self::Deps => layers::check_workspace(workspace),
            Self::RuntimeIds => runtime_ids::check_workspace(workspace),
            Self::Deny => deny::check(workspace),
            Self::Doc => lint::doc(workspace),
            Self::Docs => docs::run(workspace, args),
            Self::Size => size::check(workspace, args),
            Self::Fuzz => fuzz::run(workspace, args),
            Self::Instructions => instructions::run(workspace, args),
            Self::LinkOrder => link_order::run(workspace, args),
            Self::Ci => with_table(|parts| ci(workspace, parts)),
            Self::LockPeers => lock_peers::renew(workspace),
            Self::Help => {
                print!("{}", Self::USAGE);
                Ok(())
            }
        }
    }
}

/// The quick verdicts come first.
fn ci(workspace: &Workspace, parts: &mut Parts) -> Result<(), TaskError> {
    lint::all(workspace, parts)?;
    parts.run("cargo-deny, set-up", || deny::install(workspace))?;
    parts.run("cargo-deny, check", || deny::check(workspace))?;
    test::all(workspace, &[], parts)?;
    parts.run("benchmarks, quick", || test::quick_benchmarks(workspace))?;
    parts.run("instructions", || instructions::check(workspace))?;
    parts.run("link order", || link_order::check(workspace))?;
    parts.run("doc", || lint::doc(workspace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_of_the_usage_text_exists() {
        let lines = Task::USAGE.lines().skip(2).filter_map(|line| line.strip_prefix("  "));
        let listed = lines.filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next());
        let unknown: Vec<_> = listed.filter(|name| Task::parse(name).is_none()).collect();
        assert_eq!(unknown, Vec::<&str>::new());
    }

    #[test]
    fn an_unknown_command_is_no_task() {
        assert_eq!(Task::parse("tset"), None);
    }
}
