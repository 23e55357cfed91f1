//! Doing what a program would do over a connection that is kept.

use std::time::Instant;

use lillux::process::{Channel, ProcessEvent};
use lillux::{CaptureError, Collector};

use super::error::RunnerError;
use super::outcome::Start;
use super::process::Run;
use crate::sessions::{SessionEvent, SessionJob, SessionOutcome, Sessions};
use crate::workers::ColdReason;

/// What came of it, or why nothing has been done.
pub(super) fn run(
    sessions: &dyn Sessions,
    job: &SessionJob<'_>,
    tell: &mut dyn FnMut(ProcessEvent<'_>),
) -> Result<Result<Run, ColdReason>, RunnerError> {
    let begin = Instant::now();
    let mut collected = Collected {
        stdout: Collector::new(job.request.stdout.clone()),
        stderr: Collector::new(job.request.stderr.clone()),
        failed: None,
    };
    let ended = sessions.run(job, &mut |event| match event {
        SessionEvent::GoesOn => tell(ProcessEvent::GoesOn),
        SessionEvent::Output { channel, bytes } => {
            collected.push(channel, bytes);
            tell(ProcessEvent::Output { channel, bytes });
        }
    });
    let SessionOutcome { ending, containment, opened } = match ended {
        Ok(outcome) => outcome,
        Err(reason) => return Ok(Err(reason)),
    };
    if let Some(error) = collected.failed {
        return Err(error.into());
    }
    let start = opened.map_or(Start::Warm, Start::ColdInstead);
    let (stdout, stderr) = (collected.stdout.finish(), collected.stderr.finish());
    Ok(Ok(Run { start, ending, stdout, stderr, duration: begin.elapsed(), containment, remains: None }))
}

/// What has been written so far.
struct Collected {
    stdout: Collector,
    stderr: Collector,
    failed: Option<CaptureError>,
}

impl Collected {
    fn push(&mut self, channel: Channel, bytes: &[u8]) {
        let collector = match channel {
            Channel::Stdout => &mut self.stdout,
            Channel::Stderr => &mut self.stderr,
        };
        // Nothing more can be kept once something could not.
        if let Err(error) = collector.push(bytes) {
            self.failed.get_or_insert(error);
        }
    }
}
