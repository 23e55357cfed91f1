//! Files beside a tool that it may have missed when it failed.
//!
//! A run sees verified files and no others, so a module that nobody has signed is not there, and the interpreter says
//! that it cannot find it. What is there and what is not is known from the copy that ran; that a tool wanted a certain
//! file is a guess: it stands beside the tool, and its name stands where the tool, before it failed, wrote of something missing.

use std::collections::HashSet;
use std::path::Path;

use rye_item::Space;
use rye_plan::Plan;
use rye_run::runner::{Failure, Outcome};
use rye_trust::LeftOutReason;

use crate::trust_hint;

/// A file or folder beside a tool that was not there for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbsentFile {
    /// Its path, below the folder that was copied for the run.
    pub path: String,
    /// Why it was not there.
    pub reason: AbsentReason,
}

/// Why a file was not there for a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AbsentReason {
    /// It does not count.
    LeftOut(LeftOutReason),
    /// The tool stands for itself, and does not name it among the files that it requires.
    NotRequired,
}

/// How programs begin to say that something is not there, in lower case.
const MISSING: [&str; 10] = [
    "no module",
    "no such file",
    "not found",
    "cannot find",
    "can't find",
    "cannot load",
    "cannot open",
    "can't locate",
    "cannot import",
    "not resolve",
];
/// The most files that are told.
const MOST: usize = 3;
/// The most entries of a folder that are looked at.
const MOST_ENTRIES: usize = 100_000;

/// Which files a failed tool may have missed.
pub(crate) fn find(plan: &Plan, outcome: &Outcome) -> Vec<AbsentFile> {
    let (Some(Failure::Exit { .. }), Some(copy), Some(tool)) =
        (outcome.failure, &plan.copy, plan.chain.first())
    else {
        return Vec::new();
    };
    if tool.space == Space::System || outcome.errors.bytes.is_empty() {
        return Vec::new();
    }
    let text = outcome.errors_tail();
    let words = words(&text);
    // Installed packages are left out of the copy, and may be there all the same.
    let is_absent = |path: &str| !copy.root.join(path).exists();
    let left_out = copy.left_out.iter().filter(|file| is_named(&words, &file.path) && is_absent(&file.path));
    let left_out = left_out
        .map(|file| AbsentFile { path: file.path.clone(), reason: AbsentReason::LeftOut(file.reason) });
    let mut absent: Vec<_> = left_out.collect();
    if copy.tool.parent() == Some(&copy.root)
        && let Some(folder) = tool.path.parent()
    {
        let known = |name: &str| copy.left_out.iter().any(|file| file.path == name);
        let mut beside: Vec<_> = names_in(folder)
            .filter(|name| is_named(&words, name) && !known(name) && is_absent(name))
            .collect();
        beside.sort();
        absent.extend(beside.into_iter().map(|path| AbsentFile { path, reason: AbsentReason::NotRequired }));
    }
    absent.truncate(MOST);
    absent
}

/// What to do about files that a tool may have missed.
pub(crate) fn hint(plan: &Plan, absent: &[AbsentFile]) -> Option<String> {
    let (first, tool) = (absent.first()?, plan.chain.first()?);
    let alike = absent.iter().filter(|file| file.reason == first.reason);
    let names: Vec<_> = alike.map(|file| format!("`{}`", file.path)).collect();
    let names = names.join(", ");
    let sign = trust_hint::sign(&[&tool.item], tool.space);
    Some(match first.reason {
        AbsentReason::LeftOut(LeftOutReason::NotVerified) => format!(
            "perhaps it misses {names}: neither signed nor in the manifest, and so not there when the tool runs; look at that, and run `{sign}`"
        ),
        AbsentReason::LeftOut(reason) => {
            format!("perhaps it misses {names}, which is not there when the tool runs: {reason}")
        }
        AbsentReason::NotRequired => format!(
            "perhaps it misses {names}, which is not there when the tool runs: name it in the tool's `requires`, and run `{sign}`"
        ),
    })
}

/// Everything that could be the name of a file without its extension, in the lines of a text that speak of something missing.
fn words(text: &str) -> HashSet<&str> {
    let speaks_of_it = |line: &&str| {
        let line = line.to_lowercase();
        MISSING.iter().any(|words| line.contains(words))
    };
    let is_apart = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'));
    text.lines().filter(speaks_of_it).flat_map(|line| line.split(is_apart)).collect()
}

/// Whether a file is named, with its extension or without.
fn is_named(words: &HashSet<&str>, path: &str) -> bool {
    let stem = Path::new(path).file_stem().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
    !stem.is_empty() && !stem.starts_with('.') && words.contains(stem)
}

/// The names in a folder, without those that begin with a dot.
fn names_in(folder: &Path) -> impl Iterator<Item = String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().take(MOST_ENTRIES).flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| !name.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_stem() {
        let check = |text: &str, path: &str, expect: bool| {
            assert_eq!(is_named(&words(text), path), expect, "{text} {path}");
        };
        check("ModuleNotFoundError: No module named 'helper'", "helper.py", true);
        check("No module named 'pkg.helper'", "lib/helper.py", true);
        check("Cannot find module './string-tools.js'", "string-tools.js", true);
        check("cannot load such file -- helper (LoadError)", "helper.rb", true);
        check("Can't locate Helper.pm in @INC", "Helper.pm", true);
        check("/x/files/lib.sh: No such file or directory", "lib.sh", true);
        check("No module named 'helpers'", "helper.py", false);
        check("KeyError: 'name'", "helper.py", false);
        check("ValueError: deep trouble", "deep.py", false);
        check("x.py has neither execute(params, project_path) nor main(**params)", "main.py", false);
        check(
            "Error: Cannot find module 'helper'\n    at node:internal/modules/esm/load",
            "helper.mjs",
            true,
        );
        check("Error: Cannot find module 'helper'\n    at node:internal/modules/esm/load", "esm.js", false);
        check(".", ".env", false);
    }
}
