//! What is said about requests that are refused. Who has no token cannot fill the log: that is said to those who want to know
//! about each call.

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;

/// Who has sent a request, as far as the log may know.
pub(super) struct Caller {
    has_token: bool,
    host: Option<HeaderValue>,
    origin: Option<HeaderValue>,
}

/// Why an answer is a refusal, if its status does not say enough.
#[derive(Clone)]
pub(super) struct Reason(pub(super) String);

impl Caller {
    pub(super) fn of(headers: &HeaderMap, has_token: bool) -> Self {
        let value = |name: HeaderName| headers.get(name).cloned();
        Self { has_token, host: value(header::HOST), origin: value(header::ORIGIN) }
    }

    /// Says that an answer is a refusal, if it is one.
    pub(super) fn note(&self, response: Response) -> Response {
        let status = response.status();
        if status.is_client_error() {
            match (status, response.extensions().get::<Reason>()) {
                (_, Some(Reason(reason))) => self.say(reason),
                (StatusCode::UNAUTHORIZED, _) => self.say("it has not got the token"),
                (StatusCode::FORBIDDEN, _) => self.say("its host or origin may not call"),
                (StatusCode::PAYLOAD_TOO_LARGE, _) => self.say("its message is too long, or does not end"),
                (StatusCode::REQUEST_TIMEOUT, _) => self.say("its message takes too long"),
                _ => self.say(status.canonical_reason().unwrap_or_default()),
            }
        }
        response
    }

    fn say(&self, reason: &str) {
        let (host, origin) = (shown(self.host.as_ref()), shown(self.origin.as_ref()));
        if self.has_token {
            tracing::warn!("a request was refused: {reason} (host {host}, origin {origin})");
        } else {
            tracing::debug!("a request was refused: {reason} (host {host}, origin {origin})");
        }
    }
}

/// A value as it can stand in a line.
fn shown(value: Option<&HeaderValue>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| format!("{value:?}"))
}
