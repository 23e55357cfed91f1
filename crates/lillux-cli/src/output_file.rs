//! A file that appears whole or not at all.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::code::Code;
use crate::failure::Failure;

/// A file under another name, which is removed again unless it is published.
#[derive(Debug)]
pub(crate) struct OutputFile {
    target: PathBuf,
    draft: PathBuf,
    file: File,
}

/// Who may read an output file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// Whoever the user's file mode mask lets in.
    Default,
    /// The user alone.
    Private,
}

/// What becomes of a file that has the name already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It is replaced.
    Replace,
    /// It stays, and the output fails.
    Keep,
}

/// An output file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{}`", path.display())]
pub(crate) struct OutputFileError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

impl OutputFile {
    /// Begins a file that will be called `target`, in the same folder.
    pub(crate) fn create(target: &Path, visibility: Visibility) -> Result<Self, OutputFileError> {
        Self::begin(target, visibility).map_err(|source| OutputFileError { path: target.to_owned(), source })
    }

    fn begin(target: &Path, visibility: Visibility) -> io::Result<Self> {
        // To put a file in the place of a device, a link or the like is never what is wanted.
        if target.symlink_metadata().is_ok_and(|found| !found.is_file()) {
            return Err(io::Error::other("there is something else than a regular file"));
        }
        let name = target.file_name().ok_or_else(|| io::Error::other("the path does not name a file"))?;
        let mode = match visibility {
            Visibility::Default => 0o666,
            Visibility::Private => 0o600,
        };
        let mut number = 0;
        loop {
            let mut draft_name = OsString::from(".");
            draft_name.push(name);
            draft_name.push(format!(".{}-{number}.part", std::process::id()));
            let draft = target.with_file_name(draft_name);
            match File::options().write(true).create_new(true).mode(mode).open(&draft) {
                // A dead process had the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                file => return Ok(Self { target: target.to_owned(), draft, file: file? }),
            }
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), OutputFileError> {
        self.file.write_all(bytes).map_err(|source| self.failed(source))
    }

    /// Gives the file its name.
    pub(crate) fn publish(self, existing: Existing) -> Result<(), OutputFileError> {
        let named = self.file.sync_all().and_then(|()| match existing {
            Existing::Replace => std::fs::rename(&self.draft, &self.target),
            Existing::Keep => std::fs::hard_link(&self.draft, &self.target),
        });
        named.map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> OutputFileError {
        OutputFileError { path: self.target.clone(), source }
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        // After a rename there is nothing to remove.
        let _ = std::fs::remove_file(&self.draft);
    }
}

impl From<OutputFileError> for Failure {
    fn from(error: OutputFileError) -> Self {
        let code = match error.source.kind() {
            io::ErrorKind::AlreadyExists => Code::AlreadyExists,
            _ => Code::OutputNotWritable,
        };
        Self::new(code, &error)
    }
}
