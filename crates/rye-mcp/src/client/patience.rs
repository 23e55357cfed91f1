//! How long is waited for a server, and for whom.

use std::future::Future;
use std::time::{Duration, Instant};

use lillux::CancelToken;

use super::error::ClientErrorKind;

/// How long something may take, and who can end it.
#[derive(Debug, Clone, Default)]
pub struct Patience {
    limit: Duration,
    until: Option<Instant>,
    cancel: Option<CancelToken>,
    notice: Option<Instant>,
}

/// So often it is asked whether somebody has cancelled.
const ATTENTION: Duration = Duration::from_millis(20);

impl Patience {
    /// As long as it takes.
    #[must_use]
    pub fn endless() -> Self {
        Self::default()
    }

    /// Limits the time, from now on.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limit = limit;
        // A time limit beyond what the clock can tell is none.
        self.until = Instant::now().checked_add(limit);
        self
    }

    /// Lets somebody end it.
    #[must_use]
    pub fn cancel(mut self, cancel: CancelToken) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Wants to be told when it has taken so long, from now on.
    #[must_use]
    pub fn notice(mut self, after: Duration) -> Self {
        self.notice = Instant::now().checked_add(after);
        self
    }

    /// The same, but not longer than this.
    #[must_use]
    pub fn at_most(&self, limit: Duration) -> Self {
        let bound = Instant::now() + limit;
        match self.until {
            Some(until) if until <= bound => self.clone(),
            _ => Self { limit, until: Some(bound), ..self.clone() },
        }
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.end().is_some()
    }

    /// Whether it is over, and why.
    pub(super) fn end(&self) -> Option<ClientErrorKind> {
        if self.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
            return Some(ClientErrorKind::Cancelled);
        }
        let is_late = self.until.is_some_and(|until| Instant::now() >= until);
        is_late.then_some(ClientErrorKind::TimedOut { limit: self.limit })
    }

    /// The next moment in which something has to be done about it.
    pub(super) fn next_moment(&self) -> Option<Instant> {
        self.until.into_iter().chain(self.notice).min()
    }

    /// What is readable when somebody has cancelled.
    pub(super) fn token(&self) -> Option<&CancelToken> {
        self.cancel.as_ref()
    }

    /// Does something, unless that takes too long or nobody wants it any more.
    pub(super) async fn wait<T>(
        &self,
        work: impl Future<Output = Result<T, ClientErrorKind>>,
    ) -> Result<T, ClientErrorKind> {
        tokio::select! {
            biased;
            done = work => done,
            kind = self.ended() => Err(kind),
        }
    }

    /// Waits for the end of it.
    pub(super) async fn ended(&self) -> ClientErrorKind {
        tokio::select! {
            () = self.cancelled() => ClientErrorKind::Cancelled,
            () = passed(self.until) => ClientErrorKind::TimedOut { limit: self.limit },
        }
    }

    /// Waits for the moment in which somebody wants to be told.
    pub(super) async fn noticed(&self) {
        passed(self.notice).await;
    }

    /// A token is a descriptor that only unsafe code could wait for here, so it is asked.
    async fn cancelled(&self) {
        let Some(cancel) = &self.cancel else { return std::future::pending().await };
        while !cancel.is_cancelled() {
            tokio::time::sleep(ATTENTION).await;
        }
    }
}

/// Waits for a moment.
async fn passed(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until.into()).await,
        None => std::future::pending().await,
    }
}
