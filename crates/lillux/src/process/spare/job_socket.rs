//! Our end of the socket on which a spare waits for its job.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::time::Timespec;

use super::super::RunErrorKind;
use super::super::enclosed::is_any_readable_within;
use super::super::promptness::YOUTH;
use crate::CancelToken;

/// What a spare said to the job that it was offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// `+`: the job has begun.
    Taken,
    /// `-` and a reason: it cannot do this job.
    Declined(String),
    /// It closed the socket without an answer, or answered something else.
    Nonsense,
    /// It did not answer in time.
    Silent,
}

/// Our end of the socket.
pub(super) struct JobSocket(OwnedFd);

/// What a spare has said: its answer, and what stands behind the first byte of it.
pub(super) type Said = (Answer, Vec<u8>);

/// The longest reason that is read.
const LONGEST_REASON: usize = 4096;

impl JobSocket {
    pub(super) fn new(socket: OwnedFd) -> Result<Self, RunErrorKind> {
        fcntl_setfl(&socket, OFlags::NONBLOCK).map_err(RunErrorKind::system("prepare a socket"))?;
        Ok(Self(socket))
    }

    pub(super) fn into_socket(self) -> OwnedFd {
        self.0
    }

    /// Sends the job and waits for the answer, for as long as `patience` says. A short job may be over before it is worth to
    /// be woken up by its beginning: for a moment we wait for one of the `ends` alone, which become readable then.
    pub(super) fn offer(
        &self,
        job: &[u8],
        patience: Duration,
        cancel: Option<&CancelToken>,
        ends: [BorrowedFd<'_>; 2],
    ) -> Said {
        let until = Instant::now() + patience;
        let Ok(length) = u32::try_from(job.len()) else { return (Answer::Nonsense, Vec::new()) };
        let message = [&length.to_be_bytes(), job].concat();
        let mut rest = message.as_slice();
        let mut answer = Vec::new();
        loop {
            while !rest.is_empty() {
                match send(&self.0, rest, SendFlags::NOSIGNAL) {
                    Ok(count) => rest = &rest[count..],
                    Err(Errno::INTR) => {}
                    // Whoever does not read it to the end may have left an answer.
                    Err(errno) if errno != Errno::AGAIN => rest = &[],
                    Err(_) => break,
                }
            }
            if rest.is_empty() && answer.is_empty() {
                let cancelled = cancel.map_or(ends[0], CancelToken::as_fd);
                is_any_readable_within(&[ends[0], ends[1], cancelled], YOUTH.min(patience));
            }
            match self.await_more(!rest.is_empty(), until, cancel) {
                Wait::Over => return (Answer::Silent, Vec::new()),
                Wait::Writable => continue,
                Wait::Readable => {}
            }
            let is_end = self.read(&mut answer);
            match answer.first() {
                None if !is_end => {}
                Some(b'+') => return (Answer::Taken, answer.split_off(1)),
                Some(b'-') if !is_end && answer.len() < LONGEST_REASON => {}
                Some(b'-') => {
                    let reason = String::from_utf8_lossy(&answer[1..]).trim().to_owned();
                    return (Answer::Declined(reason), Vec::new());
                }
                Some(_) | None => return (Answer::Nonsense, Vec::new()),
            }
        }
    }

    /// Whether an unread answer says that the job has begun.
    pub(super) fn has_been_taken(&self) -> bool {
        let mut answer = Vec::new();
        self.read(&mut answer);
        answer.first() == Some(&b'+')
    }

    /// Whether the other end is closed.
    pub(super) fn is_closed(&self) -> bool {
        let mut byte = [0];
        matches!(recv(&self.0, &mut byte, RecvFlags::PEEK | RecvFlags::DONTWAIT), Ok((_, 0)))
    }

    /// Reads what there is, and returns whether that is the end.
    fn read(&self, answer: &mut Vec<u8>) -> bool {
        let mut buffer = [0; 1024];
        loop {
            match recv(&self.0, &mut buffer, RecvFlags::DONTWAIT) {
                Ok((_, 0)) => return true,
                Ok((_, count)) => answer.extend_from_slice(&buffer[..count]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return false,
                Err(_) => return true,
            }
        }
    }

    fn await_more(&self, wants_to_write: bool, until: Instant, cancel: Option<&CancelToken>) -> Wait {
        let wanted = if wants_to_write { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let socket = self.0.as_fd();
        let cancelled: BorrowedFd<'_> = cancel.map_or(socket, CancelToken::as_fd);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let limit = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 0, tv_nsec: 0 });
            let mut watched = [
                PollFd::from_borrowed_fd(socket, wanted),
                PollFd::from_borrowed_fd(cancelled, PollFlags::IN),
            ];
            match poll(&mut watched, Some(&limit)) {
                Err(Errno::INTR) => continue,
                Ok(0) | Err(_) => return Wait::Over,
                Ok(_) => {}
            }
            let happened = watched[0].revents();
            if happened.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
                return Wait::Readable;
            }
            if cancel.is_some() && !watched[1].revents().is_empty() {
                return Wait::Over;
            }
            if !happened.is_empty() {
                return Wait::Writable;
            }
        }
    }
}

/// What there is to do.
enum Wait {
    Readable,
    Writable,
    Over,
}
