//! The pipes to a server that is a program, which the protocol's library and direct calls have in common.
//!
//! A direct call writes its request itself, waits at the pipe, and takes its answer out of what it reads there. Every
//! other line is for the library, which reads with a runtime behind it. One call at a time may wait at the pipe, and only
//! while nobody drives the runtime: whoever is about to do that has the other one join in.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use bytes::BytesMut;
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::time::Timespec;
use tokio::io::ReadBuf;
use tokio::sync::oneshot;

use super::direct_call::answered_id;
use super::patience::Patience;
use super::watched_output::WatchedOutput;

/// Both pipes.
#[derive(Debug)]
pub(super) struct ServerPipes {
    output: OwnedFd,
    lines: Mutex<Lines>,
    input: Mutex<Input>,
    /// Readable when whoever waits at the pipe has to leave it.
    nudge: OwnedFd,
    last_id: AtomicI64,
}

/// What has been read.
#[derive(Debug)]
struct Lines {
    watch: WatchedOutput,
    buffer: Box<[u8]>,
    /// A line that has no end yet.
    begun: Vec<u8>,
    /// Lines that the library has not read yet.
    for_library: BytesMut,
    library: Option<Waker>,
    is_over: bool,
    waiting: Vec<(i64, oneshot::Sender<Vec<u8>>)>,
    /// How many drive the runtime.
    drivers: usize,
    /// Whether somebody waits at the pipe.
    is_attended: bool,
    is_nudged: bool,
}

/// Where requests go.
#[derive(Debug)]
struct Input {
    /// Nothing once the library has closed its end.
    pipe: Option<OwnedFd>,
    /// Whether the library has written the last line as a whole.
    is_between_lines: bool,
}

/// A request that was sent, and whose answer is waited for.
#[derive(Debug)]
pub(super) struct DirectRequest<'a> {
    pipes: &'a ServerPipes,
    pub(super) id: i64,
    pub(super) answer: oneshot::Receiver<Vec<u8>>,
}

/// Somebody drives the runtime.
#[derive(Debug)]
pub(super) struct Driver<'a>(&'a ServerPipes);

/// What a pipe takes as a whole or not at all.
const WHOLE: usize = 4096;
/// So much is read at once.
const BUFFER: usize = 16 * 1024;
/// The library counts its requests from 0 on, and ours are beyond all of them.
const FIRST_ID: i64 = 1 << 30;

impl ServerPipes {
    /// Pipes that do not block.
    pub(super) fn new(output: OwnedFd, input: OwnedFd, watch: WatchedOutput) -> io::Result<Self> {
        Ok(Self {
            output,
            lines: Mutex::new(Lines {
                watch,
                buffer: vec![0; BUFFER].into_boxed_slice(),
                begun: Vec::new(),
                for_library: BytesMut::new(),
                library: None,
                is_over: false,
                waiting: Vec::new(),
                drivers: 0,
                is_attended: false,
                is_nudged: false,
            }),
            input: Mutex::new(Input { pipe: Some(input), is_between_lines: true }),
            nudge: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            last_id: AtomicI64::new(FIRST_ID),
        })
    }

    /// An id that no other request has.
    pub(super) fn next_id(&self) -> i64 {
        self.last_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends a request, a line, if the pipe takes all of it at once.
    pub(super) fn send(&self, id: i64, line: &[u8]) -> Option<DirectRequest<'_>> {
        let (sender, answer) = oneshot::channel();
        {
            let mut lines = self.lines();
            if lines.is_over {
                return None;
            }
            lines.waiting.push((id, sender));
        }
        // Whatever happens to it, nothing waits for its answer after it is gone.
        let request = DirectRequest { pipes: self, id, answer };
        let input = self.input();
        let pipe = input.pipe.as_ref().filter(|_| input.is_between_lines && line.len() <= WHOLE)?;
        let is_sent = retry_on_intr(|| rustix::io::write(pipe, line)) == Ok(line.len());
        is_sent.then_some(request)
    }

    /// From now on the library reads.
    pub(super) fn drive(&self) -> Driver<'_> {
        let mut lines = self.lines();
        lines.drivers += 1;
        if lines.is_attended && !lines.is_nudged {
            lines.is_nudged = true;
            // The only failure is a counter that is full, which is readable as well.
            let _ = rustix::io::write(&self.nudge, &1_u64.to_ne_bytes());
        }
        Driver(self)
    }

    /// Whether the library has something to read.
    pub(super) fn has_lines(&self) -> bool {
        !self.lines().for_library.is_empty()
    }

    /// The library reads, by what it is given for that.
    pub(super) fn poll_read(
        &self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
        mut read: impl FnMut(&mut Context<'_>, &mut ReadBuf<'_>) -> Poll<io::Result<()>>,
    ) -> Poll<io::Result<()>> {
        let mut lines = self.lines();
        loop {
            if !lines.for_library.is_empty() {
                let length = lines.for_library.len().min(buffer.remaining());
                buffer.put_slice(&lines.for_library.split_to(length));
                return Poll::Ready(Ok(()));
            }
            if lines.is_over {
                // An end is all that the library understands; what it means is in what was seen.
                return Poll::Ready(Ok(()));
            }
            lines.library = None;
            let mut found = ReadBuf::new(&mut lines.buffer);
            match read(context, &mut found) {
                Poll::Ready(Ok(())) => {
                    let length = found.filled().len();
                    lines.take(length);
                }
                Poll::Ready(Err(_)) => lines.end(),
                Poll::Pending => {
                    lines.library = Some(context.waker().clone());
                    return Poll::Pending;
                }
            }
        }
    }

    /// The library writes. Tells where it has stopped.
    pub(super) fn poll_write(
        &self,
        bytes: &[u8],
        write: impl FnOnce() -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let mut input = self.input();
        let written = write();
        if let Poll::Ready(Ok(length @ 1..)) = written {
            input.is_between_lines = bytes[length - 1] == b'\n';
        }
        written
    }

    /// The library does not read any more, so nobody does.
    pub(super) fn close_output(&self) {
        self.lines().end();
    }

    /// The library does not write any more, so nobody does.
    pub(super) fn close_input(&self) {
        self.input().pipe = None;
    }

    /// Reads what is there.
    fn read(&self, lines: &mut Lines) {
        match retry_on_intr(|| rustix::io::read(&self.output, &mut *lines.buffer)) {
            Ok(length) => lines.take(length),
            // Somebody else was faster.
            Err(Errno::WOULDBLOCK) => {}
            Err(_) => lines.end(),
        }
    }

    /// What is known stays true if a thread panics, so nobody minds.
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn input(&self) -> MutexGuard<'_, Input> {
        self.input.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    /// Sorts what is in the buffer; nothing is the end.
    fn take(&mut self, length: usize) {
        let buffer = std::mem::take(&mut self.buffer);
        if length > 0 && self.watch.look_at(&buffer[..length]) {
            for part in buffer[..length].split_inclusive(|byte| *byte == b'\n') {
                self.begun.extend_from_slice(part);
                if part.ends_with(b"\n") {
                    self.end_line();
                }
            }
        } else {
            self.end();
        }
        self.buffer = buffer;
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.begun);
        let id = if self.waiting.is_empty() { None } else { answered_id(&line) };
        if let Some(place) = self.waiting.iter().position(|(waiting, _)| Some(*waiting) == id) {
            // Who has gone meanwhile does not want it.
            let _ = self.waiting.swap_remove(place).1.send(line);
        } else {
            self.for_library.extend_from_slice(&line);
            self.library.take().into_iter().for_each(Waker::wake);
        }
    }

    fn end(&mut self) {
        self.is_over = true;
        self.waiting.clear();
        self.library.take().into_iter().for_each(Waker::wake);
    }
}

impl DirectRequest<'_> {
    /// Waits at the pipe for the answer: until it is there, or there is something that the runtime has to be driven for.
    pub(super) fn wait(&mut self, patience: &Patience) -> Option<Vec<u8>> {
        {
            let mut lines = self.pipes.lines();
            if lines.drivers > 0 || lines.is_attended || !lines.for_library.is_empty() {
                return None;
            }
            lines.is_attended = true;
        }
        let answer = self.wait_at_pipe(patience);
        let mut lines = self.pipes.lines();
        lines.is_attended = false;
        if std::mem::take(&mut lines.is_nudged) {
            // It was written to before that was noted.
            let _ = rustix::io::read(&self.pipes.nudge, &mut [0; 8]);
        }
        answer
    }

    fn wait_at_pipe(&mut self, patience: &Patience) -> Option<Vec<u8>> {
        let (output, nudge) = (&self.pipes.output, &self.pipes.nudge);
        let cancel = patience.token().map_or(nudge.as_fd(), |token| token.as_fd());
        loop {
            // Whoever has read before may have found it.
            if let Ok(answer) = self.answer.try_recv() {
                return Some(answer);
            }
            let mut watched = [
                PollFd::new(nudge, PollFlags::IN),
                PollFd::from_borrowed_fd(cancel, PollFlags::IN),
                PollFd::new(output, PollFlags::IN),
            ];
            match poll(&mut watched, patience.next_moment().map(until).as_ref()) {
                Err(Errno::INTR) => continue,
                Ok(1..) if watched[..2].iter().all(|fd| fd.revents().is_empty()) => {}
                _ => return None,
            }
            let mut lines = self.pipes.lines();
            self.pipes.read(&mut lines);
            if lines.is_over || !lines.for_library.is_empty() {
                return None;
            }
        }
    }
}

impl Drop for DirectRequest<'_> {
    fn drop(&mut self) {
        self.pipes.lines().waiting.retain(|(id, _)| *id != self.id);
    }
}

impl Drop for Driver<'_> {
    fn drop(&mut self) {
        self.0.lines().drivers -= 1;
    }
}

/// The time until then, for the kernel.
fn until(moment: Instant) -> Timespec {
    let left = moment.saturating_duration_since(Instant::now());
    Timespec { tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: left.subsec_nanos().into() }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeReader, PipeWriter, Read as _, Write as _, pipe};
    use std::time::Duration;

    use lillux::CancelToken;
    use rustix::io::ioctl_fionbio;

    use super::*;

    /// Pipes, and the ends that a server has of them.
    fn pipes() -> (ServerPipes, PipeReader, PipeWriter) {
        let ((requests, input), (output, answers)) = (pipe().unwrap(), pipe().unwrap());
        ioctl_fionbio(&input, true).unwrap();
        ioctl_fionbio(&output, true).unwrap();
        let watch = WatchedOutput::new().0;
        (ServerPipes::new(output.into(), input.into(), watch).unwrap(), requests, answers)
    }

    fn answer(id: i64) -> String {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n")
    }

    const NOTICE: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n";

    #[test]
    fn an_answer_is_found_at_the_pipe() {
        let (pipes, mut requests, mut answers) = pipes();
        let mut request = pipes.send(7, b"request\n").unwrap();
        let mut sent = [0; 8];
        requests.read_exact(&mut sent).unwrap();
        assert_eq!(&sent, b"request\n");
        // In two parts, the second of which comes later.
        let text = answer(7);
        let (begin, end) = text.split_at(9);
        answers.write_all(begin.as_bytes()).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                answers.write_all(end.as_bytes()).unwrap();
            });
            assert_eq!(request.wait(&Patience::endless()), Some(text.clone().into_bytes()));
        });
        assert!(!pipes.has_lines());
    }

    #[test]
    fn other_lines_are_for_the_library() {
        let (pipes, _requests, mut answers) = pipes();
        let mut request = pipes.send(7, b"request\n").unwrap();
        answers.write_all(&[NOTICE, answer(7).as_bytes(), answer(8).as_bytes()].concat()).unwrap();
        assert_eq!(request.wait(&Patience::endless()), None);
        assert_eq!(request.answer.try_recv(), Ok(answer(7).into_bytes()));
        let expect = [NOTICE, answer(8).as_bytes()].concat();
        assert_eq!(pipes.lines().for_library, expect);
    }

    #[test]
    fn an_answer_that_somebody_else_has_read_is_not_waited_for() {
        let (pipes, _requests, mut answers) = pipes();
        let mut first = pipes.send(7, b"request\n").unwrap();
        let mut second = pipes.send(8, b"request\n").unwrap();
        answers.write_all([answer(8), answer(7)].concat().as_bytes()).unwrap();
        assert_eq!(first.wait(&Patience::endless()), Some(answer(7).into_bytes()));
        assert_eq!(second.wait(&Patience::endless()), Some(answer(8).into_bytes()));
    }

    #[test]
    fn who_drives_the_runtime_is_joined() {
        let (pipes, _requests, _answers) = pipes();
        for _ in 0..3 {
            let mut request = pipes.send(7, b"request\n").unwrap();
            std::thread::scope(|scope| {
                let waiting = scope.spawn(|| request.wait(&Patience::endless()));
                std::thread::sleep(Duration::from_millis(5));
                let _driver = pipes.drive();
                assert_eq!(waiting.join().unwrap(), None);
            });
            assert!(!pipes.lines().is_nudged && pipes.lines().drivers == 0);
        }
    }

    #[test]
    fn nobody_waits_for_longer_than_wanted() {
        let (pipes, _requests, answers) = pipes();
        let mut request = pipes.send(7, b"request\n").unwrap();
        assert_eq!(request.wait(&Patience::endless().timeout(Duration::from_millis(1))), None);
        assert_eq!(request.wait(&Patience::endless().notice(Duration::from_millis(1))), None);
        let token = CancelToken::new().unwrap();
        token.cancel();
        assert_eq!(request.wait(&Patience::endless().cancel(token)), None);
        drop(answers);
        assert_eq!(request.wait(&Patience::endless()), None);
        assert_eq!(request.answer.try_recv(), Err(oneshot::error::TryRecvError::Closed));
        assert!(pipes.send(8, b"request\n").is_none());
    }

    #[test]
    fn a_request_is_sent_between_two_lines_and_as_a_whole() {
        let (pipes, _requests, _answers) = pipes();
        let write = |bytes: &[u8]| pipes.poll_write(bytes, || Poll::Ready(Ok(bytes.len())));
        assert!(write(b"{\"half\":").is_ready());
        assert!(pipes.send(7, b"request\n").is_none());
        assert!(write(b"1}\n").is_ready());
        assert!(pipes.send(7, &[b'x'; WHOLE + 1]).is_none());
        assert!(pipes.lines().waiting.is_empty());
        let sent = pipes.send(7, b"request\n");
        assert!(sent.is_some() && pipes.lines().waiting.len() == 1);
        drop(sent);
        assert!(pipes.lines().waiting.is_empty());
        pipes.close_input();
        assert!(pipes.send(8, b"request\n").is_none());
    }
}
