//! Work that blocks, on a thread of its own; and work that panics, which is nobody else's matter.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use tokio::task::spawn_blocking;

use super::failure::Failure;

/// Does work on another thread. If it panics, that is what went wrong with this call, and with no other.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    match spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) if error.is_panic() => Err(panicked()),
        Err(_) => Err(Failure::cancelled()),
    }
}

/// Does work that may panic before or after it blocks. The library would leave such a call without an answer.
pub(super) async fn caught<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let mut work = pin!(work);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
        polled.unwrap_or_else(|_| Poll::Ready(Err(panicked())))
    })
    .await
}

/// What an agent hears of a panic; the operator has seen the rest on standard error.
pub(super) fn panicked() -> Failure {
    tracing::error!("a call has panicked");
    Failure::internal("this call has met a defect of the server; the server goes on")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_the_failure_of_one_call() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let failure = runtime.block_on(blocking::<()>(|| panic!("on purpose"))).unwrap_err();
        assert_eq!(failure.code, "INTERNAL");
        assert_eq!(runtime.block_on(blocking(|| Ok(1))).unwrap(), 1);
    }

    #[test]
    fn a_panic_between_two_waits_is_one_too() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let work = async {
            tokio::task::yield_now().await;
            panic!("on purpose")
        };
        let failure = runtime.block_on(caught::<()>(work)).unwrap_err();
        assert_eq!(failure.code, "INTERNAL");
        assert_eq!(runtime.block_on(caught(async { Ok(1) })).unwrap(), 1);
    }
}
