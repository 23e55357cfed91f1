//! What is counted by `cargo xtask instructions`: pieces of work with the same input each time, one for each process.
//!
//! Callgrind counts what happens in [`counted`] and nothing else, so making the input costs nothing. How long something
//! takes depends on the machine and on who else uses it; how many instructions it takes does not, so a change of a tenth is
//! seen on any machine. What chooses its instructions by the processor is left out: making and checking signatures.

mod fixed_random;
mod metadata;
mod planning;
mod search;
mod templates;
mod verification;

use std::ffi::OsStr;

use crate::Result;

/// The argument that runs a case, or lists all of them.
pub(crate) const COUNT: &str = "--count";

/// A name, and what makes the input and then has the work [`counted`].
type Case = (&'static str, fn() -> Result<()>);

const CASES: &[Case] = &[
    ("planning, first", planning::first),
    ("planning, again", planning::again),
    ("planning a function, again", planning::function),
    ("verification of a known chain", verification::known),
    ("metadata in comments", metadata::comments),
    ("metadata in Python", metadata::python),
    ("metadata in JavaScript", metadata::javascript),
    ("metadata in YAML", metadata::yaml),
    ("index of 300 items", search::index),
    ("query over 300 items", search::query),
    ("templates, texts", templates::texts),
    ("templates, values", templates::values),
];

/// Runs the case of that name, or prints all names.
pub(crate) fn run(name: Option<&OsStr>) -> Result<()> {
    let Some(name) = name else {
        for (name, _) in CASES {
            println!("{name}");
        }
        return Ok(());
    };
    let case = CASES.iter().find(|(known, _)| name == *known);
    let (_, case) = case.ok_or_else(|| format!("there is no case `{}`", name.display()))?;
    fixed_random::fix();
    case()
}

/// Does the work. The name of this function is what the counting looks for.
#[inline(never)]
fn counted(work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    std::hint::black_box(work)()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_works() {
        for (name, case) in CASES {
            case().unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        assert!(run(Some(OsStr::new("no such case"))).is_err());
    }
}
