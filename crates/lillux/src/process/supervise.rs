//! Feeding and reading a program, and stopping it when it has to stop.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::time::Timespec;

use super::contained::{Contained, Exit};
use super::promptness::{YOUTH, be_prompt};
use super::stdio::{Fed, Feed, Pipes};
use super::{Channel, Ending, ProcessEvent, RunErrorKind, RunRequest};
use crate::capture::{Collector, Room};
use crate::{CancelToken, Capture};

/// One program under our eyes.
pub(super) struct Supervision<'a> {
    request: &'a RunRequest,
    cancel: Option<&'a CancelToken>,
    events: &'a mut dyn FnMut(ProcessEvent<'_>),
    deadline: Option<Instant>,
    notice: Option<Instant>,
    young_until: Option<Instant>,
    stopping: Option<Stopping>,
    stdin: Option<Feed>,
    outputs: [Output; 2],
    buffer: Box<[MaybeUninit<u8>]>,
}

/// A stop that is under way.
struct Stopping {
    reason: Reason,
    kill_at: Option<Instant>,
    killed: bool,
}

#[derive(Clone, Copy)]
enum Reason {
    TimedOut(Duration),
    Cancelled,
    OutputLimit(Channel),
}

struct Output {
    channel: Channel,
    pipe: Option<OwnedFd>,
    collector: Collector,
}

const BUFFER: usize = 64 * 1024;

impl<'a> Supervision<'a> {
    pub(super) fn new(
        request: &'a RunRequest,
        cancel: Option<&'a CancelToken>,
        started: Instant,
        pipes: Pipes,
        events: &'a mut dyn FnMut(ProcessEvent<'_>),
    ) -> Self {
        let output = |channel, pipe, limit: &crate::StreamLimit| Output {
            channel,
            pipe: Some(pipe),
            collector: Collector::new(limit.clone()),
        };
        Self {
            request,
            cancel,
            events,
            // A time limit beyond what the clock can tell is none.
            deadline: request.timeout.and_then(|timeout| started.checked_add(timeout)),
            notice: request.notice.and_then(|notice| started.checked_add(notice)),
            young_until: started.checked_add(YOUTH),
            stopping: None,
            stdin: pipes.stdin,
            outputs: [
                output(Channel::Stdout, pipes.stdout, &request.stdout),
                output(Channel::Stderr, pipes.stderr, &request.stderr),
            ],
            buffer: Box::new_uninit_slice(BUFFER),
        }
    }

    /// Stays with the program until it is over. If it was alone, it need not have been collected.
    pub(super) fn attend(
        mut self,
        process: &mut Contained,
    ) -> Result<(Ending, Capture, Capture), RunErrorKind> {
        be_prompt();
        while !self.step(process)? {}
        let exit = match process.exit_alone() {
            Some(exit) => exit,
            None => process.collect()?,
        };
        self.drain()?;
        let ending = match (&self.stopping, exit) {
            (Some(stopping), _) => stopping.ending(),
            (None, Exit::Code(code)) => Ending::Exited { code },
            (None, Exit::Signal(signal)) => Ending::Signaled { signal },
            (None, Exit::Unknown) => Ending::Signaled { signal: libc::SIGKILL },
        };
        let [stdout, stderr] = self.outputs.map(|output| output.collector.finish());
        Ok((ending, stdout, stderr))
    }

    /// Waits for the next thing to happen and reacts to it. Returns whether the program is over.
    fn step(&mut self, process: &Contained) -> Result<bool, RunErrorKind> {
        let ready = self.wait(process)?;
        if ready.cancelled {
            self.stop(Reason::Cancelled, process);
        }
        if ready.stdin {
            self.feed();
        }
        for index in 0..self.outputs.len() {
            if ready.outputs[index] && self.read(index)? == Room::Exceeded {
                self.stop(Reason::OutputLimit(self.outputs[index].channel), process);
            }
        }
        if self.notice.is_some_and(|at| Instant::now() >= at) {
            self.notice = None;
            (self.events)(ProcessEvent::GoesOn);
        }
        self.enforce_time(process);
        Ok(ready.over)
    }

    fn wait(&self, process: &Contained) -> Result<Ready, RunErrorKind> {
        // A descriptor that is not wanted stands for the process once more, so that each keeps its place.
        let cancel = self.cancel.filter(|_| self.stopping.is_none());
        let now = Instant::now();
        let young_until = self.young_until.filter(|until| self.stdin.is_none() && now < *until);
        let [stdout, stderr] = self.outputs.each_ref().map(|output| {
            let pipe = output.pipe.as_ref().filter(|_| young_until.is_none());
            pipe.map(AsFd::as_fd)
        });
        let or_over = |wanted, events| watch(wanted, events, process);
        let mut watched = [
            process.over(),
            or_over(process.farewell(), PollFlags::IN),
            or_over(cancel.map(AsFd::as_fd), PollFlags::IN),
            or_over(stdout, PollFlags::IN),
            or_over(stderr, PollFlags::IN),
            or_over(self.stdin.as_ref().map(|feed| feed.pipe().as_fd()), PollFlags::OUT),
        ];
        let wake = self.next_deadline().into_iter().chain(self.notice).chain(young_until).min();
        let timeout = wake.map(|at| at.saturating_duration_since(now));
        let timeout =
            timeout.map(|left| Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 }));
        match poll(&mut watched, timeout.as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(Ready::default()),
            Err(errno) => return Err(RunErrorKind::system("wait for the process")(errno)),
        }
        let ready = |index: usize| !watched[index].revents().is_empty();
        Ok(Ready {
            over: ready(0) || ready(1),
            cancelled: cancel.is_some() && ready(2),
            outputs: [stdout.is_some() && ready(3), stderr.is_some() && ready(4)],
            stdin: self.stdin.is_some() && ready(5),
        })
    }

    fn next_deadline(&self) -> Option<Instant> {
        match &self.stopping {
            None => self.deadline,
            Some(stopping) => stopping.kill_at,
        }
    }

    fn feed(&mut self) {
        if let Some(feed) = &mut self.stdin
            && feed.write(&self.request.stdin) == Fed::Done
        {
            self.stdin = None;
        }
    }

    /// Reads once what an output has, and closes it at its end.
    fn read(&mut self, index: usize) -> Result<Room, RunErrorKind> {
        let output = &mut self.outputs[index];
        let Some(pipe) = &output.pipe else { return Ok(Room::Left) };
        match rustix::io::read(pipe, &mut self.buffer[..]) {
            Ok((bytes, _)) if !bytes.is_empty() => {
                (self.events)(ProcessEvent::Output { channel: output.channel, bytes });
                Ok(output.collector.push(bytes)?)
            }
            Err(Errno::INTR) => Ok(Room::Left),
            Ok(_) | Err(_) => {
                output.pipe = None;
                Ok(Room::Left)
            }
        }
    }

    /// Reads what was written before the end. Whoever still holds the pipe cannot make us wait for more.
    fn drain(&mut self) -> Result<(), RunErrorKind> {
        for index in 0..self.outputs.len() {
            let Some(pipe) = &self.outputs[index].pipe else { continue };
            let mut left = rustix::io::ioctl_fionread(pipe).unwrap_or(0);
            while left > 0 && self.outputs[index].pipe.is_some() {
                let before = self.outputs[index].collector.total();
                if self.read(index)? == Room::Exceeded {
                    let reason = Reason::OutputLimit(self.outputs[index].channel);
                    self.stopping.get_or_insert(Stopping { reason, kill_at: None, killed: false });
                }
                left = left.saturating_sub(self.outputs[index].collector.total() - before);
            }
        }
        Ok(())
    }

    fn stop(&mut self, reason: Reason, process: &Contained) {
        if self.stopping.is_none() {
            process.terminate();
            let kill_at = Instant::now().checked_add(self.request.grace);
            self.stopping = Some(Stopping { reason, kill_at, killed: false });
        }
    }

    fn enforce_time(&mut self, process: &Contained) {
        if self.next_deadline().is_none_or(|at| Instant::now() < at) {
            return;
        }
        match &mut self.stopping {
            None => self.stop(Reason::TimedOut(self.request.timeout.unwrap_or_default()), process),
            Some(stopping) => {
                let patience = process.kill();
                stopping.kill_at = patience.and_then(|patience| Instant::now().checked_add(patience));
                stopping.killed = true;
            }
        }
    }
}

/// A descriptor to wait for, or the process once more.
fn watch<'a>(wanted: Option<BorrowedFd<'a>>, events: PollFlags, process: &'a Contained) -> PollFd<'a> {
    wanted.map_or_else(|| process.over(), |descriptor| PollFd::from_borrowed_fd(descriptor, events))
}

/// What there is to do.
#[derive(Default)]
struct Ready {
    over: bool,
    cancelled: bool,
    outputs: [bool; 2],
    stdin: bool,
}

impl Stopping {
    fn ending(&self) -> Ending {
        let killed = self.killed;
        match self.reason {
            Reason::TimedOut(limit) => Ending::TimedOut { limit, killed },
            Reason::Cancelled => Ending::Cancelled { killed },
            Reason::OutputLimit(channel) => Ending::OutputLimit { channel, killed },
        }
    }
}
