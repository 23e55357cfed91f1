//! How often something that failed is tried again, and after what time.

use std::time::Duration;

/// The most that `max` of a `retry` may be.
pub const MAX_RETRIES: u32 = 100;

/// The longest wait between two attempts, if the graph does not say otherwise.
pub const DEFAULT_MAX_BACKOFF: Duration = Duration::from_mins(1);

/// How often and when to try again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retry {
    /// How many attempts there are after the first one.
    pub max: u32,
    /// The wait after the first attempt; it doubles with each one.
    pub backoff: Duration,
    /// The longest wait.
    pub max_backoff: Duration,
    /// By how much of itself a wait may be longer, from 0 to 1. The driver decides.
    pub jitter: f64,
}

impl Retry {
    /// No second attempt.
    pub const NONE: Self =
        Self { max: 0, backoff: Duration::ZERO, max_backoff: DEFAULT_MAX_BACKOFF, jitter: 0.0 };

    /// How long to wait after the attempt with this number, the first being 1.
    #[must_use]
    pub fn wait_after(&self, attempt: u32) -> Duration {
        let factor = 1_u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
        self.backoff.saturating_mul(factor).min(self.max_backoff)
    }

    /// By how much that wait may be longer, in whole milliseconds.
    #[must_use]
    pub fn jitter_after(&self, attempt: u32) -> Duration {
        let jitter = self.wait_after(attempt).mul_f64(self.jitter.clamp(0.0, 1.0));
        Duration::from_millis(u64::try_from(jitter.as_millis()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_limit() {
        let seconds = Duration::from_secs;
        let retry = Retry { max: 9, backoff: seconds(2), max_backoff: seconds(30), jitter: 0.5 };
        let waits: Vec<_> = (1..=6).map(|attempt| retry.wait_after(attempt).as_secs()).collect();
        assert_eq!(waits, [2, 4, 8, 16, 30, 30]);
        assert_eq!(retry.jitter_after(1), seconds(1));
        assert_eq!(retry.wait_after(u32::MAX), seconds(30));
        assert_eq!(Retry::NONE.wait_after(3), Duration::ZERO);
    }
}
