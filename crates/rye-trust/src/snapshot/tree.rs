//! Folders that are removed although nobody may write to them.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Removes a tree. What cannot be removed stays, and is tried again another time.
pub(super) fn remove(path: &Path) {
    let Ok(found) = path.symlink_metadata() else { return };
    if !found.is_dir() {
        let _ = fs::remove_file(path);
        return;
    }
    let _ = fs::set_permissions(path, Permissions::from_mode(0o700));
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        remove(&entry.path());
    }
    let _ = fs::remove_dir(path);
}
