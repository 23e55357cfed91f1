//! Where the output of runs is.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::RunId;

/// The folder of all output, in that of the journal.
const OUTPUT: &str = "output";

/// The file in the folder of a run that gets its standard output while it runs, if it has no caller to give it to.
pub const STDOUT_LOG: &str = "stdout";
/// The same for its standard error.
pub const STDERR_LOG: &str = "stderr";

/// The folder for the output of one run.
pub(super) fn output_folder(journal: &Path, id: RunId) -> PathBuf {
    journal.join(OUTPUT).join(id.to_string())
}

/// The name under which a file of a run's own folder is recorded; nothing for other files.
pub(super) fn recorded_name<'p>(journal: &Path, id: RunId, path: &'p Path) -> Option<&'p str> {
    let folder = path.parent()?;
    (folder == output_folder(journal, id)).then(|| path.file_name()?.to_str())?
}

/// The file that was recorded under a name. A record that comes with a project may say anything, so a name that
/// would lead out of the folder is none.
pub(super) fn recorded_path(journal: &Path, id: RunId, name: &str) -> Option<PathBuf> {
    let mut parts = Path::new(name).components();
    let only = parts.next().filter(|_| parts.next().is_none())?;
    matches!(only, Component::Normal(part) if part == name).then(|| output_folder(journal, id).join(name))
}

/// Removes the output of a run. If there is none, nothing happens.
pub(super) fn remove(journal: &Path, id: RunId) -> io::Result<()> {
    if !is_real_folder(&journal.join(OUTPUT))? {
        return Ok(());
    }
    match std::fs::remove_dir_all(output_folder(journal, id)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// The runs that have output.
pub(super) fn runs_with_output(journal: &Path) -> io::Result<Vec<RunId>> {
    let folder = journal.join(OUTPUT);
    if !is_real_folder(&folder)? {
        return Ok(Vec::new());
    }
    let mut runs = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        runs.extend(entry?.file_name().to_str().and_then(|name| name.parse::<RunId>().ok()));
    }
    Ok(runs)
}

/// Whether there is a folder, and not a link that would have us remove something elsewhere.
fn is_real_folder(path: &Path) -> io::Result<bool> {
    match path.symlink_metadata() {
        Ok(metadata) => Ok(metadata.is_dir()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use lillux::clock::SystemClock;

    use super::*;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let id = RunId::generate(&SystemClock);
        let journal = Path::new("/state");
        let folder = output_folder(journal, id);
        assert_eq!(recorded_path(journal, id, "7-0.out"), Some(folder.join("7-0.out")));
        for name in ["", ".", "..", "/etc/passwd", "a/b", "../x", "a/", "./a"] {
            assert_eq!(recorded_path(journal, id, name), None, "{name}");
        }
        assert_eq!(recorded_name(journal, id, &folder.join("7-0.out")), Some("7-0.out"));
        for path in [Path::new("/etc/passwd"), &folder, &folder.join("a/b"), Path::new("")] {
            assert_eq!(recorded_name(journal, id, path), None, "{path:?}");
        }
    }
}
