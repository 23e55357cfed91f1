//! Running a target over inputs, so that a failure names the input.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rye_fuzz::corpus::Seed;
use rye_fuzz::{Target, on_small_stack};

/// Builds without optimisation get the time that they need on a busy machine.
const LIMIT: Duration =
    if cfg!(debug_assertions) { Duration::from_secs(6) } else { Duration::from_millis(600) };

/// Checks each of `inputs` on a small stack within the time limit.
#[track_caller]
pub(crate) fn check_all(target: &Target, inputs: impl IntoIterator<Item = Seed> + Send) {
    let current = Mutex::new(None);
    let result = on_small_stack(target.name, || {
        for input in inputs {
            let bytes = input.bytes.clone();
            *current.lock().unwrap() = Some(input);
            let start = Instant::now();
            target.check(&bytes);
            let elapsed = start.elapsed();
            assert!(elapsed < LIMIT, "it took {elapsed:?}");
        }
    });
    if result.is_err() {
        let Some(Seed { name, bytes }) = current.into_inner().unwrap_or_else(PoisonError::into_inner) else {
            panic!("`{}` has no inputs", target.name)
        };
        panic!("`{}` fails on {name}: b\"{}\"", target.name, bytes.escape_ascii());
    }
}
