//! Part of build scripts: has the linker put the functions side by side that one call enters.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Hands the list of functions to the linker, for a release, if it understands what to do with it. The functions are a small part
/// of the program; each place that is touched for the first time costs a page fault, and later on a look into the tables of
/// pages. A name that no function has is passed over. It is told other things, too, with which this has to go together.
pub(crate) fn apply(list: &Path, others: &[String]) {
    println!("cargo::rerun-if-changed={}", list.display());
    if variable("PROFILE") == "release"
        && let Some(argument) = argument(list, others, &PathBuf::from(variable("OUT_DIR")))
    {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}

/// The list is by `cargo xtask link-order`, with a `*` for everything in a name that changes with the compiler.
fn argument(list: &Path, others: &[String], folder: &Path) -> Option<String> {
    let names = fs::read_to_string(list).ok()?;
    let names = names.lines().filter(|name| !name.is_empty());
    let sections = names.fold(String::new(), |text, name| text + &section(name));
    let script = folder.join("link-order.ld");
    let text = format!("SECTIONS {{\n  .text.first : {{\n{sections}  }}\n}} INSERT BEFORE .text;\n");
    fs::write(&script, text).ok()?;
    let argument = format!("-Wl,-T,{}", script.display());
    try_link(&[others, std::slice::from_ref(&argument)].concat(), folder).map(|_| argument)
}

/// The compiler puts each function into a section of its own, and those that are rarely called into one of another kind.
fn section(name: &str) -> String {
    format!("    *(.text.{name} .text.unlikely.{name})\n")
}

/// A program that does nothing but what goes wrong first if libraries do not fit: it makes a thread, and unwinds its stack.
const TRIAL: &str = "fn main() { assert!(std::thread::spawn(|| panic!()).join().is_err()) }";

/// Links a small program, as the real one will be.
#[expect(clippy::disallowed_methods, reason = "a build script has nobody else to start a program")]
pub(crate) fn try_link(arguments: &[String], folder: &Path) -> Option<PathBuf> {
    let (source, program) = (folder.join("trial.rs"), folder.join("trial"));
    let (linker, flags) = (variable("RUSTC_LINKER"), variable("CARGO_ENCODED_RUSTFLAGS"));
    let mut compiler = Command::new(variable("RUSTC"));
    compiler.arg(&source).arg("-o").arg(&program).args(["--target", &variable("TARGET")]);
    compiler.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    compiler.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    if !linker.is_empty() {
        compiler.arg(format!("-Clinker={linker}"));
    }
    fs::write(&source, TRIAL).ok()?;
    compiler.output().is_ok_and(|told| told.status.success()).then_some(program)
}

/// What cargo tells a build script.
#[expect(clippy::disallowed_methods, reason = "this is how cargo talks to a build script")]
pub(crate) fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}
