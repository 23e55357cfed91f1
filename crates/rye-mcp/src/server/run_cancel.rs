//! What ends a run, from the moment on that somebody has called for it.

use std::io;
use std::sync::{Arc, OnceLock, Weak};

use lillux::CancelToken;
use tokio_util::sync::CancellationToken;

/// Ends a run that goes on, or that waits for its place. Any number may wait, so it has a descriptor only while the run has its
/// place.
#[derive(Debug, Clone, Default)]
pub(super) struct RunCancel {
    asked: CancellationToken,
    token: Arc<OnceLock<Weak<CancelToken>>>,
}

impl RunCancel {
    /// Ends the run, soon. A second call changes nothing.
    pub(super) fn cancel(&self) {
        self.asked.cancel();
        if let Some(token) = self.token.get().and_then(Weak::upgrade) {
            token.cancel();
        }
    }

    /// Whether somebody wants the run to end.
    pub(super) fn is_asked(&self) -> bool {
        self.asked.is_cancelled()
    }

    /// Waits until somebody wants the run to end.
    pub(super) async fn cancelled(&self) {
        self.asked.cancelled().await;
    }

    /// What a run looks at that begins now, and keeps until it is over.
    pub(super) fn begin(&self) -> io::Result<Arc<CancelToken>> {
        let token = Arc::new(CancelToken::new()?);
        // A run begins once.
        let _ = self.token.set(Arc::downgrade(&token));
        // Whoever cancels finds the token from now on; whoever was before that is seen here.
        if self.asked.is_cancelled() {
            token.cancel();
        }
        Ok(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_sees_what_was_asked_before_and_after_it_began() {
        let early = RunCancel::default();
        early.clone().cancel();
        assert!(early.begin().unwrap().is_cancelled());
        let late = RunCancel::default();
        let token = late.begin().unwrap();
        assert!(!token.is_cancelled());
        late.clone().cancel();
        assert!(token.is_cancelled());
        drop(token);
        late.cancel();
    }
}
