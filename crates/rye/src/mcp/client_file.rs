//! The file in which a client has its servers.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// A file that is there, or may be made.
#[derive(Debug)]
pub(super) struct ClientFile {
    /// Where it really is.
    path: PathBuf,
    /// What is in it, if it is there.
    pub(super) text: Option<String>,
}

impl ClientFile {
    /// Reads a file. Where a link stands in its place, as many keep their configurations, it is what the link leads to.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let path = match fs::read_link(path) {
            Ok(target) => path.canonicalize().map_err(|error| dead_link(&target, &error))?,
            Err(_) => path.to_owned(),
        };
        let text = match fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.to_string()),
        };
        Ok(Self { path, text })
    }

    /// Writes the file so that nobody ever sees half of it.
    pub(super) fn replace(&self, text: &str) -> io::Result<()> {
        fs::create_dir_all(self.path.parent().unwrap_or(Path::new(".")))?;
        let draft = self.path.with_extension(format!("rye-{}", std::process::id()));
        let replaced = self.write_draft(&draft, text).and_then(|()| fs::rename(&draft, &self.path));
        if replaced.is_err() {
            // What cannot be put in its place is of no use.
            let _ = fs::remove_file(&draft);
        }
        replaced
    }

    /// Writes a text that may be as private as what it takes the place of.
    fn write_draft(&self, draft: &Path, text: &str) -> io::Result<()> {
        let known = self.path.metadata().ok();
        let mode = if known.is_some() { 0o600 } else { 0o666 };
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(draft)?;
        file.write_all(text.as_bytes())?;
        match known {
            Some(known) => file.set_permissions(known.permissions()),
            None => Ok(()),
        }
    }
}

fn dead_link(target: &Path, error: &io::Error) -> String {
    let target = target.display();
    if error.kind() == io::ErrorKind::NotFound {
        format!("it is a symbolic link to `{target}`, which is not there")
    } else {
        format!("it is a symbolic link to `{target}`, which cannot be followed ({error})")
    }
}
