//! The bundle as files, for those who need a path.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::{Bundle, BundleFile};

/// A layout that cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot lay out the bundle at `{path}`")]
pub struct LayoutError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

impl Bundle {
    /// Returns a folder below `base` that holds exactly this bundle, as `.ai` would.
    ///
    /// It is named by the bundle's digest, so versions live side by side. An existing one is compared file by file
    /// with what the program knows, and made again if anything in it is changed, missing or new.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn lay_out(&self, base: &Path) -> Result<PathBuf, LayoutError> {
        let folder = base.join(self.digest().to_string());
        let failed = |source| LayoutError { path: folder.clone(), source };
        if self.is_intact(&folder) {
            return Ok(folder);
        }
        fs::create_dir_all(base).map_err(failed)?;
        let draft = base.join(format!(".draft-{}-{:x}", std::process::id(), unique()));
        let made = self.write_all(&draft).and_then(|()| self.put_in_place(&draft, &folder));
        remove(&draft);
        made.map_err(failed)?;
        Ok(folder)
    }

    /// Puts the draft in place of whatever is there, unless another process was faster and did the same.
    fn put_in_place(&self, draft: &Path, folder: &Path) -> io::Result<()> {
        for _ in 0..10 {
            if fs::rename(draft, folder).is_ok() || self.is_intact(folder) {
                return Ok(());
            }
            let old = draft.with_extension("old");
            match fs::rename(folder, &old) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => remove(&old),
            }
        }
        Err(io::Error::other("somebody changes it all the time"))
    }

    /// Whether the folder holds every file as it should be, and nothing else.
    fn is_intact(&self, folder: &Path) -> bool {
        let mut count = 0;
        let intact = visit(folder, folder, &mut |below, path| {
            count += 1;
            let Some(file) = below.to_str().and_then(|below| self.get(below)) else { return false };
            is_same(path, file.bytes).unwrap_or(false)
        });
        intact && count == self.files().len()
    }

    fn write_all(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir(folder)?;
        for file in self.files() {
            write(&folder.join(file.path), file)?;
        }
        protect(folder)
    }
}

/// Whether a file holds these bytes. To compare them is cheaper than to hash them, and this is asked for in every process.
fn is_same(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() != bytes.len() as u64 {
        return Ok(false);
    }
    let mut found = Vec::with_capacity(bytes.len() + 1);
    file.read_to_end(&mut found)?;
    Ok(found == bytes)
}

fn write(path: &Path, file: &BundleFile) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut out = File::options().write(true).create_new(true).open(path)?;
    out.write_all(file.bytes)?;
    out.set_permissions(Permissions::from_mode(if file.executable { 0o555 } else { 0o444 }))
}

/// Calls `check` for every file; a link or anything else that is neither file nor folder is never intact.
fn visit(root: &Path, folder: &Path, check: &mut dyn FnMut(&Path, &Path) -> bool) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.into_iter().all(|entry| {
        let Ok(entry) = entry else { return false };
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => visit(root, &path, check),
            Ok(kind) if kind.is_file() => path.strip_prefix(root).is_ok_and(|below| check(below, &path)),
            _ => false,
        }
    })
}

/// Takes the right to write from every folder, the innermost first.
fn protect(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            protect(&entry.path())?;
        }
    }
    fs::set_permissions(folder, Permissions::from_mode(0o555))
}

/// Removes a tree that may be protected. What cannot be removed stays, and does no harm.
fn remove(path: &Path) {
    if path.is_symlink() || path.is_file() {
        let _ = fs::remove_file(path);
        return;
    }
    let _ = fs::set_permissions(path, Permissions::from_mode(0o755));
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        remove(&entry.path());
    }
    let _ = fs::remove_dir(path);
}

fn unique() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
