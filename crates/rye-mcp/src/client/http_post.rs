//! A message that is sent by HTTP, and what the server replies.
//!
//! This is what the protocol's library does, but for one thing: however much a server sends, no more of it is read than a
//! message may have.

use std::collections::HashMap;
use std::sync::Arc;

use reqwest::header::{
    ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
    StreamableHttpPostResponse,
};

use super::bounded_events::bounded_events;
use super::watched_output::MAX_MESSAGE;

/// A message, and what is sent with it.
#[derive(Debug)]
pub(super) struct Post {
    pub(super) uri: Arc<str>,
    pub(super) message: ClientJsonRpcMessage,
    pub(super) session: Option<Arc<str>>,
    pub(super) headers: HashMap<HeaderName, HeaderValue>,
    /// The longest event that is read.
    pub(super) longest_event: usize,
}

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum RequestError {
    #[error(transparent)]
    Http(reqwest::Error),
    /// There is no token; the authorizer says why.
    #[error("there is no token for it")]
    NoToken,
    /// The server answered with a status that says no more than that it failed.
    #[error("HTTP {status}: {body}")]
    Status { status: StatusCode, body: String },
    /// The reply is longer than is read.
    #[error("the reply is too long")]
    TooLong,
}

/// A request that failed, in the library's terms.
pub(super) type Failure = StreamableHttpError<RequestError>;

/// What a reply has in it, as it says itself.
enum Content {
    Json,
    Events,
    Other(Option<String>),
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const EITHER: HeaderValue = HeaderValue::from_static("text/event-stream, application/json");
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// So much is read of what a server says about a failure.
const MAX_FAILURE: usize = 64 * 1024;
/// So much is shown of a reply that is no message.
const SHOWN: usize = 200;

impl Post {
    /// Sends the message. May be done again with another token.
    pub(super) async fn send(
        &self,
        client: &Client,
        token: Option<String>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.read(self.request(client, token).send().await.map_err(http)?).await
    }

    async fn read(&self, response: Response) -> Result<StreamableHttpPostResponse, Failure> {
        if let Some(challenge) = challenge(&response) {
            return Err(challenge);
        }
        match response.status() {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => Ok(StreamableHttpPostResponse::Accepted),
            StatusCode::NOT_FOUND if self.session.is_some() => Err(Failure::SessionExpired),
            status if status.is_success() => self.reply(response).await,
            status => self.failure(status, response).await,
        }
    }

    fn request(&self, client: &Client, token: Option<String>) -> RequestBuilder {
        let headers: HeaderMap =
            self.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut request = client.post(self.uri.as_ref()).headers(headers).header(ACCEPT, EITHER);
        if let Some(session) = &self.session {
            request = request.header(SESSION, session.as_ref());
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        request.json(&self.message)
    }

    /// The request that wants an answer, if the message is one.
    fn asked(&self) -> Option<&RequestId> {
        match &self.message {
            ClientJsonRpcMessage::Request(request) => Some(&request.id),
            _ => None,
        }
    }

    /// The question for the newest form of the protocol, if the message is that.
    fn discovery(&self) -> Option<&RequestId> {
        match &self.message {
            ClientJsonRpcMessage::Request(request)
                if matches!(request.request, ClientRequest::DiscoverRequest(_)) && self.session.is_none() =>
            {
                Some(&request.id)
            }
            _ => None,
        }
    }

    /// Reads what a server says that has done what it should.
    async fn reply(&self, response: Response) -> Result<StreamableHttpPostResponse, Failure> {
        // Some servers say in this way that they have nothing to say.
        if self.asked().is_none() && response.content_length() == Some(0) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let session = session_of(&response);
        match Content::of(&response) {
            Content::Json => self.json(response, session).await,
            Content::Events => {
                let events = bounded_events(response, self.longest_event, self.asked().cloned());
                Ok(StreamableHttpPostResponse::Sse(events, session))
            }
            Content::Other(kind) => Err(Failure::UnexpectedContentType(kind)),
        }
    }

    async fn json(
        &self,
        response: Response,
        session: Option<String>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let unusable = match whole(response).await {
            Ok(body) => match serde_json::from_slice(&body) {
                Ok(message) => return Ok(StreamableHttpPostResponse::Json(message, session)),
                Err(error) => no_message(&error, &body),
            },
            Err(failure) => failure,
        };
        match unusable {
            Failure::Client(RequestError::Http(_)) => Err(unusable),
            // Nobody has asked for what this could have been.
            _ if self.asked().is_none() => {
                tracing::warn!("a reply that nobody waits for is passed over: {unusable}");
                Ok(StreamableHttpPostResponse::Accepted)
            }
            _ => Err(unusable),
        }
    }

    /// Reads what a server says that has failed, or refuses.
    async fn failure(
        &self,
        status: StatusCode,
        response: Response,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let is_json = matches!(Content::of(&response), Content::Json);
        let overload = match overload(status, &response) {
            // Its words are not worth waiting for.
            Some(overload) if !is_json || status == StatusCode::TOO_MANY_REQUESTS => {
                return Err(overload.into());
            }
            overload => overload,
        };
        let session = session_of(&response);
        let body = beginning(response).await;
        let is_refusal = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        let error = match serde_json::from_str(&body) {
            Ok(ServerJsonRpcMessage::Error(error)) if !is_refusal => Some(error),
            _ => None,
        };
        if let Some(id) = self.discovery()
            && status.is_client_error()
            && !is_refusal
        {
            // Whoever does not know the question may not know its id either, and is asked in another way after this answer.
            let error = error.map(|error| error.error);
            let error =
                error.unwrap_or_else(|| ErrorData::invalid_request(format!("HTTP {status}: {body}"), None));
            let answer = ServerJsonRpcMessage::error(error, Some(id.clone()));
            return Ok(StreamableHttpPostResponse::Json(answer, None));
        }
        match (error, overload) {
            (Some(error), _) if is_json => {
                Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), session))
            }
            (_, Some(overload)) => Err(overload.into()),
            (_, None) => Err(Failure::Client(RequestError::Status { status, body })),
        }
    }
}

impl Content {
    fn of(response: &Response) -> Self {
        match response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes) {
            Some(kind) if kind.starts_with(JSON.as_bytes()) => Self::Json,
            Some(kind) if kind.starts_with(EVENTS.as_bytes()) => Self::Events,
            kind => Self::Other(kind.map(|kind| String::from_utf8_lossy(kind).into_owned())),
        }
    }
}

/// What a server wants to know about who sends the message, if it does and says how.
fn challenge(response: &Response) -> Option<Failure> {
    let header = response.headers().get(WWW_AUTHENTICATE)?;
    let failure: fn(String) -> Failure = match response.status() {
        StatusCode::UNAUTHORIZED => |header| Failure::AuthRequired(AuthRequiredError::new(header)),
        // The scope stands in the header, and that is where the authorizer looks for it.
        StatusCode::FORBIDDEN => {
            |header| Failure::InsufficientScope(InsufficientScopeError::new(header, None))
        }
        _ => return None,
    };
    Some(match header.to_str() {
        Ok(header) => failure(header.to_owned()),
        Err(_) => Failure::UnexpectedServerResponse("its challenge cannot be read".into()),
    })
}

/// What a server says that can do no more at the moment, or nothing at all.
fn overload(status: StatusCode, response: &Response) -> Option<HttpStatusError> {
    let is_overload = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    let retry_after = response.headers().get(RETRY_AFTER).map(HeaderValue::as_bytes);
    let retry_after = retry_after.and_then(|value| str::from_utf8(value).ok()).map(str::to_owned);
    is_overload.then(|| HttpStatusError::new(status.as_u16(), retry_after))
}

fn session_of(response: &Response) -> Option<String> {
    response.headers().get(SESSION)?.to_str().ok().map(str::to_owned)
}

/// Reads a reply that is a message. A connection on which too much comes is dropped.
async fn whole(mut response: Response) -> Result<Vec<u8>, Failure> {
    let too_long = || Failure::Client(RequestError::TooLong);
    if response.content_length().is_some_and(|length| length > MAX_MESSAGE as u64) {
        return Err(too_long());
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(http)? {
        if body.len() + chunk.len() > MAX_MESSAGE {
            return Err(too_long());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Reads as much as is wanted of what a server says about a failure. If it breaks off, that is all.
async fn beginning(mut response: Response) -> String {
    let mut body = Vec::new();
    while body.len() < MAX_FAILURE
        && let Ok(Some(chunk)) = response.chunk().await
    {
        body.extend_from_slice(&chunk);
    }
    body.truncate(MAX_FAILURE);
    String::from_utf8_lossy(&body).into_owned()
}

fn no_message(error: &serde_json::Error, body: &[u8]) -> Failure {
    let start = String::from_utf8_lossy(&body[..body.len().min(SHOWN)]);
    Failure::UnexpectedServerResponse(format!("it is no message: {error}: {start}").into())
}

fn http(error: reqwest::Error) -> Failure {
    Failure::Client(RequestError::Http(error))
}

#[cfg(test)]
mod tests {
    use axum::http;
    use rmcp::model::ErrorCode;
    use serde_json::json;

    use super::*;

    /// What becomes of a reply: its status, a header, its body.
    type Reply = (u16, &'static str, &'static str, &'static str);

    const ANSWER: &str = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
    const ERROR: &str = r#"{"jsonrpc":"2.0","id":"other","error":{"code":-32001,"message":"no"}}"#;

    async fn outcome(message: &serde_json::Value, session: Option<&str>, reply: Reply) -> String {
        let (status, name, value, body) = reply;
        let response = http::Response::builder().status(status).header(name, value).body(body).unwrap();
        let post = Post {
            uri: "http://localhost/".into(),
            message: serde_json::from_value(message.clone()).unwrap(),
            session: session.map(Into::into),
            headers: HashMap::new(),
            longest_event: MAX_MESSAGE,
        };
        match post.read(response.into()).await {
            Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), _)) => {
                format!("error {} {}", serde_json::to_value(error.id).unwrap(), error.error.code.0)
            }
            Ok(StreamableHttpPostResponse::Json(..)) => "answer".to_owned(),
            Ok(StreamableHttpPostResponse::Sse(..)) => "events".to_owned(),
            Ok(_) => "accepted".to_owned(),
            Err(Failure::HttpStatus(error)) => format!("overload {} {:?}", error.status, error.retry_after),
            Err(Failure::Client(error)) => error.to_string(),
            Err(failure) => failure.to_string(),
        }
    }

    #[tokio::test]
    async fn replies_to_a_request() {
        let request = json!({ "jsonrpc": "2.0", "id": 7, "method": "ping" });
        let kind = "content-type";
        for (reply, expect) in [
            ((200, kind, "application/json; charset=utf-8", ANSWER), "answer"),
            ((200, kind, "text/event-stream", ""), "events"),
            ((200, kind, "text/html", "<p>"), r#"Unexpected content type: Some("text/html")"#),
            ((200, "x-other", "1", ""), "Unexpected content type: None"),
            ((202, kind, "text/html", ""), "accepted"),
            ((204, "x-other", "1", ""), "accepted"),
            ((307, "location", "http://localhost/", ""), "HTTP 307 Temporary Redirect: "),
            ((400, kind, "application/json", ERROR), r#"error "other" -32001"#),
            ((400, kind, "application/json", ANSWER), &format!("HTTP 400 Bad Request: {ANSWER}")),
            ((400, kind, "text/plain", ERROR), &format!("HTTP 400 Bad Request: {ERROR}")),
            ((401, kind, "application/json", ERROR), &format!("HTTP 401 Unauthorized: {ERROR}")),
            ((401, "www-authenticate", "Bearer", ""), "Auth required"),
            ((403, kind, "application/json", "{}"), "HTTP 403 Forbidden: {}"),
            ((403, "www-authenticate", "Bearer", ""), "Insufficient scope"),
            ((404, kind, "text/plain", "what?"), "HTTP 404 Not Found: what?"),
            ((429, "retry-after", "5", "later"), r#"overload 429 Some("5")"#),
            ((429, kind, "application/json", ERROR), "overload 429 None"),
            ((500, kind, "application/json", ERROR), r#"error "other" -32001"#),
            ((500, kind, "application/json", "{}"), "overload 500 None"),
            ((503, "retry-after", "soon", ERROR), r#"overload 503 Some("soon")"#),
        ] {
            assert_eq!(outcome(&request, None, reply).await, expect, "{reply:?}");
        }
        let unreadable = outcome(&request, None, (200, kind, "application/json", "{}")).await;
        assert!(unreadable.contains("it is no message: ") && unreadable.ends_with(": {}"), "{unreadable}");
        let expired = outcome(&request, Some("1"), (404, kind, "application/json", ERROR)).await;
        assert_eq!(expired, "Session expired (HTTP 404)");
    }

    #[tokio::test]
    async fn replies_to_what_is_no_request() {
        let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        for (reply, expect) in [
            ((200, "x-other", "1", ""), "accepted"),
            ((200, "content-type", "application/json", "{}"), "accepted"),
            ((200, "content-type", "application/json", ERROR), r#"error "other" -32001"#),
            ((200, "content-type", "text/html", "<p>"), r#"Unexpected content type: Some("text/html")"#),
            ((400, "content-type", "text/plain", "what?"), "HTTP 400 Bad Request: what?"),
        ] {
            assert_eq!(outcome(&notification, Some("1"), reply).await, expect, "{reply:?}");
        }
    }

    #[tokio::test]
    async fn a_question_for_the_newest_protocol_that_is_refused_is_answered() {
        let discovery = json!({ "jsonrpc": "2.0", "id": 7, "method": "server/discover", "params": {} });
        let invalid = format!("error 7 {}", ErrorCode::INVALID_REQUEST.0);
        let kind = "content-type";
        for (session, reply, expect) in [
            (None, (400, kind, "application/json", ERROR), "error 7 -32001"),
            (None, (404, kind, "text/plain", ERROR), "error 7 -32001"),
            (None, (405, kind, "text/plain", "what?"), &invalid),
            (None, (401, kind, "text/plain", "who?"), "HTTP 401 Unauthorized: who?"),
            (None, (500, kind, "text/plain", "oh"), "overload 500 None"),
            (Some("1"), (400, kind, "application/json", ERROR), r#"error "other" -32001"#),
        ] {
            assert_eq!(outcome(&discovery, session, reply).await, expect, "{reply:?}");
        }
    }
}
