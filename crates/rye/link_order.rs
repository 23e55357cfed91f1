//! Part of build scripts: has the linker put the functions side by side that one call enters.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Hands the list of functions to the linker, for a release, if it understands what to do with it. The functions are a small part
/// of the program; each place that is touched for the first time costs a page fault, and later on a look into the tables of
/// pages. A name that no function has is passed over.
pub(crate) fn apply(list: &Path) {
    println!("cargo::rerun-if-changed={}", list.display());
    if variable("PROFILE") == "release"
        && let Some(argument) = argument(list, &PathBuf::from(variable("OUT_DIR")))
    {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}

/// The list is by `cargo xtask link-order`, with a `*` for everything in a name that changes with the compiler.
fn argument(list: &Path, folder: &Path) -> Option<String> {
    let names = fs::read_to_string(list).ok()?;
    let names = names.lines().filter(|name| !name.is_empty());
    let sections = names.fold(String::new(), |text, name| text + &section(name));
    let script = folder.join("link-order.ld");
    let text = format!("SECTIONS {{\n  .text.first : {{\n{sections}  }}\n}} INSERT BEFORE .text;\n");
    fs::write(&script, text).ok()?;
    let argument = format!("-Wl,-T,{}", script.display());
    is_understood(&argument, folder).then_some(argument)
}

/// The compiler puts each function into a section of its own, and those that are rarely called into one of another kind.
fn section(name: &str) -> String {
    format!("    *(.text.{name} .text.unlikely.{name})\n")
}

/// Links a program that does nothing, as the real one will be.
#[expect(clippy::disallowed_methods, reason = "a build script has nobody else to start a program")]
fn is_understood(argument: &str, folder: &Path) -> bool {
    let source = folder.join("nothing.rs");
    let (linker, flags) = (variable("RUSTC_LINKER"), variable("CARGO_ENCODED_RUSTFLAGS"));
    let mut compiler = Command::new(variable("RUSTC"));
    compiler.arg(&source).arg("-o").arg(folder.join("nothing")).args(["--target", &variable("TARGET")]);
    compiler.args(flags.split('\x1f').filter(|flag| !flag.is_empty())).arg(format!("-Clink-arg={argument}"));
    if !linker.is_empty() {
        compiler.arg(format!("-Clinker={linker}"));
    }
    fs::write(&source, "fn main() {}").is_ok() && compiler.output().is_ok_and(|told| told.status.success())
}

/// What cargo tells a build script.
#[expect(clippy::disallowed_methods, reason = "this is how cargo talks to a build script")]
pub(crate) fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}
