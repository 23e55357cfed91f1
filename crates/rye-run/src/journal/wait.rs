//! Waiting for a run to end.

use std::thread::sleep;
use std::time::Duration;

use lillux::CancelToken;
use lillux::clock::{Deadline, SystemClock};

use super::{Journal, JournalError, RunId, RunRecord, RunStatus};

/// The record is looked at often at first, for short runs, and less often later.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

impl Journal {
    /// Waits until a run has ended or is lost, `timeout` is over, or `cancel` is cancelled, and gives its record as
    /// it is then: one that is still running says so itself.
    ///
    /// # Errors
    /// If there is no such run, or its record cannot be read.
    pub fn wait(
        &self,
        id: RunId,
        timeout: Option<Duration>,
        cancel: &CancelToken,
    ) -> Result<RunRecord, JournalError> {
        let deadline = timeout.map_or(Deadline::NEVER, |timeout| Deadline::after(timeout, &SystemClock));
        let mut pause = FIRST_PAUSE;
        loop {
            let record = self.get(id)?;
            let left = deadline.remaining(&SystemClock).unwrap_or(LONGEST_PAUSE);
            if record.status() != RunStatus::Running || left.is_zero() || cancel.is_cancelled() {
                return Ok(record);
            }
            sleep(pause.min(left));
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
        }
    }
}
