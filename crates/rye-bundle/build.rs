//! Turns the files below `bundle/.ai` into a list that the compiler can include.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

fn main() -> Result<(), Box<dyn Error>> {
    let root = fs::canonicalize(Path::new(&variable("CARGO_MANIFEST_DIR")?).join("../../bundle/.ai"))?;
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort_by_key(|path| below(&root, path));

    let mut list = String::from("static FILES: &[BundleFile] = &[\n");
    for path in files {
        let bytes = fs::read(&path)?;
        let digest: [u8; 32] = Sha256::digest(&bytes).into();
        let executable = fs::metadata(&path)?.permissions().mode() & 0o111 != 0;
        writeln!(
            list,
            "    BundleFile {{ path: {:?}, bytes: include_bytes!({:?}), digest: {digest:?}, executable: {executable} }},",
            below(&root, &path),
            path.to_string_lossy()
        )?;
    }
    list.push_str("];\n");
    fs::write(Path::new(&variable("OUT_DIR")?).join("files.rs"), list)?;
    Ok(())
}

/// All files below a folder. Cargo is told to look again when one of them, or the list of them, changes.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            println!("cargo::rerun-if-changed={}", entry.path().display());
            files.push(entry.path());
        }
    }
    Ok(())
}

fn below(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

#[expect(clippy::disallowed_methods, reason = "this is how cargo talks to a build script")]
fn variable(name: &str) -> Result<String, Box<dyn Error>> {
    Ok(std::env::var(name)?)
}
