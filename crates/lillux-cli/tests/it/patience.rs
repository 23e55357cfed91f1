//! Waiting for something to happen, but not for ever.

use std::time::{Duration, Instant};

/// Looks every few milliseconds, for ten seconds at most; says whether it has happened.
pub(crate) fn happens(mut has_happened: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(10);
    while !has_happened() {
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    true
}
