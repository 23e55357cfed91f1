//! Seconds on the command line.

use std::time::Duration;

/// Reads seconds, with or without a fraction.
pub(crate) fn parse_seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or("expected seconds, for example `2` or `0.5`")
}
