//! Messages over HTTP.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt as _;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use super::abandoned::{Abandoned, SessionRequest};
use super::http_token::Token;
use super::refusal::Refusal;
use super::responder::Responder;
use super::sent_parameters::SentMessage;
use super::settings::HttpSettings;

/// Where the server is.
pub(super) const PATH: &str = "/mcp";
/// The longest message that is read.
const LONGEST: usize = 16 * 1024 * 1024;
const JSON: &str = "application/json";

#[derive(Clone)]
struct App<R: Responder> {
    service: StreamableHttpService<R, LocalSessionManager>,
    token: Token,
    abandoned: Abandoned,
}

/// Answers until the server closes, and then until the answers are out.
pub(super) async fn answer<R: Responder>(
    responder: R,
    listener: TcpListener,
    settings: &HttpSettings,
    token: Token,
) -> std::io::Result<()> {
    let closing = responder.closing().clone();
    let app = App { service: service(responder, settings), token, abandoned: Abandoned::default() };
    let router = Router::new().fallback(handle::<R>).with_state(app);
    // Messages are small and wait for each other.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(listener, router).with_graceful_shutdown(closing.cancelled_owned()).await
}

fn service<R: Responder>(
    responder: R,
    settings: &HttpSettings,
) -> StreamableHttpService<R, LocalSessionManager> {
    let own = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let hosts = own.into_iter().chain(settings.hosts.iter().cloned());
    // Pages of this machine need the token as everybody does. A list that is empty would let any page in.
    let pages = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"].map(str::to_owned);
    let origins = pages.into_iter().chain(settings.origins.iter().cloned());
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(LONGEST)
        .with_cancellation_token(responder.closing().clone());
    StreamableHttpService::new(move || Ok(responder.clone()), Arc::default(), config)
}

async fn handle<R: Responder>(State(app): State<App<R>>, request: Request) -> Response {
    if request.uri().path() != PATH {
        return refuse(StatusCode::NOT_FOUND, "the server is at /mcp");
    }
    if !is_authorized(request.headers(), &app.token) {
        let mut response = refuse(StatusCode::UNAUTHORIZED, "a bearer token is needed");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
        return response;
    }
    let (mut parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, LONGEST).await else {
        return refuse(StatusCode::PAYLOAD_TOO_LARGE, "the message is too long, or does not end");
    };
    app.abandoned.resume(&parts.method, &parts.headers);
    let waiting = SessionRequest::find(&parts.method, &parts.headers, &bytes).map(|request| {
        let service = app.service.clone();
        app.abandoned
            .wait(request, move |cancellation| async move { drop(service.handle(cancellation).await) })
    });
    let is_json = is_json(&parts.headers);
    parts.extensions.insert(SentMessage(bytes.clone()));
    let request = Request::from_parts(parts, Body::from(bytes.clone()));
    let mut response = app.service.handle(request).await.into_response();
    // What the library cannot read it calls a wrong type of content.
    if is_json
        && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE
        && let Err(error) = serde_json::from_slice::<ClientJsonRpcMessage>(&bytes)
    {
        let refusal = Refusal::of(&bytes, &error).into_message();
        let body = serde_json::to_vec(&refusal).unwrap_or_default();
        response = (StatusCode::BAD_REQUEST, [(header::CONTENT_TYPE, JSON)], body).into_response();
    }
    match waiting {
        Some(waiting) => waiting.watch(response),
        None => response,
    }
}

fn is_authorized(headers: &HeaderMap, token: &Token) -> bool {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let first = values.next();
    first.is_some_and(|value| token.is_in(value.as_bytes())) && values.next().is_none()
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(JSON.as_bytes()))
}

fn refuse(status: StatusCode, reason: &'static str) -> Response {
    (status, reason).into_response()
}
