//! Requests of sessions whose connection goes before they are answered.
//!
//! The older protocol lets a client come back for an answer, by the id of the last event that it saw. A client that does not
//! come back within a while has no use for the answer, so its request is cancelled, as if it had said so itself.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header};
use axum::response::Response;
use http_body::Frame;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// How long a client has to come back. It is told to wait for three seconds before it tries.
const PATIENCE: Duration = Duration::from_secs(5);
/// A client may be back before anybody has seen it go, by so much.
const HASTE: Duration = Duration::from_secs(1);
/// The name of a session.
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// What a client that comes back has seen last.
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// The requests that nobody waits for at the moment.
#[derive(Clone, Default)]
pub(super) struct Abandoned(Arc<Mutex<Clients>>);

#[derive(Default)]
struct Clients {
    gone: Vec<Absence>,
    /// The sessions of those that have come back, and when, if that is not long ago.
    back: Vec<(Vec<u8>, Instant)>,
}

/// A client that is gone, and is waited for.
struct Absence {
    session: Vec<u8>,
    /// Cancelled when it is over, in one way or the other.
    over: CancellationToken,
}

/// A request of a session, and the message that cancels it.
pub(super) struct SessionRequest {
    session: Vec<u8>,
    cancellation: Request<Body>,
}

/// Somebody who waits for an answer. If this is dropped before the answer is out, nobody does.
pub(super) struct Waiting(Option<Box<dyn FnOnce() + Send>>);

/// An answer on its way, with whoever waits for it.
struct WatchedBody {
    body: Body,
    waiting: Waiting,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
}

impl SessionRequest {
    /// The request of a message, if it is one and belongs to a session.
    pub(super) fn find(method: &Method, headers: &HeaderMap, body: &[u8]) -> Option<Self> {
        let session = headers.get(&SESSION).filter(|_| method == Method::POST)?;
        let message: Message<'_> = serde_json::from_slice(body).ok()?;
        let (id, _) = message.id.zip(message.method)?;
        let params = json!({ "requestId": id, "reason": "the connection is gone" });
        let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        let mut cancellation = Request::new(Body::from(cancelled.to_string()));
        *cancellation.method_mut() = Method::POST;
        // It comes from the same place, but says something else.
        let of_the_request = ["mcp-method", "mcp-name", "content-length", "transfer-encoding"];
        let kept = headers.iter().filter(|(name, _)| !of_the_request.contains(&name.as_str()));
        cancellation.headers_mut().extend(kept.map(|(name, value)| (name.clone(), value.clone())));
        Some(Self { session: session.as_bytes().to_vec(), cancellation })
    }
}

impl Abandoned {
    /// Lets the requests be that a client comes back for, if this is one that does.
    pub(super) fn resume(&self, method: &Method, headers: &HeaderMap) {
        let Some(session) = headers.get(&SESSION) else { return };
        if method == Method::GET && headers.contains_key(&LAST_EVENT) {
            self.change(|clients| {
                clients.gone.retain(|absence| {
                    let is_back = absence.session == session.as_bytes();
                    if is_back {
                        absence.over.cancel();
                    }
                    !is_back
                });
                clients.back.push((session.as_bytes().to_vec(), Instant::now()));
            });
        }
    }

    /// Somebody who waits for the answer to a request. If they go and do not come back, the cancellation is sent.
    pub(super) fn wait<F: Future<Output = ()> + Send>(
        &self,
        request: SessionRequest,
        send: impl FnOnce(Request<Body>) -> F + Send + 'static,
    ) -> Waiting {
        let abandoned = self.clone();
        let SessionRequest { session, cancellation } = request;
        let begin = Instant::now();
        Waiting(Some(Box::new(move || {
            // A server that has ended needs nobody to tell it.
            let Ok(runtime) = Handle::try_current() else { return };
            let Some(over) = abandoned.change(|clients| clients.leave(session, begin)) else { return };
            runtime.spawn(async move {
                if tokio::time::timeout(PATIENCE, over.cancelled()).await.is_ok() {
                    return;
                }
                over.cancel();
                abandoned.change(|clients| clients.gone.retain(|absence| !absence.over.is_cancelled()));
                tracing::debug!("a client is gone before it was answered");
                send(cancellation).await;
            });
        })))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Clients) -> T) -> T {
        let mut clients = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        clients.back.retain(|(_, since)| since.elapsed() < HASTE);
        change(&mut clients)
    }
}

impl Clients {
    /// Notes that a client is gone whose request began then, unless it is back already. Gives what is cancelled when that is
    /// over.
    fn leave(&mut self, session: Vec<u8>, begin: Instant) -> Option<CancellationToken> {
        if self.back.iter().any(|(back, since)| *back == session && *since >= begin) {
            return None;
        }
        let over = CancellationToken::new();
        self.gone.push(Absence { session, over: over.clone() });
        Some(over)
    }
}

impl Waiting {
    /// Goes with the answer, if it is a stream. Any other is out at once.
    pub(super) fn watch(mut self, response: Response) -> Response {
        let kind = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
        if kind.is_some_and(|kind| kind.starts_with(b"text/event-stream")) {
            response.map(|body| Body::new(WatchedBody { body, waiting: self }))
        } else {
            self.0 = None;
            response
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(abandon) = self.0.take() {
            abandon();
        }
    }
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() {
            self.waiting.0 = None;
        }
        Poll::Ready(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_may_be_back_before_it_is_seen_to_go() {
        let abandoned = Abandoned::default();
        let mut headers = HeaderMap::new();
        headers.insert(SESSION, HeaderValue::from_static("s"));
        let begin = Instant::now();
        let leaves = || abandoned.change(|clients| clients.leave(b"s".to_vec(), begin));
        let over = leaves().unwrap();
        // A message of the same session that asks for nothing.
        abandoned.resume(&Method::GET, &headers);
        assert!(!over.is_cancelled());
        headers.insert(LAST_EVENT, HeaderValue::from_static("1"));
        abandoned.resume(&Method::GET, &headers);
        assert!(over.is_cancelled());
        assert!(leaves().is_none());
        assert!(abandoned.change(|clients| clients.leave(b"t".to_vec(), begin)).is_some());
        // What is asked for from then on is nothing that it has come back for.
        std::thread::sleep(Duration::from_millis(1));
        assert!(abandoned.change(|clients| clients.leave(b"s".to_vec(), Instant::now())).is_some());
        abandoned.change(|clients| clients.back.iter_mut().for_each(|(_, since)| *since -= HASTE));
        assert!(leaves().is_some());
    }

    #[test]
    fn only_requests_of_sessions_are_watched() {
        let check = |method: Method, session: Option<&'static str>, body: &str, expect: bool| {
            let mut headers = HeaderMap::new();
            headers.extend(session.map(|session| (SESSION, HeaderValue::from_static(session))));
            let found = SessionRequest::find(&method, &headers, body.as_bytes());
            assert_eq!(found.is_some(), expect, "{method} {session:?} {body}");
        };
        let request = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}"#;
        check(Method::POST, Some("s"), request, true);
        check(Method::POST, None, request, false);
        check(Method::GET, Some("s"), request, false);
        check(Method::POST, Some("s"), r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, false);
        check(Method::POST, Some("s"), r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, false);
        check(Method::POST, Some("s"), "nonsense", false);
    }
}
