//! The folder in which those who lend can be found.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use lillux::clock::{Clock as _, SystemClock};
use rustix::fs::{AtFlags, Mode, OFlags, fstat, open, unlinkat};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, listen, socket_with,
};
use rustix::process::geteuid;

/// A folder that is ours alone. Whatever becomes of its path, it is this one that is used.
#[derive(Debug)]
pub(super) struct LendingFolder(OwnedFd);

/// A socket in it on which somebody listens. It is gone when this is dropped.
#[derive(Debug)]
pub(super) struct LendingSocket {
    pub(super) listener: UnixListener,
    folder: LendingFolder,
    name: OsString,
}

/// What sockets are called at their end.
const EXTENSION: &str = ".sock";

/// How many connections may wait.
const BACKLOG: i32 = 16;

impl LendingFolder {
    /// Opens it, and makes it if it is not there.
    pub(super) fn make(path: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        Self::open(path)?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Opens it if it is there. One in which somebody else could have put something is refused.
    pub(super) fn open(path: &Path) -> io::Result<Option<Self>> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let folder = match open(path, flags, Mode::empty()) {
            Ok(folder) => folder,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        };
        let found = fstat(&folder)?;
        if found.st_uid != geteuid().as_raw() || found.st_mode & 0o077 != 0 {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!("`{}` is not a folder of ours alone", path.display()),
            ));
        }
        Ok(Some(Self(folder)))
    }

    /// The names of the sockets, the youngest first.
    pub(super) fn names(&self) -> Vec<OsString> {
        let Ok(entries) = fs::read_dir(self.path()) else { return Vec::new() };
        let names = entries.flatten().map(|entry| entry.file_name());
        let mut names: Vec<_> = names.filter(|name| born(name).is_some()).collect();
        names.sort_by_key(|name| std::cmp::Reverse(born(name)));
        names
    }

    /// Connects to a socket, without waiting. Nobody listens any more if it is refused: then the socket is removed, which
    /// takes nothing from anybody, because a name is used once, and by somebody who listens already.
    pub(super) fn connect(&self, name: &OsString) -> Result<UnixStream, Errno> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        let connected = connect(&socket, &SocketAddrUnix::new(self.path().join(name))?);
        if connected == Err(Errno::CONNREFUSED) {
            self.remove(name);
        }
        connected?;
        rustix::io::ioctl_fionbio(&socket, false)?;
        Ok(socket.into())
    }

    /// Makes a socket on which others can connect.
    pub(super) fn listen(self) -> io::Result<LendingSocket> {
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        let name = format!("{}-{}", SystemClock.now().unix_micros(), std::process::id());
        let draft = OsString::from(format!("{name}.draft"));
        let name = OsString::from(name + EXTENSION);
        bind(&socket, &SocketAddrUnix::new(self.path().join(&draft))?)?;
        // It gets its name when somebody listens: who finds it refused would take it for one that was left behind.
        let named = listen(&socket, BACKLOG)
            .and_then(|()| rustix::fs::renameat(&self.0, &draft, &self.0, &name))
            .map_err(io::Error::from);
        if let Err(error) = named {
            self.remove(&draft);
            return Err(error);
        }
        Ok(LendingSocket { listener: socket.into(), folder: self, name })
    }

    fn remove(&self, name: &OsString) {
        // It is nothing but a name. If it stays, the next one tries.
        let _ = unlinkat(&self.0, name, AtFlags::empty());
    }

    /// A path that leads here whatever happens to others, and that is short enough for the address of a socket.
    fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }
}

impl Drop for LendingSocket {
    fn drop(&mut self) {
        self.folder.remove(&self.name);
    }
}

/// When a socket was made, if it is one.
fn born(name: &OsString) -> Option<i64> {
    let (born, pid) = name.to_str()?.strip_suffix(EXTENSION)?.split_once('-')?;
    pid.parse::<u32>().ok()?;
    born.parse().ok()
}
