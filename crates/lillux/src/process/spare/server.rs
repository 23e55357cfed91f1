//! A program that makes spares.
#![expect(unsafe_code, reason = "how much of what was sent has been read is only to be had with ioctl")]

use std::fs::File;
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketType, sendmsg};

use super::super::contained::Contained;
use super::super::enclosed::{Enclosed, Server};
use super::super::guard::{Guard, StartError};
use super::super::run::{Descriptors, allowed, start_contained};
use super::super::stdio::{Stdio, above_stdio};
use super::super::{Mechanism, RunError, RunErrorKind};
use super::job_socket::JobSocket;
use super::{Spare, SpareRequest, socket_pair};

/// A program that forks spares when it is told to. It ends when the last spare that it has made is gone and the server
/// itself has been dropped; what it has started ends with it.
///
/// It is kept together as a subreaper does ([`Mechanism::Subreaper`]), because a process can only put children into
/// namespaces that lie below its own.
pub struct SpareServer {
    server: Arc<Server>,
    errors: File,
    name: String,
}

impl SpareServer {
    /// Starts the server. It finds its socket, which keeps messages apart (`SOCK_SEQPACKET`), at
    /// [`SOCKET`](super::SOCKET), and should exit when that is closed.
    ///
    /// # Errors
    /// If it cannot be started, or the kernel does not allow what it needs.
    pub fn start(request: &SpareRequest) -> Result<Self, RunError> {
        Self::start_program(request).map_err(|kind| request.failed(kind))
    }

    fn start_program(request: &SpareRequest) -> Result<Self, RunErrorKind> {
        let image = request.image()?;
        let null = || -> std::io::Result<OwnedFd> { above_stdio(File::open("/dev/null")?.into()) };
        let input = null().map_err(RunErrorKind::system("open the null device"))?;
        let errors = memfd_create(c"errors", MemfdFlags::CLOEXEC)
            .map_err(Into::into)
            .and_then(above_stdio)
            .map_err(RunErrorKind::system("make a file in memory"))?;
        let (ours, theirs) = socket_pair(SocketType::SEQPACKET)?;
        let stdio = [input.as_raw_fd(), errors.as_raw_fd(), errors.as_raw_fd()];
        let descriptors = Descriptors { stdio, fourth: theirs.as_raw_fd() };
        let process = start_contained(&image, descriptors, &[Mechanism::Subreaper], request.cwd.as_deref())?;
        let Contained::Guarded(guard, _) = process else {
            return Err(RunErrorKind::NoContainment { tried: Vec::new() });
        };
        let name = request.program.display().to_string();
        let server = Arc::new(Server { guard, socket: ours });
        Ok(Self { server, errors: errors.into(), name })
    }

    /// Makes a spare: a PID namespace, pipes and sockets, and a message to the server that has, beside what the caller
    /// wants to say, these descriptors: the namespace's init process, the job socket, the three standard streams, and
    /// the socket to which the server writes the wait status of the program, as four bytes, the most significant first.
    ///
    /// # Errors
    /// If the kernel allows no PID namespace, or the server does not take messages.
    pub fn spare(&self, message: &[u8]) -> Result<Spare, RunError> {
        self.make_spare(message).map_err(|kind| RunError { program: self.name.clone(), kind })
    }

    fn make_spare(&self, message: &[u8]) -> Result<Spare, RunErrorKind> {
        let mechanism = Mechanism::PidNamespace;
        let guard = allowed(mechanism, Guard::enclose).map_err(|error| match error {
            StartError::Refused(source) => RunErrorKind::NoContainment { tried: vec![(mechanism, source)] },
            StartError::System(doing, source) => RunErrorKind::System { doing, source },
            StartError::Launch(..) | StartError::Lost => RunErrorKind::GuardLost { mechanism },
        })?;
        let streams = Stdio::open_ahead().map_err(RunErrorKind::system("make pipes"))?;
        let (job, their_job) = socket_pair(SocketType::STREAM)?;
        let (status, their_status) = socket_pair(SocketType::STREAM)?;
        let [stdin, stdout, stderr] = &streams.theirs;
        let sent = [guard.descriptor(), &their_job, stdin, stdout, stderr, &their_status];
        self.send(message, sent.map(|descriptor| descriptor.as_fd()))
            .map_err(RunErrorKind::system("send a message to the server"))?;
        let process = Contained::Enclosed(Enclosed::new(guard, status, Arc::clone(&self.server)));
        let Stdio { ours: pipes, theirs } = streams;
        let (job, name) = (JobSocket::new(job)?, self.name.clone());
        Ok(Spare::new(process, pipes, Some(theirs), job, name))
    }

    fn send(&self, message: &[u8], descriptors: [BorrowedFd<'_>; 6]) -> Result<(), Errno> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(6))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        control.push(SendAncillaryMessage::ScmRights(&descriptors));
        // A server that has a queue of messages before it is none that could make a spare in time.
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        loop {
            match sendmsg(&self.server.socket, &[IoSlice::new(message)], &mut control, flags) {
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
                Ok(_) => return Ok(()),
            }
        }
    }

    /// The server's process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.server.guard.pid()
    }

    /// Whether the server has read everything that it was sent. One that is still starting has not.
    #[must_use]
    pub fn is_attentive(&self) -> bool {
        let mut unread: libc::c_int = 0;
        // SAFETY: the call writes one integer to where we say.
        let result = unsafe { libc::ioctl(self.server.socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut unread) };
        result == 0 && unread == 0
    }

    /// Whether the server has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.server.guard.has_ended()
    }

    /// The end of what the server has written to its standard output and error.
    #[must_use]
    pub fn errors(&self) -> String {
        const MOST: u64 = 2048;
        let length = self.errors.metadata().map_or(0, |metadata| metadata.len());
        let mut bytes = vec![0; usize::try_from(length.min(MOST)).unwrap_or(0)];
        let read = self.errors.read_at(&mut bytes, length.saturating_sub(MOST)).unwrap_or(0);
        String::from_utf8_lossy(&bytes[..read]).trim().to_owned()
    }
}

impl std::fmt::Debug for SpareServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpareServer")
            .field("name", &self.name)
            .field("pid", &self.server.guard.pid())
            .finish_non_exhaustive()
    }
}
