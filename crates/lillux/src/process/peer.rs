//! Who is at the other end of a socket.
#![expect(unsafe_code, reason = "who a peer is can only be had with getsockopt")]

use std::ffi::c_int;
use std::fs;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, geteuid, pidfd_open};

use super::enclosed::is_readable_within;
use super::legacy::Legacy;

/// A process of our own user at the other end of a socket. What is found out about it is about this process, and never
/// about another one that has got the same number.
#[derive(Debug)]
pub struct Peer {
    pid: Pid,
    pidfd: OwnedFd,
}

impl Peer {
    /// Whoever has connected, or listens, at the other end.
    ///
    /// # Errors
    /// If it is a process of another user, or one that cannot be seen from here; [`NotFound`](io::ErrorKind::NotFound) if it
    /// is gone.
    pub fn of(socket: &UnixStream) -> io::Result<Self> {
        let none = libc::ucred { pid: 0, uid: libc::uid_t::MAX, gid: libc::gid_t::MAX };
        let peer = socket_option(socket, libc::SO_PEERCRED, none)?;
        if peer.uid != geteuid().as_raw() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user"));
        }
        // The number is zero for a process of a PID namespace that is not below ours.
        let pid = Pid::from_raw(peer.pid)
            .ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, "it cannot be seen from here"))?;
        let pidfd = match socket_option::<RawFd>(socket, libc::SO_PEERPIDFD, -1) {
            // SAFETY: the kernel has just made this descriptor for us.
            Ok(descriptor) => unsafe { OwnedFd::from_raw_fd(descriptor) },
            // Older kernels do not know it. The number may then be that of another process, but only of one that has
            // taken the place of a peer that is gone, and which will not answer.
            Err(error) if error.raw_os_error() == Some(libc::ENOPROTOOPT) => {
                pidfd_open(pid, PidfdFlags::empty())?
            }
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {
                return Err(io::ErrorKind::NotFound.into());
            }
            Err(error) => return Err(error),
        };
        let peer = Self { pid, pidfd };
        peer.is_still_itself()?;
        Ok(peer)
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Whether it runs the very file that we run.
    ///
    /// # Errors
    /// If that cannot be found out.
    pub fn is_same_program(&self) -> io::Result<bool> {
        let file = |path: PathBuf| fs::metadata(path).map(|file| (file.dev(), file.ino()));
        let theirs = file(self.folder().join("exe"))?;
        self.is_still_itself()?;
        Ok(theirs == file("/proc/self/exe".into())?)
    }

    /// What of that which a process passes on to those that it starts is not the same for the peer and for us, beside
    /// the environment and the working directory; nothing if all is.
    ///
    /// # Errors
    /// If that cannot be found out.
    pub fn difference(&self) -> io::Result<Option<&'static str>> {
        let theirs = Legacy::of(&self.folder())?;
        self.is_still_itself()?;
        Ok(theirs.difference(&Legacy::of("/proc/self".as_ref())?))
    }

    fn folder(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}", self.pid()))
    }

    /// As long as the process lives, its number is its own.
    fn is_still_itself(&self) -> io::Result<()> {
        if is_readable_within(self.pidfd.as_fd(), Duration::ZERO) {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(())
    }
}

/// What the kernel knows about a socket. There must be no bytes for which `T` has no meaning.
fn socket_option<T: Copy>(socket: &UnixStream, name: c_int, mut value: T) -> io::Result<T> {
    let size = libc::socklen_t::try_from(size_of::<T>()).map_err(io::Error::other)?;
    let mut length = size;
    // SAFETY: the call writes at most as many bytes as we say to where we say, and how many beside it.
    let result = unsafe {
        libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, name, (&raw mut value).cast(), &raw mut length)
    };
    match result {
        0 if length == size => Ok(value),
        0 => Err(io::ErrorKind::InvalidData.into()),
        _ => Err(io::Error::last_os_error()),
    }
}
