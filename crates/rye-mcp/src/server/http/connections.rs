//! The connections over HTTP: how many there may be, and how long each may keep the server waiting.
//!
//! Whoever connects is a stranger until a request brings the token. When there is no room left, the stranger who came first
//! has to go, so nobody without the token can keep out those who have it.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::ErrorKind;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// More connections than this are nobody's at once, and each costs memory.
const MOST: u32 = 4096;
/// A head is sent in one piece, and clients let go of a connection that they do not use sooner than that.
const HEAD: Duration = Duration::from_secs(10);
/// The longest message takes so long at two megabits in a second. Only those who have the token come so far.
const BODY: Duration = Duration::from_mins(1);
/// How long nobody is let in after the system could not.
const RECOVERY: Duration = Duration::from_secs(1);

/// What connections may cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// How many there may be at once.
    pub(super) connections: u32,
    /// How long the head of a request may take, from the end of the one before. Answers take as long as they like.
    pub(super) head: Duration,
    /// How long the body of a request may take.
    pub(super) body: Duration,
}

/// Whoever is at the other end of a connection.
#[derive(Clone)]
pub(super) struct Guest {
    number: u64,
    strangers: Strangers,
}

/// Those who have not shown the token yet, in the order in which they came, and what sends them away.
#[derive(Clone, Default)]
struct Strangers(Arc<Mutex<BTreeMap<u64, CancellationToken>>>);

/// The room that there is for connections.
struct Room {
    places: Arc<Semaphore>,
    strangers: Strangers,
    was_full: bool,
}

/// A connection, with everything that it lasts as long as.
struct Connection {
    stream: TcpStream,
    guest: Guest,
    /// Cancelled when it has to make room.
    away: CancellationToken,
    _place: OwnedSemaphorePermit,
}

impl Limits {
    /// What this process can afford.
    pub(super) fn of_process() -> Self {
        let connections = connections_within(getrlimit(Resource::Nofile).current);
        Self { connections, head: HEAD, body: BODY }
    }
}

/// A quarter of all descriptors: the rest is for what is done at a time (see [`places`](crate::server::places)).
fn connections_within(descriptors: Option<u64>) -> u32 {
    let quarter = descriptors.map_or(MOST, |count| u32::try_from(count / 4).unwrap_or(MOST));
    quarter.clamp(1, MOST)
}

/// Serves everybody who connects until the server closes, and then those who wait for an answer.
pub(super) async fn serve<F>(
    listener: TcpListener,
    limits: Limits,
    closing: &CancellationToken,
    respond: impl Fn(Request, Guest) -> F + Clone + Send + 'static,
) where
    F: Future<Output = Response> + Send + 'static,
{
    let places = Arc::new(Semaphore::new(limits.connections as usize));
    let mut room = Room { places: Arc::clone(&places), strangers: Strangers::default(), was_full: false };
    for number in 0.. {
        let next = async {
            let stream = accept(&listener).await;
            room.take(number, stream).await
        };
        let Some(Ok(connection)) = closing.run_until_cancelled(next).await else { break };
        tokio::spawn(connection.hold(limits.head, closing.clone(), respond.clone()));
    }
    drop(listener);
    // When all places are free, everybody has gone.
    let _ = places.acquire_many(limits.connections).await;
}

async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Messages are small and wait for each other.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            // It is gone before it was here, and says nothing about the next.
            Err(error)
                if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset) => {}
            Err(error) => {
                tracing::error!("nobody can connect: {error}");
                tokio::time::sleep(RECOVERY).await;
            }
        }
    }
}

impl Room {
    /// Finds a place for a connection. If there are only people who have the token, that takes until one of them goes; all
    /// others wait in the system's queue until then.
    async fn take(&mut self, number: u64, stream: TcpStream) -> Result<Connection, AcquireError> {
        let place = if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            place
        } else {
            self.make_place();
            Arc::clone(&self.places).acquire_owned().await?
        };
        let away = self.strangers.come(number);
        let guest = Guest { number, strangers: self.strangers.clone() };
        Ok(Connection { stream, guest, away, _place: place })
    }

    fn make_place(&mut self) {
        if !std::mem::replace(&mut self.was_full, true) {
            tracing::warn!(
                "there are as many connections as there may be: those without the token are closed"
            );
        }
        if let Some((_, away)) = self.strangers.lock().pop_first() {
            away.cancel();
        }
    }
}

impl Strangers {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn come(&self, number: u64) -> CancellationToken {
        let away = CancellationToken::new();
        self.lock().insert(number, away.clone());
        away
    }
}

impl Guest {
    /// Notes that this one has the token, and does not have to make room for anybody.
    pub(super) fn is_known(&self) {
        self.strangers.lock().remove(&self.number);
    }
}

impl Connection {
    async fn hold<F>(
        self,
        head: Duration,
        closing: CancellationToken,
        respond: impl Fn(Request, Guest) -> F + Send + 'static,
    ) where
        F: Future<Output = Response> + Send + 'static,
    {
        let Self { stream, guest, away, _place } = self;
        let asked = guest.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let response = respond(request.map(Body::new), asked.clone());
            async move { Ok::<_, Infallible>(response.await) }
        });
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(head);
        let mut served = pin!(builder.serve_connection(TokioIo::new(stream), service));
        let ended = tokio::select! {
            ended = served.as_mut() => ended,
            () = away.cancelled() => Ok(()),
            () = closing.cancelled() => {
                served.as_mut().graceful_shutdown();
                served.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!("a connection was closed: {error}");
        }
        guest.strangers.lock().remove(&guest.number);
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::response::IntoResponse as _;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::time::timeout;

    use super::super::body::read_body;
    use super::*;

    const SHORT: Duration = Duration::from_millis(200);
    const LONG: Duration = Duration::from_secs(20);
    const HALF: &str = "GET /stranger HTTP/1.1\r\nHost:";

    /// A server that knows whoever asks for `/known`, and takes its time for `/slow`.
    async fn serve_within(limits: Limits) -> (SocketAddr, CancellationToken) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let closing = CancellationToken::new();
        let until = closing.clone();
        let respond = move |request: Request, guest: Guest| async move {
            if request.uri().path() != "/stranger" {
                guest.is_known();
            }
            if request.uri().path() == "/slow" {
                tokio::time::sleep(SHORT * 5).await;
            }
            match read_body(request.into_body(), limits.body).await {
                Ok(_) => "hello".into_response(),
                Err(refused) => refused.into_response(),
            }
        };
        tokio::spawn(async move { serve(listener, limits, &until, respond).await });
        (address, closing)
    }

    async fn send(address: SocketAddr, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        stream
    }

    /// What comes until the server closes the connection, which it does.
    async fn rest(mut stream: TcpStream) -> String {
        let mut text = Vec::new();
        // One that is closed with something unread may look broken.
        let _ = timeout(LONG, stream.read_to_end(&mut text)).await.expect("the connection stays");
        String::from_utf8(text).unwrap()
    }

    async fn ask(address: SocketAddr, path: &str) -> String {
        rest(send(address, &format!("GET {path} HTTP/1.1\r\nConnection: close\r\n\r\n")).await).await
    }

    #[tokio::test]
    async fn a_head_that_does_not_end_is_not_waited_for() {
        let limits = Limits { connections: 8, head: SHORT, body: LONG };
        let (address, _closing) = serve_within(limits).await;
        assert_eq!(rest(send(address, HALF).await).await, "");
        assert_eq!(rest(send(address, "").await).await, "");
        let mut dripping = send(address, HALF).await;
        let dripped = timeout(LONG, async {
            while dripping.write_all(b"x").await.is_ok() {
                tokio::time::sleep(SHORT / 10).await;
            }
        });
        assert!(dripped.await.is_ok(), "it may go on for ever");
    }

    #[tokio::test]
    async fn a_body_that_does_not_end_is_not_waited_for() {
        let limits = Limits { connections: 8, head: LONG, body: SHORT };
        let (address, _closing) = serve_within(limits).await;
        let unfinished = "POST /known HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf of it";
        let answer = rest(send(address, unfinished).await).await;
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    }

    #[tokio::test]
    async fn an_answer_takes_as_long_as_it_likes() {
        let limits = Limits { connections: 8, head: SHORT, body: SHORT };
        let (address, closing) = serve_within(limits).await;
        assert!(ask(address, "/slow").await.ends_with("hello"));
        // Not even the end of the server ends it.
        let asked = tokio::spawn(ask(address, "/slow"));
        tokio::time::sleep(SHORT).await;
        closing.cancel();
        assert!(asked.await.unwrap().ends_with("hello"));
    }

    #[tokio::test]
    async fn strangers_make_room() {
        let limits = Limits { connections: 4, head: LONG * 10, body: LONG };
        let (address, _closing) = serve_within(limits).await;
        let mut known = send(address, "GET /known HTTP/1.1\r\n\r\n").await;
        let mut piece = [0; 4096];
        assert!(known.read(&mut piece).await.unwrap() > 0);
        let mut strangers = Vec::new();
        for _ in 0..20 {
            strangers.push(send(address, HALF).await);
        }
        assert!(ask(address, "/known").await.ends_with("hello"));
        assert_eq!(rest(strangers.remove(0)).await, "");
        // The one who was here before all of them is still here.
        known.write_all(b"GET /known HTTP/1.1\r\n\r\n").await.unwrap();
        assert!(known.read(&mut piece).await.unwrap() > 0);
    }

    #[test]
    fn runs_have_descriptors_too() {
        let check = |descriptors, expect| assert_eq!(connections_within(descriptors), expect);
        check(Some(0), 1);
        check(Some(1024), 256);
        check(Some(20_000), MOST);
        check(Some(u64::MAX), MOST);
        check(None, MOST);
    }
}
