//! Web pages: which may call, and what has to be said so that their browser lets them.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{self, HeaderValue};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::StreamableHttpService;

use super::sessions::Sessions;
use crate::server::responder::Responder;

const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");
/// What clients of any version of the protocol send, beside what every page may.
const HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name",
);
/// What a page has to read in an answer.
const EXPOSED: HeaderValue = HeaderValue::from_static("mcp-session-id");
/// How many seconds a browser may remember that.
const REMEMBERED: HeaderValue = HeaderValue::from_static("600");
const ORIGIN: HeaderValue = HeaderValue::from_static("origin");

/// Where a request comes from.
pub(super) enum Origin {
    /// From no web page.
    Elsewhere,
    /// From a page that may call.
    Page(HeaderValue),
    /// From a page that may not.
    Foreign,
}

impl Origin {
    /// Finds out where a request comes from. The library decides who may call, so it is asked: what it answers to a method
    /// that it does not know tells whether host and origin are good.
    pub(super) async fn find<R: Responder>(
        service: &StreamableHttpService<R, Sessions>,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Self {
        let Some(origin) = headers.get(header::ORIGIN) else { return Self::Elsewhere };
        let mut question = Request::new(Body::empty());
        *question.method_mut() = Method::OPTIONS;
        *question.uri_mut() = uri.clone();
        for name in [header::HOST, header::ORIGIN] {
            let value = headers.get(&name).cloned();
            question.headers_mut().extend(value.map(|value| (name, value)));
        }
        match service.handle(question).await.status() {
            StatusCode::METHOD_NOT_ALLOWED => Self::Page(origin.clone()),
            _ => Self::Foreign,
        }
    }

    /// The answer to a browser that asks whether a page may call.
    pub(super) fn answer_preflight(&self) -> Response {
        if !matches!(self, Self::Page(_)) {
            return super::refuse(StatusCode::FORBIDDEN, "pages from there may not call");
        }
        let told = [
            (header::ACCESS_CONTROL_ALLOW_METHODS, METHODS),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS),
            (header::ACCESS_CONTROL_MAX_AGE, REMEMBERED),
        ];
        self.allow((StatusCode::NO_CONTENT, told).into_response())
    }

    /// Lets the page read an answer, if it is one that may call. Nobody else is told anything.
    pub(super) fn allow(&self, mut response: Response) -> Response {
        if let Self::Page(origin) = self {
            let headers = response.headers_mut();
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
            headers.append(header::VARY, ORIGIN);
        }
        response
    }
}

/// Whether a browser asks in the name of a page. It cannot send the token with that.
pub(super) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}
