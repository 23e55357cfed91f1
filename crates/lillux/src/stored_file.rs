//! Small files that are read whole and appear whole: keys, identities, and what is decided about them.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{DirBuilder, File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, Mode, OFlags};
use rustix::io::Errno;
use zeroize::Zeroizing;

use crate::atomic_create::{create_new, replace as put_in_place};

/// The most bytes that are read: far more than any such file needs, and little enough that a wrong path costs nothing.
pub const SIZE_LIMIT: u64 = 64 * 1024;

/// Why a key or identity file cannot be read or created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoredFileError {
    /// There is something at the path already, and it stays as it is.
    #[error("it exists already")]
    AlreadyExists,
    /// There is nothing at the path.
    #[error("there is no such file")]
    NotFound,
    /// The path does not end in a file name.
    #[error("the path does not name a file")]
    NoFileName,
    /// The path of a private file is a symbolic link.
    #[error("it is a symbolic link, which is not followed for a private file")]
    Symlink,
    /// The path is a folder, a pipe, a device or the like.
    #[error("it is not a regular file")]
    NotRegular,
    /// The file is far too long to be a key.
    #[error("it has more than {limit} bytes")]
    TooLarge {
        /// The most bytes that are read.
        limit: u64,
    },
    /// Others may read or write a private file.
    #[error("its mode {mode:04o} lets others in: run `chmod 600 {path:?}`")]
    FileMode {
        /// The permission bits found.
        mode: u32,
        /// The file.
        path: PathBuf,
    },
    /// Others may list or change the folder of a private file.
    #[error("mode {mode:04o} of its folder lets others in: run `chmod 700 {folder:?}`")]
    FolderMode {
        /// The permission bits found.
        mode: u32,
        /// The folder.
        folder: PathBuf,
    },
    /// A private file or its folder belongs to somebody else.
    #[error("`{}` belongs to user {owner}, not to user {user}", path.display())]
    Owner {
        /// Whom it belongs to.
        owner: u32,
        /// Who wants to use it.
        user: u32,
        /// The file or the folder.
        path: PathBuf,
    },
    /// The system refused.
    #[error("the system refused")]
    Io(#[from] io::Error),
}

/// What is done with a stored file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAction {
    /// Read a key or an identity from it.
    Load,
    /// Write a key or an identity to it.
    Create,
}

/// Who may see a stored file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only its owner: mode 0600 in a folder of mode 0700.
    Private,
    /// Everybody.
    Public,
}

/// A folder that was opened and checked once, so that many files can be read from it at the cost of one check.
#[derive(Debug)]
pub struct StoredFolder {
    path: PathBuf,
    folder: File,
    access: Access,
}

impl fmt::Display for FileAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Load => "load",
            Self::Create => "create",
        })
    }
}

impl StoredFolder {
    /// Opens a folder, if it is kept as `access` demands.
    ///
    /// # Errors
    /// If it is missing, open to others although it is private, or not a folder.
    pub fn open(path: &Path, access: Access) -> Result<Self, StoredFileError> {
        let folder = open_folder(path, access).map_err(missing)?;
        Ok(Self { path: path.to_owned(), folder, access })
    }

    /// The names in it, in their order. Those that begin with a dot are left out: files that are being written have
    /// such names.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn names(&self) -> Result<Vec<OsString>, StoredFileError> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.folder).map_err(io::Error::from)? {
            let name = entry.map_err(io::Error::from)?.file_name().to_bytes().to_owned();
            if !name.starts_with(b".") {
                names.push(OsStr::from_bytes(&name).to_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Reads a file in it, if it is kept as the folder's access demands.
    ///
    /// # Errors
    /// If it is missing, not a regular file, too large, or a link or open to others although it is private.
    pub fn read(&self, name: &OsStr) -> Result<Zeroizing<Vec<u8>>, StoredFileError> {
        // Without NONBLOCK, opening a pipe would wait for a writer.
        let mut flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        if self.access == Access::Private {
            flags |= OFlags::NOFOLLOW;
        }
        let file = match rustix::fs::openat(&self.folder, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::LOOP) => return Err(StoredFileError::Symlink),
            Err(error) => return Err(missing(io::Error::from(error))),
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(StoredFileError::NotRegular);
        }
        if self.access == Access::Private {
            let path = self.path.join(name);
            check_owner(metadata.uid(), &path)?;
            if let Some(mode) = open_to_others(&metadata) {
                return Err(StoredFileError::FileMode { mode, path });
            }
        }
        read_whole(&file, metadata.len())
    }
}

/// Reads the file at `path`, if it is kept as `access` demands.
///
/// # Errors
/// If its folder or the file itself cannot be used, as [`StoredFolder`] has it.
pub fn read(path: &Path, access: Access) -> Result<Zeroizing<Vec<u8>>, StoredFileError> {
    let (folder, name) = split(path)?;
    StoredFolder::open(folder, access)?.read(name)
}

/// Creates the file at `path`, and its folder if need be. What exists is left alone.
///
/// # Errors
/// If there is something at `path` already, or its folder is open to others although the file is private.
pub fn create(path: &Path, contents: &[u8], access: Access) -> Result<(), StoredFileError> {
    let (folder, name, mode) = prepare(path, access)?;
    match create_new(&folder, name, contents, mode) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(StoredFileError::AlreadyExists),
        created => Ok(created?),
    }
}

/// Puts the file at `path` in the place of what is there, if anything: whoever looks sees all of the one or all of the
/// other.
///
/// # Errors
/// If `contents` are more than is ever read, or the folder is open to others although the file is private.
pub fn replace(path: &Path, contents: &[u8], access: Access) -> Result<(), StoredFileError> {
    if contents.len() as u64 > SIZE_LIMIT {
        return Err(StoredFileError::TooLarge { limit: SIZE_LIMIT });
    }
    let (folder, name, mode) = prepare(path, access)?;
    Ok(put_in_place(&folder, name, contents, mode)?)
}

/// The folder of a file that is about to be written, which is made if need be.
fn prepare(path: &Path, access: Access) -> Result<(File, &OsStr, Mode), StoredFileError> {
    let (folder, name) = split(path)?;
    let (folder_mode, file_mode) = match access {
        Access::Private => (0o700, 0o600),
        Access::Public => (0o755, 0o644),
    };
    DirBuilder::new().recursive(true).mode(folder_mode).create(folder)?;
    Ok((open_folder(folder, access)?, name, Mode::from_raw_mode(file_mode)))
}

fn split(path: &Path) -> Result<(&Path, &OsStr), StoredFileError> {
    let name = path.file_name().ok_or(StoredFileError::NoFileName)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Ok((folder.unwrap_or(Path::new(".")), name))
}

/// Opens a folder once, so that what was checked is what is used.
fn open_folder(path: &Path, access: Access) -> Result<File, StoredFileError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(io::Error::from)?);
    if access == Access::Private {
        let metadata = folder.metadata()?;
        check_owner(metadata.uid(), path)?;
        if let Some(mode) = open_to_others(&metadata) {
            return Err(StoredFileError::FolderMode { mode, folder: path.to_owned() });
        }
    }
    Ok(folder)
}

fn open_to_others(metadata: &Metadata) -> Option<u32> {
    let mode = metadata.mode() & 0o7777;
    (mode & 0o077 != 0).then_some(mode)
}

/// Whoever owns a file can change it; apart from the user, only root may, who can do so anyway.
fn check_owner(owner: u32, path: &Path) -> Result<(), StoredFileError> {
    let user = rustix::process::geteuid().as_raw();
    if owner == user || owner == 0 {
        return Ok(());
    }
    Err(StoredFileError::Owner { owner, user, path: path.to_owned() })
}

fn read_whole(file: &File, size: u64) -> Result<Zeroizing<Vec<u8>>, StoredFileError> {
    // The buffer has its final size from the start: one that grows leaves copies of a secret behind.
    for most in [size.min(SIZE_LIMIT), SIZE_LIMIT] {
        let capacity = usize::try_from(most + 1).unwrap_or(usize::MAX);
        let mut contents = Zeroizing::new(vec![0; capacity]);
        let mut count = 0;
        loop {
            match rustix::io::pread(file, &mut contents[count..], count as u64) {
                Ok(0) => break,
                Ok(more) => count += more,
                Err(Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
        if count < capacity {
            contents.truncate(count);
            return Ok(contents);
        }
        // It has grown since somebody asked for its size.
    }
    Err(StoredFileError::TooLarge { limit: SIZE_LIMIT })
}

/// A missing folder means a missing file to whoever reads.
fn missing(error: impl Into<StoredFileError>) -> StoredFileError {
    match error.into() {
        StoredFileError::Io(error) if error.kind() == io::ErrorKind::NotFound => StoredFileError::NotFound,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use rustix::fs::FileType;

    use super::*;

    fn chmod(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o7777
    }

    fn stored() -> (tempfile::TempDir, PathBuf) {
        let space = tempfile::tempdir().unwrap();
        let path = space.path().join("a/b/secret");
        create(&path, b"secret", Access::Private).unwrap();
        (space, path)
    }

    #[test]
    fn a_private_file_and_its_folders_are_for_the_owner_alone() {
        let (space, path) = stored();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(&space.path().join("a")), 0o700);
        assert_eq!(mode(&space.path().join("a/b")), 0o700);
        assert_eq!(read(&path, Access::Private).unwrap().as_slice(), b"secret");
        let names: Vec<_> = std::fs::read_dir(space.path().join("a/b")).unwrap().collect();
        assert_eq!(names.len(), 1, "nothing but the file is left: {names:?}");
    }

    #[test]
    fn what_exists_stays() {
        let (_space, path) = stored();
        let again = create(&path, b"other", Access::Private);
        assert!(matches!(again, Err(StoredFileError::AlreadyExists)));
        let dangling = path.with_file_name("dangling");
        symlink("nowhere", &dangling).unwrap();
        let through_link = create(&dangling, b"other", Access::Private);
        assert!(matches!(through_link, Err(StoredFileError::AlreadyExists)));
        assert_eq!(read(&path, Access::Private).unwrap().as_slice(), b"secret");
    }

    #[test]
    fn a_file_that_is_replaced_is_as_private_as_a_created_one() {
        let (_space, path) = stored();
        chmod(&path, 0o644);
        replace(&path, b"other", Access::Private).unwrap();
        assert_eq!((mode(&path), read(&path, Access::Private).unwrap().as_slice()), (0o600, &b"other"[..]));
        let elsewhere = path.with_file_name("elsewhere");
        std::fs::rename(&path, &elsewhere).unwrap();
        symlink(&elsewhere, &path).unwrap();
        replace(&path, b"third", Access::Private).unwrap();
        assert_eq!(read(&path, Access::Private).unwrap().as_slice(), b"third");
        assert_eq!(read(&elsewhere, Access::Private).unwrap().as_slice(), b"other");
        let error = replace(&path, &vec![0; 70_000], Access::Private).unwrap_err();
        assert!(matches!(error, StoredFileError::TooLarge { .. }), "{error}");
        let folder = StoredFolder::open(path.parent().unwrap(), Access::Private).unwrap();
        assert_eq!(folder.names().unwrap(), ["elsewhere", "secret"]);
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 2, "no draft is left");
    }

    #[test]
    fn modes_that_let_others_in_are_refused() {
        let (_space, path) = stored();
        for wide in [0o640, 0o604, 0o620, 0o602, 0o610, 0o644] {
            chmod(&path, wide);
            let error = read(&path, Access::Private).unwrap_err();
            assert!(matches!(error, StoredFileError::FileMode { mode, .. } if mode == wide), "{error}");
        }
        chmod(&path, 0o400);
        assert!(read(&path, Access::Private).is_ok());
        let folder = path.parent().unwrap();
        for wide in [0o750, 0o705, 0o711, 0o755] {
            chmod(folder, wide);
            let error = read(&path, Access::Private).unwrap_err();
            assert!(matches!(error, StoredFileError::FolderMode { mode, .. } if mode == wide), "{error}");
            let error = create(&folder.join("new"), b"", Access::Private).unwrap_err();
            assert!(matches!(error, StoredFileError::FolderMode { .. }), "{error}");
        }
    }

    #[test]
    fn the_message_says_what_to_run() {
        let (_space, path) = stored();
        chmod(&path, 0o644);
        let message = read(&path, Access::Private).unwrap_err().to_string();
        assert_eq!(message, format!("its mode 0644 lets others in: run `chmod 600 {path:?}`"));
    }

    #[test]
    fn only_regular_files_of_bounded_size_are_read() {
        let (space, path) = stored();
        let folder = path.parent().unwrap();
        symlink(&path, folder.join("link")).unwrap();
        assert!(matches!(read(&folder.join("link"), Access::Private), Err(StoredFileError::Symlink)));
        assert!(read(&folder.join("link"), Access::Public).is_ok());
        assert!(matches!(read(&space.path().join("a/b"), Access::Public), Err(StoredFileError::NotRegular)));
        rustix::fs::mknodat(rustix::fs::CWD, folder.join("pipe"), FileType::Fifo, Mode::RUSR, 0).unwrap();
        assert!(matches!(read(&folder.join("pipe"), Access::Private), Err(StoredFileError::NotRegular)));
        create(&folder.join("large"), &vec![0; 70_000], Access::Private).unwrap();
        assert!(matches!(
            read(&folder.join("large"), Access::Private),
            Err(StoredFileError::TooLarge { .. })
        ));
        assert!(matches!(read(&folder.join("none"), Access::Private), Err(StoredFileError::NotFound)));
        assert!(matches!(read(&folder.join("no/ne"), Access::Private), Err(StoredFileError::NotFound)));
        assert!(matches!(read(Path::new("/"), Access::Private), Err(StoredFileError::NoFileName)));
    }

    #[test]
    fn the_owner_is_the_user_or_root() {
        let user = rustix::process::geteuid().as_raw();
        for (owner, accepted) in [(user, true), (0, true), (user + 1, false)] {
            assert_eq!(check_owner(owner, Path::new("key")).is_ok(), accepted, "{owner}");
        }
    }
}
