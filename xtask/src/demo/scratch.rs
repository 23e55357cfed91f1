//! A folder that is gone when the demo is over, however it ends.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::error::TaskError;

/// A folder with a `home` and a `project`.
///
/// A shell beside us removes it. It waits for the end of its input, which comes when we close it, and also when we are
/// interrupted, crash or are killed, so there is one way to clean up and not one for each kind of end.
#[derive(Debug)]
pub(super) struct Scratch {
    folder: PathBuf,
    remover: Child,
}

/// Files of snapshots are read-only. Whoever is killed may have started programs that write for another moment, so what comes
/// back is removed again, for as long as a command of the demo can take.
const REMOVE: &str = r#"
trap '' INT TERM HUP
remove() { if [ -e "$1" ]; then chmod -R u+w "$1" && rm -rf "$1"; fi; }
if [ "$(cat)" = done ]; then remove "$1"; exit; fi
for _ in 1 2 3 4 5 6 7 8 9; do
    remove "$1" 2> /dev/null
    sleep 1
    if [ ! -e "$1" ]; then exit; fi
done
remove "$1"
"#;

impl Scratch {
    pub(super) fn new() -> Result<Self, TaskError> {
        let folder = std::env::temp_dir().join(format!("rye-demo-{}", std::process::id()));
        let failed = |action| {
            let path = folder.clone();
            move |source| TaskError::File { action, path, source }
        };
        std::fs::create_dir(&folder).map_err(failed("make"))?;
        let folder = folder.canonicalize().map_err(failed("find"))?;
        let remover = Command::new("sh")
            .args(["-c", REMOVE, "sh"])
            .arg(&folder)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|source| TaskError::Start { program: "sh".to_owned(), source })?;
        let scratch = Self { folder, remover };
        for path in [scratch.home(), scratch.project()] {
            std::fs::create_dir(&path).map_err(|source| TaskError::File { action: "make", path, source })?;
        }
        Ok(scratch)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.folder.join("project")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(mut stdin) = self.remover.stdin.take() {
            let _ = stdin.write_all(b"done");
        }
        // If the remover failed, it has said why on standard error, and there is nobody else to tell.
        let _ = self.remover.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_with_its_owner_even_if_it_holds_read_only_folders() {
        let scratch = Scratch::new().unwrap();
        let folder = scratch.folder().to_path_buf();
        let inner = scratch.project().join("sealed");
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(inner.join("file"), "").unwrap();
        let mut permissions = inner.metadata().unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&inner, permissions).unwrap();
        drop(scratch);
        assert!(!folder.exists());
    }
}
