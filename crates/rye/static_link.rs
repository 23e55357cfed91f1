//! Part of the build script: has the linker make the C library part of the program.

use std::fs;
use std::path::{Path, PathBuf};

use super::link_order::try_link;
use super::told_by;

/// What the standard library is linked with, by name, and the archives that have the same inside.
const LIBRARIES: [(&str, &[&str]); 7] = [
    ("c", &["libc.a", "libgcc_eh.a", "libgcc.a"]),
    ("dl", &["libdl.a"]),
    ("gcc_s", &["libgcc_eh.a", "libgcc.a"]),
    ("m", &["libm.a"]),
    ("pthread", &["libpthread.a"]),
    ("rt", &["librt.a"]),
    ("util", &["libutil.a"]),
];

/// What the linker is told for that, if a program that was linked in this way runs here. To find, load and connect shared
/// libraries takes a good part of the time in which a short command is over, and every page of them that is touched counts
/// again when the process ends.
///
/// The compiler knows one way to ask for this, and it is for everything that is built, macros included, which have to be
/// shared libraries themselves. So it goes on asking for shared libraries by their names, and finds lists of archives there.
pub(crate) fn arguments(others: &[String], folder: &Path) -> Option<Vec<String>> {
    let shelf = folder.join("archives");
    fs::create_dir_all(&shelf).ok()?;
    for (name, archives) in LIBRARIES {
        if let Some(archives) = archives.iter().map(|name| archive(name)).collect::<Option<Vec<_>>>() {
            let quoted: Vec<_> = archives.iter().map(|path| format!("\"{}\"", path.display())).collect();
            fs::write(shelf.join(format!("lib{name}.so")), format!("GROUP ( {} )\n", quoted.join(" ")))
                .ok()?;
        }
    }
    let arguments = vec!["-static-pie".to_owned(), format!("-L{}", shelf.display())];
    let program = try_link(&[others, &arguments].concat(), folder)?;
    told_by(program.to_str()?, &[]).filter(|_| is_loaded_anywhere(&program)).map(|_| arguments)
}

/// Where an archive of the C compiler is. One that it does not have, it names without a folder. When it changes, the program
/// is linked anew.
pub(crate) fn archive(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(told_by("cc", &[&format!("-print-file-name={name}")])?);
    println!("cargo::rerun-if-changed={}", path.is_absolute().then_some(&path)?.display());
    Some(path)
}

/// Whether a program has no address of its own. A compiler that does not know the option leaves out half of it.
fn is_loaded_anywhere(program: &Path) -> bool {
    const KIND: usize = 16;
    const SHARED: [u8; 2] = 3_u16.to_ne_bytes();
    fs::read(program).is_ok_and(|bytes| bytes.get(KIND..KIND + 2) == Some(SHARED.as_slice()))
}
