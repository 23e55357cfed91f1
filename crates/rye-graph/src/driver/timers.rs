//! Timers: what the walker waits for, by the clock on the wall, so that they outlive the process.

use std::time::Duration;

use lillux::clock::{Clock as _, SystemClock};
use serde::{Deserialize, Serialize};

use crate::{Command, TimerId};

/// A timer, and when its time is over, in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DueTimer {
    #[serde(flatten)]
    pub(super) timer: TimerId,
    pub(super) due: i64,
}

/// All timers that run. There are few: at most one for each step that is under way.
#[derive(Debug, Clone, Default)]
pub(super) struct Timers {
    due: Vec<DueTimer>,
}

impl Timers {
    pub(super) fn new(due: Vec<DueTimer>) -> Self {
        Self { due }
    }

    pub(super) fn as_slice(&self) -> &[DueTimer] {
        &self.due
    }

    /// Starts and forgets timers as commands say. `chosen` has the times of those that start.
    pub(super) fn follow(&mut self, commands: &[Command], chosen: &[DueTimer]) {
        for command in commands {
            match command {
                Command::StartTimer { timer, .. } => {
                    self.due.extend(chosen.iter().find(|due| due.timer == *timer).cloned());
                }
                Command::CancelTimer { timer } => self.due.retain(|due| due.timer != *timer),
                Command::CancelStep { step } => self.due.retain(|due| due.timer.step != *step),
                _ => {}
            }
        }
    }

    /// Takes out a timer whose time is over.
    pub(super) fn take_due(&mut self, now: i64) -> Option<TimerId> {
        let at = self.due.iter().position(|due| due.due <= now)?;
        Some(self.due.remove(at).timer)
    }

    /// How long it is until the next one.
    pub(super) fn next(&self, now: i64) -> Option<Duration> {
        let due = self.due.iter().map(|due| due.due).min()?;
        Some(Duration::from_millis(u64::try_from(due - now).unwrap_or(0)))
    }

    /// A timer that nobody has written down, which is one that a snapshot of an older form has.
    pub(super) fn has(&self, timer: &TimerId) -> bool {
        self.due.iter().any(|due| due.timer == *timer)
    }
}

/// The time for each timer that commands start. By how much one is longer is chosen here.
pub(super) fn choose(commands: &[Command], now: i64) -> Vec<DueTimer> {
    let choose = |command: &Command| match command {
        Command::StartTimer { timer, after, jitter } => {
            let span = after.saturating_add(jitter.mul_f64(chance()));
            let due = now.saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX));
            Some(DueTimer { timer: timer.clone(), due })
        }
        _ => None,
    };
    commands.iter().filter_map(choose).collect()
}

/// The time now, in milliseconds since 1970.
pub(super) fn now() -> i64 {
    SystemClock.now().unix_micros() / 1000
}

/// A number from 0 to 1. Where the system has no randomness to give, waits are not longer than they have to be.
fn chance() -> f64 {
    getrandom::u32().map_or(0.0, |number| f64::from(number) / f64::from(u32::MAX))
}
