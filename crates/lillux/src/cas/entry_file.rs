//! Opening the file of an entry without trusting what lies there.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::error::CasErrorKind;

/// What lies where an entry should be.
#[derive(Debug)]
pub(super) enum EntryFile {
    Absent,
    /// A folder, a link, a pipe: something that no store put there.
    NotAFile,
    File {
        file: File,
        size: u64,
    },
}

impl EntryFile {
    /// Opens for reading. Neither follows a link, which could lead out of the store, nor waits for the other
    /// end of a pipe.
    pub(super) fn open(path: &Path) -> Result<Self, CasErrorKind> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
        let opened = File::options().read(true).custom_flags(flags.cast_signed()).open(path);
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::Absent),
            Err(error) if is_no_file(&error) => return Ok(Self::NotAFile),
            Err(error) => return Err(CasErrorKind::io("open", path)(error)),
        };
        let metadata = file.metadata().map_err(CasErrorKind::io("examine", path))?;
        if metadata.is_file() { Ok(Self::File { file, size: metadata.len() }) } else { Ok(Self::NotAFile) }
    }
}

/// A link and a socket cannot be opened at all in this way.
fn is_no_file(error: &io::Error) -> bool {
    matches!(error.raw_os_error().map(Errno::from_raw_os_error), Some(Errno::LOOP | Errno::NXIO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "abc").unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        std::os::unix::fs::symlink("file", path("link")).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), rustix::fs::Mode::RUSR).unwrap();

        assert!(matches!(EntryFile::open(&path("file")).unwrap(), EntryFile::File { size: 3, .. }));
        assert!(matches!(EntryFile::open(&path("nothing")).unwrap(), EntryFile::Absent));
        for name in ["folder", "link", "socket", "pipe"] {
            assert!(matches!(EntryFile::open(&path(name)).unwrap(), EntryFile::NotAFile), "{name}");
        }
    }
}
