//! A spare that another process uses.
//!
//! Who has made a spare may lend it: the borrower gets its streams and its job socket, and deals with it as with one of its
//! own. What only the lender can do for it, it does on request: over the connection between the two go orders in one
//! direction, a byte each, and in the other the wait status of the program. A borrower that is gone ends the run, and so
//! does a lender that is gone, since the guard of the program is its own.

use std::cell::Cell;
use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

use super::super::contained::{Contained, Exit};
use super::super::stdio::{Feed, Pipes};
use super::super::{Remains, RunErrorKind};
use super::Spare;
use super::job_socket::JobSocket;

const TERMINATE: u8 = b'T';
const KILL: u8 = b'K';

/// Stands for a wait status that nobody knows.
const UNKNOWN: i32 = -1;

/// How long the lender has to end what it was told to.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long a borrower has to say what it thinks of a spare that is over.
const LAST_WORD: Duration = Duration::from_millis(200);

/// What a borrower says about a spare to which it has offered its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It has taken the job.
    Taken,
    /// It cannot do this job, and others like it may do others.
    Declined,
    /// No other like it is of any use.
    Unfit,
}

/// A program whose guard is another process's.
pub(in super::super) struct Lease {
    lender: UnixStream,
    pid: u32,
    killed: Cell<bool>,
}

impl Spare {
    /// Gives the spare to whoever is at the other end of a connection, and stays until it is over. `judged` hears what the
    /// borrower thinks of it, if it says so. A connection that ends, at either side, ends the run.
    ///
    /// # Errors
    /// If the borrower cannot be given it.
    pub fn lend(self, borrower: &UnixStream, judged: &mut dyn FnMut(Verdict)) -> io::Result<Remains> {
        let Self { mut process, pipes, theirs, job, .. } = self;
        let Pipes { stdin, stdout, stderr } = pipes;
        let stdin = stdin.ok_or(io::ErrorKind::InvalidInput)?.into_pipe();
        let streams = [job.into_socket(), stdin, stdout, stderr];
        send(borrower, process.pid(), &streams)?;
        // Only the borrower holds these from now on, so that the program sees the end of its input.
        drop((streams, theirs));
        let mut is_judged = false;
        let mut note = |verdict| {
            is_judged = true;
            judged(verdict);
        };
        if let Some(exit) = watch(&mut process, borrower, &mut note) {
            // A borrower that does not want to know any more has gone.
            let _ = (&*borrower).write_all(&wait_status(&exit).to_be_bytes());
            if !is_judged {
                hear_last_word(borrower, judged);
            }
        }
        Ok(Remains::new(process, None))
    }

    /// Takes the spare that somebody lends us.
    ///
    /// # Errors
    /// If there is none, or it does not come in time.
    pub fn borrow(lender: UnixStream, name: String, patience: Duration) -> io::Result<Self> {
        lender.set_read_timeout(Some(patience))?;
        let (pid, [job, stdin, stdout, stderr]) = receive(&lender)?;
        lender.set_read_timeout(None)?;
        let pipes = Pipes { stdin: Some(Feed::new(stdin)), stdout, stderr };
        let process = Contained::Leased(Lease { lender, pid, killed: Cell::new(false) });
        let job = JobSocket::new(job).map_err(|_| io::ErrorKind::InvalidData)?;
        Ok(Self::new(process, pipes, None, job, name))
    }

    /// Tells whoever has lent us the spare what we think of it. Nobody is told about one of our own.
    pub fn judge(&self, verdict: Verdict) {
        if let Contained::Leased(lease) = &self.process {
            lease.order(verdict.as_byte());
        }
    }
}

impl Verdict {
    const fn as_byte(self) -> u8 {
        match self {
            Self::Taken => b'+',
            Self::Declined => b'-',
            Self::Unfit => b'!',
        }
    }

    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Taken, Self::Declined, Self::Unfit].into_iter().find(|verdict| verdict.as_byte() == byte)
    }
}

impl Lease {
    pub(in super::super) fn pid(&self) -> u32 {
        self.pid
    }

    /// Becomes readable when the program is over, or the lender is.
    pub(in super::super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.lender.as_fd()
    }

    pub(in super::super) fn terminate(&self) {
        self.order(TERMINATE);
    }

    pub(in super::super) fn kill(&self) -> Option<Duration> {
        if self.killed.replace(true) {
            // It had its time. Without us it has no reason to let the program live.
            let _ = self.lender.shutdown(std::net::Shutdown::Both);
            return None;
        }
        self.order(KILL);
        Some(PATIENCE)
    }

    pub(in super::super) fn collect(&self) -> Result<Exit, RunErrorKind> {
        let mut status = [0; 4];
        match (&self.lender).read_exact(&mut status).map(|()| i32::from_be_bytes(status)) {
            Ok(UNKNOWN) => Ok(Exit::Unknown),
            Ok(status) => Ok(Exit::of(status)),
            Err(_) if self.killed.get() => Ok(Exit::Unknown),
            Err(_) => Err(RunErrorKind::LenderLost),
        }
    }

    fn order(&self, order: u8) {
        // A lender that is gone has ended the program.
        let _ = rustix::net::send(&self.lender, &[order], SendFlags::NOSIGNAL);
    }
}

fn wait_status(exit: &Exit) -> i32 {
    match exit {
        Exit::Code(code) => (code & 0xff) << 8,
        Exit::Signal(signal) => *signal,
        Exit::Unknown => UNKNOWN,
    }
}

/// Waits until the program is over, and does what the borrower asks for. There is no exit if the borrower is gone, or
/// says what nobody understands.
fn watch(process: &mut Contained, borrower: &UnixStream, judged: &mut dyn FnMut(Verdict)) -> Option<Exit> {
    loop {
        let over = process.descriptor();
        let mut watched = [over, process.farewell().unwrap_or(over), borrower.as_fd()]
            .map(|descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN));
        match poll(&mut watched, None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return None,
        }
        let [over, farewell, asked] = watched.map(|descriptor| !descriptor.revents().is_empty());
        if asked {
            let mut order = [0];
            match (&*borrower).read(&mut order) {
                Ok(1) if order[0] == TERMINATE => process.terminate(),
                Ok(1) if order[0] == KILL => drop(process.kill()),
                Ok(1) => judged(Verdict::from_byte(order[0])?),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => return None,
            }
        } else if over || farewell {
            return process.exit_alone().or_else(|| process.collect().ok());
        }
    }
}

/// What the borrower thinks of a spare that did nothing for it may come after its end.
fn hear_last_word(borrower: &UnixStream, judged: &mut dyn FnMut(Verdict)) {
    if borrower.set_read_timeout(Some(LAST_WORD)).is_err() {
        return;
    }
    let mut word = [0];
    while let Ok(1) = (&*borrower).read(&mut word) {
        if let Some(verdict) = Verdict::from_byte(word[0]) {
            return judged(verdict);
        }
    }
}

fn send(borrower: &UnixStream, pid: u32, streams: &[OwnedFd; 4]) -> io::Result<()> {
    let descriptors = streams.each_ref().map(OwnedFd::as_fd);
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&descriptors));
    let message = pid.to_be_bytes();
    let sent = sendmsg(borrower, &[IoSlice::new(&message)], &mut control, SendFlags::NOSIGNAL)?;
    if sent == message.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

fn receive(lender: &UnixStream) -> io::Result<(u32, [OwnedFd; 4])> {
    let mut message = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received =
        recvmsg(lender, &mut [IoSliceMut::new(&mut message)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut descriptors = Vec::new();
    for part in control.drain() {
        if let RecvAncillaryMessage::ScmRights(given) = part {
            descriptors.extend(given);
        }
    }
    match <[OwnedFd; 4]>::try_from(descriptors) {
        Ok(descriptors) if received.bytes == message.len() => Ok((u32::from_be_bytes(message), descriptors)),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
