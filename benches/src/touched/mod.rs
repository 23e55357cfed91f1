//! Which functions of `rye` one `rye execute` enters: those that `cargo xtask link-order` has the linker put side by side.

mod breakpoints;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use self::breakpoints::entered;
use crate::Result;
use crate::workshop::{HELLO_COMMAND, Workshop, settle};

/// The argument that makes this program tell the functions.
pub(crate) const TOUCHED: &str = "--touched";

/// Prints the names of all functions of a program, which has to have its symbols, that a call of a small tool enters.
#[expect(clippy::disallowed_methods, reason = "what is looked at is the program, not our own way to run it")]
pub(crate) fn run(program: Option<&OsStr>) -> Result<()> {
    let program = &Path::new(program.ok_or("which program?")?).canonicalize()?;
    let names = functions(program)?;
    let workshop = Workshop::new(&[("demo/hello.yaml", HELLO_COMMAND.to_owned())])?;
    settle();
    let call = || {
        let mut command = Command::new(program);
        command.args(["execute", "demo/hello"]).current_dir(workshop.project()).stdout(Stdio::null());
        command.env_clear().envs(workshop.environment());
        command
    };
    // What the first call finds out, later ones know.
    if !call().status()?.success() {
        return Err("the call failed".into());
    }
    for address in entered(call(), &names.keys().copied().collect::<Vec<_>>())? {
        for name in &names[&address] {
            println!("{name}");
        }
    }
    Ok(())
}

/// Where the functions of a program begin. Several have the same place if their code is the same.
#[expect(clippy::disallowed_methods, reason = "a tool of the compiler's, which needs no containment")]
fn functions(program: &Path) -> Result<BTreeMap<u64, Vec<String>>> {
    let said = Command::new("nm").arg("--defined-only").arg(program).stderr(Stdio::inherit()).output()?;
    let mut names = BTreeMap::<u64, Vec<String>>::new();
    for line in str::from_utf8(&said.stdout)?.lines() {
        if let [address, "t" | "T" | "w" | "W", name] = line.split(' ').collect::<Vec<_>>()[..] {
            names.entry(u64::from_str_radix(address, 16)?).or_default().push(name.to_owned());
        }
    }
    if names.len() < 1000 { Err("the program has no symbols".into()) } else { Ok(names) }
}
