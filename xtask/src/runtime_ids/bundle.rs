//! Which runtimes the bundle has.

use std::path::{Path, PathBuf};

use super::names::RuntimeNames;
use super::table::BUNDLED_TOOLS;
use crate::error::TaskError;

/// The names of all files below a folder called `runtimes`; none if there is no bundle.
pub(super) fn runtime_names(root: &Path) -> Result<RuntimeNames, TaskError> {
    let tools = root.join(BUNDLED_TOOLS);
    let mut names = RuntimeNames::default();
    for file in files_below(&tools)? {
        let Ok(below) = file.strip_prefix(&tools) else { continue };
        let is_runtime = below.parent().is_some_and(|folder| folder.iter().any(|part| part == "runtimes"));
        if is_runtime {
            names.add(&below.with_extension("").to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(names)
}

/// Every file below a folder, in the same order each time; none if there is no such folder.
pub(super) fn files_below(folder: &Path) -> Result<Vec<PathBuf>, TaskError> {
    let cannot_list =
        |source| TaskError::File { action: "list the folder", path: folder.to_path_buf(), source };
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot_list)? {
        let path = entry.map_err(cannot_list)?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
