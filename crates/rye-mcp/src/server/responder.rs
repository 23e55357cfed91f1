//! What answers requests, whichever way they come.

use rmcp::ServerHandler;
use tokio_util::sync::CancellationToken;

/// What answers requests. The transports know nothing else about it.
pub(super) trait Responder: ServerHandler + Clone {
    /// Cancelled when everything has to end.
    fn closing(&self) -> &CancellationToken;

    /// Ends what is at work, and waits until it is over.
    fn end_work(&self) -> impl Future<Output = ()> + Send;

    /// Lets go of what is kept ready.
    fn let_go(&self);
}
