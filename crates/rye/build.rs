//! What `rye --version` tells about the build: the commit, if it is built from git, the target and the profile. No time is in
//! it, so that the same sources give the same program. And how the program is linked.

mod link_order;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use self::link_order::variable;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("../..");
    let commit = commit(&root.join(".git")).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=RYE_COMMIT={commit}");
    println!("cargo::rustc-env=RYE_TARGET={}", variable("TARGET"));
    println!("cargo::rustc-env=RYE_PROFILE={}", variable("PROFILE"));
    let version = if variable("TARGET") == variable("HOST") { c_library() } else { None };
    if version.is_some_and(|version| version >= PACKED) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    if let Some(unwinder) = version.and_then(|_| unwinder()) {
        println!("cargo::rustc-link-arg-bins=-Wl,--whole-archive,{},--no-whole-archive", unwinder.display());
    }
    link_order::apply(Path::new("link-order.txt"));
}

/// Since this version, the loader of the GNU C library takes a table of addresses as a list of bits. The table has to be read
/// whenever the program starts, and most of it is gone then. A program for older machines is built on one.
const PACKED: (u32, u32) = (2, 36);

/// The version of the GNU C library of the machine that builds, if it has one.
fn c_library() -> Option<(u32, u32)> {
    let told = told_by("getconf", "GNU_LIBC_VERSION")?;
    let (major, minor) = told.strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// What unwinds the stack after a panic, as part of the program. A library of its own would have to be loaded at each
/// start, and hardly any of these panics.
fn unwinder() -> Option<PathBuf> {
    Some(PathBuf::from(told_by("cc", "-print-file-name=libgcc_eh.a")?)).filter(|path| path.is_absolute())
}

#[expect(clippy::disallowed_methods, reason = "a build script has nobody else to start a program")]
fn told_by(program: &str, argument: &str) -> Option<String> {
    let told = Command::new(program).arg(argument).output().ok()?;
    Some(str::from_utf8(&told.stdout).ok()?.trim().to_owned())
}

/// The commit that is checked out, from the files of git, which need no program to be read.
fn commit(git: &Path) -> Option<String> {
    let folder = match fs::read_to_string(git) {
        // A working tree beside others has a file that names the folder.
        Ok(text) => {
            let named = PathBuf::from(text.strip_prefix("gitdir:")?.trim());
            if named.is_absolute() { named } else { git.parent()?.join(named) }
        }
        Err(_) => git.to_owned(),
    };
    let head = read(&folder.join("HEAD"))?;
    let commit = match head.trim().strip_prefix("ref: ") {
        None => head.trim().to_owned(),
        Some(name) => {
            let common = read(&folder.join("commondir")).map(|common| folder.join(common.trim()));
            let common = common.unwrap_or(folder);
            let loose = read(&common.join(name)).map(|text| text.trim().to_owned());
            loose.or_else(|| packed(&read(&common.join("packed-refs"))?, name))?
        }
    };
    let is_hash = matches!(commit.len(), 40 | 64) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then_some(commit)
}

/// A branch among those that git has put into one file.
fn packed(list: &str, name: &str) -> Option<String> {
    let mut lines = list.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(_, known)| *known == name).map(|(commit, _)| commit.to_owned())
}

/// Reads a file, and has cargo look at it before the next build.
fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    println!("cargo::rerun-if-changed={}", path.display());
    Some(text)
}
