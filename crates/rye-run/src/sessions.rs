//! Runs that go over a connection which outlives them.
//!
//! A runtime whose worker has the mode `session` starts our own program, which connects to something, asks for one thing,
//! and ends. A process that lives longer can do that itself and keep the connection. What that means is no business of
//! this crate: whoever has such connections is given the job, which is exactly what would be executed, and tells what the
//! program would have written and how it would have ended.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use lillux::process::{Channel, Ending, Mechanism, RunRequest};
use lillux::{CancelToken, Digest};

use crate::workers::ColdReason;

/// Something that does jobs over connections which it keeps. Any number of threads may give it jobs.
pub trait Sessions: fmt::Debug + Send + Sync {
    /// Does a job, within its limits of time and unless it is cancelled.
    ///
    /// # Errors
    /// If it cannot be done here. Then nothing of it has been done, and the program is started.
    fn run(
        &self,
        job: &SessionJob<'_>,
        events: &mut dyn FnMut(SessionEvent<'_>),
    ) -> Result<SessionOutcome, ColdReason>;
}

/// A run, as a process that keeps connections is told about it.
#[derive(Debug, Clone, Copy)]
pub struct SessionJob<'a> {
    /// Exactly what would be executed, with all secrets.
    pub request: &'a RunRequest,
    /// Whether there are secrets among it, which nobody keeps.
    pub has_secrets: bool,
    /// For how long a connection is kept that nobody uses.
    pub idle: Duration,
    /// What stops the run.
    pub cancel: Option<&'a CancelToken>,
    /// Copies that the run names, of files whose content was verified for it.
    pub copies: &'a [VerifiedCopy<'a>],
}

/// A copy of a file that was verified for this very run. It may only be named, and whoever
/// reads it holds it against the digest.
#[derive(Debug, Clone, Copy)]
pub struct VerifiedCopy<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// The digest of the bytes that were verified.
    pub content: Digest,
}

/// Something that happens during a job.
#[derive(Debug)]
#[non_exhaustive]
pub enum SessionEvent<'a> {
    /// It has gone on for so long that this is to be told.
    GoesOn,
    /// The program would have written something.
    Output {
        /// Where.
        channel: Channel,
        /// What.
        bytes: &'a [u8],
    },
}

/// What came of a job.
#[derive(Debug)]
pub struct SessionOutcome {
    /// How the program would have ended.
    pub ending: Ending,
    /// What keeps the processes together that are behind the connection, if there are any.
    pub containment: Option<Mechanism>,
    /// Why the connection was made for this job, if it was.
    pub opened: Option<ColdReason>,
}
