//! Messages that wait to be written, because whoever they are for reads slowly or not at all.

use tokio::sync::watch;

/// So many may wait before nothing more is read, and nothing more is looked up that would have to wait, too.
const MOST: usize = 64;

/// How many messages wait to be written.
#[derive(Debug, Clone, Default)]
pub(super) struct Backlog(watch::Sender<usize>);

/// A message that waits to be written, for as long as it does.
#[derive(Debug)]
pub(super) struct Waiting(Backlog);

impl Backlog {
    /// One more waits.
    pub(super) fn begin(&self) -> Waiting {
        self.0.send_modify(|waiting| *waiting += 1);
        Waiting(self.clone())
    }

    /// Waits until another one may be added.
    pub(super) async fn has_room(&self) {
        self.until(|waiting| waiting < MOST).await;
    }

    /// Waits until all are written.
    pub(super) async fn is_empty(&self) {
        self.until(|waiting| waiting == 0).await;
    }

    async fn until(&self, condition: impl Fn(usize) -> bool) {
        // The sender is here, so there is no end of this.
        let _ = self.0.subscribe().wait_for(|waiting| condition(*waiting)).await;
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.0.send_modify(|waiting| *waiting -= 1);
    }
}
