//! The public keys that a project ships.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use lillux::clock::Timestamp;
use lillux::keys::PublicKey;
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, fstat, openat};
use rustix::io::Errno;

use crate::plain_text::check_plain_text;
use crate::{KeyOrigin, PublicKeyFile, PublicKeyFileError, TrustedKey};

/// The public keys that a project ships. None of them counts before the operator trusts the project.
#[derive(Debug, Default)]
pub struct ProjectKeys {
    /// The keys, in the order of their files' names.
    pub keys: Vec<ProjectKey>,
    /// The files that look like keys and are none.
    pub problems: Vec<ProjectKeyError>,
}

/// A public key that a project ships.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectKey {
    /// The key.
    pub key: PublicKey,
    /// Whose it is, in the words of the project: by the name of the file, if nothing else says so.
    pub owner: String,
    /// Its file.
    pub path: PathBuf,
}

/// A file of a project that holds no key which could be trusted.
#[derive(Debug, thiserror::Error)]
#[error("`{}` is not a key of the project", path.display())]
pub struct ProjectKeyError {
    /// The file, or the folder of all.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: ProjectKeyProblem,
}

/// Why a file of a project is no key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectKeyProblem {
    /// It is a symbolic link.
    #[error("it is a symbolic link")]
    Link,
    /// The folder of all is none, or a symbolic link to one.
    #[error("it is not a folder, or a symbolic link to one")]
    NotFolder,
    /// It is a folder, a pipe or the like.
    #[error("it is not a regular file")]
    NotRegular,
    /// It is far too long to be a key.
    #[error("it has more than {SIZE_LIMIT} bytes")]
    TooLarge,
    /// The folder has so many files that none of them is looked at.
    #[error("it holds more than {COUNT_LIMIT} files")]
    TooMany,
    /// What is in it is no public key.
    #[error(transparent)]
    Key(PublicKeyFileError),
    /// The system refused.
    #[error("the system refused")]
    Io(#[from] io::Error),
}

/// The most bytes of a key file.
const SIZE_LIMIT: u64 = 16 * 1024;
/// The most files in the folder.
const COUNT_LIMIT: usize = 256;
const FOLDER: &str = "keys";

/// Lists the keys in the folder `keys` of a project's `.ai`: files that end in `.pem` or `.toml`. Who may write them is
/// not asked, because trusting a project means to trust whoever writes it.
#[must_use]
pub fn project_keys(project_ai_folder: &Path) -> ProjectKeys {
    let path = project_ai_folder.join(FOLDER);
    let mut found = ProjectKeys::default();
    let (folder, names) = match open(project_ai_folder).and_then(|folder| Ok((list(&folder)?, folder))) {
        Ok((names, folder)) => (folder, names),
        Err(ProjectKeyProblem::Io(error)) if error.kind() == io::ErrorKind::NotFound => return found,
        Err(problem) => {
            found.problems.push(ProjectKeyError { path, problem });
            return found;
        }
    };
    for name in names {
        let path = path.join(&name);
        match read(&folder, &name) {
            Ok((key, owner)) => found.keys.push(ProjectKey { key, owner, path }),
            Err(problem) => found.problems.push(ProjectKeyError { path, problem }),
        }
    }
    found
}

impl ProjectKey {
    /// The key as it counts once the project is trusted.
    #[must_use]
    pub fn trusted_since(&self, trusted_at: Timestamp) -> TrustedKey {
        TrustedKey { key: self.key, owner: self.owner.clone(), trusted_at, origin: KeyOrigin::Project }
    }
}

fn open(project_ai_folder: &Path) -> Result<OwnedFd, ProjectKeyProblem> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let parent = openat(CWD, project_ai_folder, flags, Mode::empty()).map_err(refused)?;
    openat(&parent, FOLDER, flags, Mode::empty()).map_err(refused)
}

/// The names of the files that should be keys.
fn list(folder: &OwnedFd) -> Result<Vec<OsString>, ProjectKeyProblem> {
    let mut names = Vec::new();
    for (count, entry) in Dir::read_from(folder).map_err(io::Error::from)?.enumerate() {
        // Two of them are the folder itself and the one above.
        if count >= COUNT_LIMIT + 2 {
            return Err(ProjectKeyProblem::TooMany);
        }
        let entry = entry.map_err(io::Error::from)?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        let is_key =
            Path::new(name).extension().is_some_and(|extension| extension == "pem" || extension == "toml");
        if is_key && !name.as_bytes().starts_with(b".") {
            names.push(name.to_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn read(folder: impl AsFd, name: &OsStr) -> Result<(PublicKey, String), ProjectKeyProblem> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(folder, name, flags, Mode::empty()).map_err(refused)?;
    if FileType::from_raw_mode(fstat(&file).map_err(io::Error::from)?.st_mode) != FileType::RegularFile {
        return Err(ProjectKeyProblem::NotRegular);
    }
    let mut bytes = Vec::new();
    File::from(file).take(SIZE_LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > SIZE_LIMIT {
        return Err(ProjectKeyProblem::TooLarge);
    }
    let PublicKeyFile { key, owner } = PublicKeyFile::parse(&bytes).map_err(ProjectKeyProblem::Key)?;
    let owner = owner.unwrap_or_else(|| Path::new(name).with_extension("").to_string_lossy().into_owned());
    check_plain_text(&owner).map_err(|error| ProjectKeyProblem::Key(PublicKeyFileError::Owner(error)))?;
    Ok((key, owner))
}

fn refused(errno: Errno) -> ProjectKeyProblem {
    match errno {
        Errno::LOOP => ProjectKeyProblem::Link,
        Errno::NOTDIR => ProjectKeyProblem::NotFolder,
        errno => ProjectKeyProblem::Io(errno.into()),
    }
}
