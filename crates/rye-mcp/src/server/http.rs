//! Messages over HTTP.

mod answers;
mod body;
mod connections;
mod origin;
mod refused;
mod sessions;

use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::answers::Answers;
use self::body::read_body;
use self::connections::{Guest, Limits};
use self::origin::{Origin, is_preflight};
use self::refused::{Caller, Reason};
use self::sessions::Sessions;
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
/// How long answers have to get out when the server ends. Processes have two seconds before they are killed.
const FAREWELL: Duration = Duration::from_secs(4);
const JSON: &str = "application/json";

#[derive(Clone)]
struct App<R: Responder> {
    service: StreamableHttpService<R, Sessions>,
    token: Token,
    abandoned: Abandoned,
    limits: Limits,
    answers: Answers,
}

/// Answers until the server closes, and then until the answers are out.
pub(super) async fn answer<R: Responder>(
    responder: R,
    listener: TcpListener,
    settings: &HttpSettings,
    token: Token,
) -> std::io::Result<()> {
    let closing = responder.closing().clone();
    let limits = Limits::of_process();
    let answers = Answers::default();
    let streams = CancellationToken::new();
    let service = service(responder, settings, streams.clone());
    let app = App { service, token, abandoned: Abandoned::default(), limits, answers: answers.clone() };
    let respond = move |request, guest| handle(app.clone(), request, guest);
    let serving = connections::serve(listener, limits, &closing, respond);
    let ending = async {
        closing.cancelled().await;
        // The streams end once calls have been answered, if only by that they were cancelled.
        let _ = tokio::time::timeout(FAREWELL, answers.are_out()).await;
        streams.cancel();
    };
    tokio::join!(serving, ending);
    Ok(())
}

/// The library's part. Its streams end with a token of their own.
fn service<R: Responder>(
    responder: R,
    settings: &HttpSettings,
    streams: CancellationToken,
) -> StreamableHttpService<R, Sessions> {
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
        .with_cancellation_token(streams);
    StreamableHttpService::new(move || Ok(responder.clone()), Sessions::shared(), config)
}

async fn handle<R: Responder>(app: App<R>, request: Request, guest: Guest) -> Response {
    let origin = Origin::find(&app.service, request.uri(), request.headers()).await;
    let caller = Caller::of(request.headers(), is_authorized(request.headers(), &app.token));
    if request.uri().path() == PATH && is_preflight(request.method(), request.headers()) {
        return caller.note(origin.answer_preflight());
    }
    origin.allow(caller.note(respond(app, request, guest).await))
}

async fn respond<R: Responder>(app: App<R>, request: Request, guest: Guest) -> Response {
    if request.uri().path() != PATH {
        return refuse(StatusCode::NOT_FOUND, "the server is at /mcp");
    }
    if !is_authorized(request.headers(), &app.token) {
        let mut response = refuse(StatusCode::UNAUTHORIZED, "a bearer token is needed");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
        return response;
    }
    guest.is_known();
    let (mut parts, body) = request.into_parts();
    let bytes = match read_body(body, app.limits.body).await {
        Ok(bytes) => bytes,
        Err((status, reason)) => return refuse(status, reason),
    };
    let answering = (parts.method == Method::POST).then(|| app.answers.begin());
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
        let refusal = Refusal::of(&bytes, &error);
        let reason = Reason(refusal.reason().to_owned());
        let body = serde_json::to_vec(&refusal.into_message()).unwrap_or_default();
        response = (StatusCode::BAD_REQUEST, [(header::CONTENT_TYPE, JSON)], body).into_response();
        response.extensions_mut().insert(reason);
    }
    if let Some(waiting) = waiting {
        response = waiting.watch(response);
    }
    match answering {
        Some(answering) => answering.go_with(response),
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
