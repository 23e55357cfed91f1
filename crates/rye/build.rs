//! What `rye --version` tells about the build: the commit, if it is built from git, the target and the profile. No time is in
//! it, so that the same sources give the same program. And how the program is linked.

mod link_order;
mod static_link;

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
    let arguments = link_arguments(&PathBuf::from(variable("OUT_DIR")));
    for argument in &arguments {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    link_order::apply(Path::new("link-order.txt"), &arguments);
}

/// What the linker is told, for a program of this machine that has the GNU C library.
fn link_arguments(folder: &Path) -> Vec<String> {
    let is_own = variable("TARGET") == variable("HOST") && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    let Some(version) = c_library().filter(|_| is_own) else { return Vec::new() };
    let mut arguments = Vec::new();
    let packed = ["-Wl,-z,pack-relative-relocs".to_owned()];
    if version >= PACKED && link_order::try_link(&packed, folder).is_some() {
        arguments.extend(packed);
    }
    let others = if version >= WHOLE { static_link::arguments(&arguments, folder) } else { None };
    if let Some(others) = others {
        arguments.extend(others);
    } else if let Some(unwinder) = static_link::archive("libgcc_eh.a") {
        // As a library of its own it would have to be loaded at each start, and hardly any of these panics.
        arguments.push(format!("-Wl,--whole-archive,{},--no-whole-archive", unwinder.display()));
    }
    arguments
}

/// Since this version, the loader of the GNU C library takes a table of addresses as a list of bits. The table has to be read
/// whenever the program starts, and most of it is gone then. A program for older machines is built on one.
const PACKED: (u32, u32) = (2, 36);
/// Since this version, threads are part of it, and not of an archive of which a program may have half.
const WHOLE: (u32, u32) = (2, 34);

/// The version of the GNU C library of the machine that builds, if it has one.
fn c_library() -> Option<(u32, u32)> {
    let told = told_by("getconf", &["GNU_LIBC_VERSION"])?;
    let (major, minor) = told.strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[expect(clippy::disallowed_methods, reason = "a build script has nobody else to start a program")]
fn told_by(program: &str, arguments: &[&str]) -> Option<String> {
    let told = Command::new(program).args(arguments).output().ok().filter(|told| told.status.success())?;
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
