//! `cargo xtask link-order`: which functions a call enters, so that the linker can put them side by side.
//!
//! `crates/rye/link_order.rs` hands the list to the linker: first what one `rye execute` enters, after an empty line what
//! `rye --version` does in addition, and after another what a server does. It has names as they are in the program, without what another compiler
//! or another build changes about them, so it is as good as the day it was made until code is moved or renamed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::TaskError;
use crate::invocation::Invocation;
use crate::program::{Profile, Program, built, nothing_left};
use crate::workspace::Workspace;

/// Writes the list anew. With `--check` nothing is written, and a list of which too much is gone is an error.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), TaskError> {
    let mut args = args.to_vec();
    let before = args.len();
    args.retain(|arg| arg != "--check");
    let is_check = args.len() < before;
    nothing_left(&args)?;
    if is_check { check(workspace) } else { renew(workspace) }
}

/// Wants most names of the list to be in the program. Any build will do, for they are the same in all of them.
pub(crate) fn check(workspace: &Workspace) -> Result<(), TaskError> {
    let program = Program::Built(Profile::Dev).path(workspace)?;
    let symbols =
        Invocation::new("nm").args(["--defined-only", "--format=just-symbols"]).arg(program).read()?;
    let path = list(workspace);
    let listed =
        fs::read_to_string(&path).map_err(|source| TaskError::File { action: "read", path, source })?;
    let (there, all) = count(&listed, &symbols);
    println!("{there} of {all} names are those of functions");
    if there * 3 >= all * 2 {
        return Ok(());
    }
    let violations = vec![format!("{} of {all} names are gone: renew the list", all - there)];
    Err(TaskError::Violations { check: "link-order", violations })
}

fn renew(workspace: &Workspace) -> Result<(), TaskError> {
    // Without its symbols a program does not know what its functions are called.
    Invocation::cargo(workspace)
        .env("CARGO_PROFILE_RELEASE_STRIP", "none")
        .args(["build", "--locked", "--release", "--package", "rye", "--package", "rye-bench"])
        .run()?;
    let (program, harness) = (built(workspace, "release", "rye")?, built(workspace, "release", "rye-bench")?);
    write(&list(workspace), &Invocation::new(harness).arg("--touched").arg(program).read()?)
}

fn write(path: &Path, touched: &str) -> Result<(), TaskError> {
    fs::write(path, sorted(touched)).map_err(|source| TaskError::File {
        action: "write",
        path: path.to_owned(),
        source,
    })
}

/// The names of each part that no part before it has.
fn sorted(touched: &str) -> String {
    let mut known = BTreeSet::new();
    let parts = touched.split("\n\n").map(|part| {
        let names: BTreeSet<String> =
            part.lines().map(lasting).filter(|name| known.insert(name.clone())).collect();
        println!("{} names", names.len());
        names.iter().fold(String::new(), |text, name| text + name + "\n")
    });
    parts.collect::<Vec<_>>().join("\n")
}

fn list(workspace: &Workspace) -> PathBuf {
    workspace.root().join("crates/rye/link-order.txt")
}

/// How many names of a list there are among these symbols, and how many there are at all.
fn count(listed: &str, symbols: &str) -> (usize, usize) {
    let known: BTreeSet<String> = symbols.lines().map(lasting).collect();
    let listed: Vec<_> = listed.lines().filter(|name| !name.is_empty()).collect();
    (listed.iter().filter(|name| known.contains(**name)).count(), listed.len())
}

/// A name with a `*` for what does not last: the number that an optimisation puts behind it, hashes of crates and types, and
/// the crate for which a generic function was made.
fn lasting(symbol: &str) -> String {
    let numbered =
        symbol.rsplit_once('.').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    let name = numbered.map_or(symbol, |(name, _)| name.trim_end_matches(".llvm"));
    if name.starts_with("_R") {
        return without_places(&without_crate_hashes(without_user(name))) + "*";
    }
    match name.rsplit_once("17h") {
        Some((path, hash)) if name.starts_with("_ZN") && hash.len() == 17 => format!("{path}17h*"),
        _ => name.to_owned(),
    }
}

/// In the newer way to write names, the name of a generic function ends with the crate that has made it, or with a place before
/// at which that crate stands.
fn without_user(name: &str) -> &str {
    if let Some((before, place)) = name.rsplit_once('B')
        && place.strip_suffix('_').is_some_and(is_number)
    {
        return before;
    }
    if let Some((before, user)) = name.rsplit_once("Cs")
        && let Some((hash, user)) = user.split_once('_')
        && is_number(hash)
        && let digits = user.bytes().take_while(u8::is_ascii_digit).count()
        && user[..digits].parse() == Ok(user.len() - digits)
    {
        return before;
    }
    name
}

/// In the newer way to write names, a crate is `Cs`, its hash and `_`.
fn without_crate_hashes(name: &str) -> String {
    let mut parts = name.split("Cs");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_once('_') {
        Some((hash, rest)) if is_number(hash) => text + "Cs*_" + rest,
        _ => text + "Cs" + part,
    })
}

/// In the newer way to write names, what was said before is `B`, its place and `_`. The hashes of crates that come before the place
/// are not all of the same length.
fn without_places(name: &str) -> String {
    let mut parts = name.split('B');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_once('_') {
        Some((place, rest)) if is_number(place) => text + "B*_" + rest,
        _ => text + "B" + part,
    })
}

/// Whether this can be a number in the newer way to write names.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_lasting(symbol: &str, expect: &str) {
        assert_eq!(lasting(symbol), expect, "{symbol}");
    }

    #[test]
    fn what_changes_with_a_build_is_left_out_of_a_name() {
        check_lasting("main", "main");
        check_lasting("_ZN3rye3run17h0123456789abcdefE", "_ZN3rye3run17h*");
        check_lasting("_ZN3rye3run17h0123456789abcdefE.llvm.1234", "_ZN3rye3run17h*");
        check_lasting("_ZN3rye5run17h0E", "_ZN3rye5run17h0E");
        check_lasting(
            "_RNvNtCslNYArtu3iFV_5alloc5boxed14box_new_uninit.9253",
            "_RNvNtCs*_5alloc5boxed14box_new_uninit*",
        );
        for user in ["CsC_3rye", "B6_"] {
            check_lasting(
                &format!("_RINvNtCsA_4core3ptrNtNtCsB_5alloc6string6StringE{user}"),
                "_RINvNtCs*_4core3ptrNtNtCs*_5alloc6string6StringE*",
            );
        }
        check_lasting("_RNvCsA_3rye4main", "_RNvCs*_3rye4main*");
        for (hash, place) in [("lNYArtu3iFV", "i"), ("YArtu3iFV", "g")] {
            check_lasting(
                &format!("_RINvNtCs{hash}_5alloc6borrow3CowNtNtB{place}_3str3BoxE"),
                "_RINvNtCs*_5alloc6borrow3CowNtNtB*_3str3BoxE*",
            );
        }
    }

    #[test]
    fn a_list_is_held_against_the_symbols_of_any_build() {
        let symbols = "main\n_ZN3rye3run17h0123456789abcdefE\n";
        assert_eq!(count("_ZN3rye3run17h*\n_ZN3rye4gone17h*\n\nmain\n", symbols), (2, 3));
    }

    #[test]
    fn a_name_is_in_the_first_part_that_has_it() {
        assert_eq!(sorted("b.1\nb.2\na\n\nd\na\nc"), "a\nb\n\nc\nd\n");
    }
}
