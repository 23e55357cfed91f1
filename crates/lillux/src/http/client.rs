//! The client: what is called, from a thread that may block.

use std::future::{Future, poll_fn};
use std::os::fd::{AsFd, OwnedFd};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Instant;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::error::{HttpClientError, HttpError, HttpErrorKind};
use super::exchange::Exchange;
use super::request::HttpRequest;
use super::response::HttpOutcome;
use super::tls::{ParsedRoots, TlsRoots};
use super::transport::Transport;
use crate::cancel::CancelToken;
use crate::capture::Collector;

/// How a client connects.
#[derive(Debug, Clone, Default)]
pub struct HttpClientOptions {
    /// Who may vouch for a server.
    pub roots: TlsRoots,
    /// Which proxy is used.
    pub proxy: ProxyPolicy,
}

/// Which proxy a client uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProxyPolicy {
    /// None, whatever the environment says.
    #[default]
    None,
    /// The one that `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` name at the first request.
    Environment,
}

/// Sends requests and keeps connections for the next ones.
///
/// Any number of threads may use it at the same time. Making one is cheap: its worker thread starts with the
/// first request, and ends when the client is dropped.
#[derive(Debug)]
pub struct HttpClient {
    roots: ParsedRoots,
    proxy: ProxyPolicy,
    transport: Mutex<Option<Arc<Transport>>>,
}

impl HttpClient {
    /// A client that has not connected to anything yet.
    ///
    /// # Errors
    /// If the root certificates in the options are none.
    pub fn new(options: HttpClientOptions) -> Result<Self, HttpClientError> {
        let HttpClientOptions { roots, proxy } = options;
        Ok(Self { roots: ParsedRoots::parse(&roots)?, proxy, transport: Mutex::default() })
    }

    /// Sends `request` and blocks until its answer has been read, its time is over or `cancel` is cancelled.
    ///
    /// Of an answer that broke off nothing is kept, not even a file.
    ///
    /// # Errors
    /// If there is no answer. A status of 400 or above is an answer.
    ///
    /// # Panics
    /// If the calling thread is executing asynchronous code: blocking would stop all the other tasks there.
    pub fn send(
        &self,
        request: &HttpRequest,
        cancel: Option<&CancelToken>,
    ) -> Result<HttpOutcome, HttpError> {
        let begun = Instant::now();
        let mut body = Collector::new(request.rules().response_limit.clone());
        match self.exchange(request, cancel, begun, &mut body) {
            Ok(outcome) => Ok(HttpOutcome { body: body.finish(), ..outcome }),
            Err(kind) => {
                discard(body);
                Err(request.error(kind))
            }
        }
    }

    fn exchange(
        &self,
        request: &HttpRequest,
        cancel: Option<&CancelToken>,
        begun: Instant,
        body: &mut Collector,
    ) -> Result<HttpOutcome, HttpErrorKind> {
        if cancel.is_some_and(CancelToken::is_cancelled) {
            return Err(HttpErrorKind::Cancelled);
        }
        let transport = self.transport().map_err(|source| HttpErrorKind::Start { source })?;
        let limit = request.rules().timeout;
        transport.block_on(async {
            let work = tokio::time::timeout(limit, Exchange::new(&transport, request, begun).run(body));
            let work = async { work.await.map_err(|_| HttpErrorKind::Timeout { limit })? };
            match cancel {
                Some(cancel) => unless_cancelled(cancel, work).await,
                None => work.await,
            }
        })
    }

    fn transport(&self) -> std::io::Result<Arc<Transport>> {
        let mut slot = self.transport.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(transport) = &*slot {
            return Ok(Arc::clone(transport));
        }
        let transport = Arc::new(Transport::start(self.roots.clone(), self.proxy)?);
        *slot = Some(Arc::clone(&transport));
        Ok(transport)
    }
}

/// Gives up on `work` as soon as somebody cancels; dropping it closes its connection.
async fn unless_cancelled<T>(
    cancel: &CancelToken,
    work: impl Future<Output = Result<T, HttpErrorKind>>,
) -> Result<T, HttpErrorKind> {
    let cancelled = watch(cancel).map_err(|source| HttpErrorKind::Start { source })?;
    let mut work = pin!(work);
    poll_fn(|context| {
        if cancelled.poll_read_ready(context).is_ready() {
            return Poll::Ready(Err(HttpErrorKind::Cancelled));
        }
        work.as_mut().poll(context)
    })
    .await
}

/// The descriptor is duplicated because one descriptor can be watched only once, and several requests may share
/// a token.
#[expect(unsafe_code, reason = "watching a descriptor that is not a socket is unsafe in tokio")]
fn watch(cancel: &CancelToken) -> std::io::Result<AsyncFd<OwnedFd>> {
    let descriptor = cancel.as_fd().try_clone_to_owned()?;
    // SAFETY: An `OwnedFd` is open, never changes, and is closed only when the `AsyncFd` that owns it lets it go.
    Ok(unsafe { AsyncFd::register_with_interest(descriptor, Interest::READABLE) }?)
}

/// Removes the file of a body that will not be handed out.
fn discard(body: Collector) {
    if let Some(spooled) = body.finish().spool {
        // A file that cannot be removed is in a folder that its owner cleans up anyway.
        let _ = std::fs::remove_file(spooled.path);
    }
}
