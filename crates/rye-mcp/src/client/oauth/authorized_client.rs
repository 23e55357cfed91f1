//! HTTP requests to a server, with a token if it wants one.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use futures_core::stream::BoxStream;
use reqwest::StatusCode;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;

use super::authorizer::Authorizer;
use super::error::OAuthError;
use super::secret_text::SecretText;

/// What sends the requests of a session.
#[derive(Debug, Clone)]
pub(in crate::client) struct AuthorizedClient {
    inner: reqwest::Client,
    authorizer: Option<Arc<Authorizer>>,
}

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub(in crate::client) enum RequestError {
    #[error(transparent)]
    Http(reqwest::Error),
    /// There is no token; the authorizer says why.
    #[error("there is no token for it")]
    NoToken,
}

type Failure = StreamableHttpError<RequestError>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// For one request, so often another token is tried.
const TRIES: usize = 3;

impl AuthorizedClient {
    pub(in crate::client) fn new(inner: reqwest::Client, authorizer: Option<Arc<Authorizer>>) -> Self {
        Self { inner, authorizer }
    }

    /// Makes a request with the token that there is, and again with another one if the server wants that.
    async fn with_token<T, F>(&self, send: impl Fn(Option<String>) -> F + Send) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, StreamableHttpError<reqwest::Error>>> + Send,
    {
        let Some(authorizer) = &self.authorizer else { return send(None).await.map_err(converted) };
        let refused = |failure: OAuthError| {
            authorizer.note(failure);
            StreamableHttpError::Client(RequestError::NoToken)
        };
        let mut token = authorizer.token().await.map_err(refused)?;
        for _ in 0..TRIES {
            if let Some(token) = &token {
                authorizer.remember(token);
            }
            let outcome = send(token.as_ref().map(|token| token.expose().to_owned())).await;
            let other: Result<SecretText, OAuthError> = match outcome {
                Err(failure) if is_bare_refusal(&failure) => authorizer.renewed(token.as_ref(), "").await,
                Err(StreamableHttpError::AuthRequired(asked)) => {
                    authorizer.renewed(token.as_ref(), &asked.www_authenticate_header).await
                }
                Err(StreamableHttpError::InsufficientScope(asked)) => {
                    authorizer.stepped_up(token.as_ref(), &asked.www_authenticate_header).await
                }
                done => return done.map_err(converted),
            };
            token = Some(other.map_err(refused)?);
        }
        Err(refused(OAuthError::Rejected))
    }
}

impl StreamableHttpClient for AuthorizedClient {
    type Error = RequestError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.with_token(|token| {
            let parts = (uri.clone(), message.clone(), session_id.clone(), headers.clone());
            async move { self.inner.post_message(parts.0, parts.1, parts.2, token, parts.3).await }
        })
        .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        limit: usize,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.with_token(|token| {
            let parts = (uri.clone(), message.clone(), session_id.clone(), headers.clone());
            async move {
                let sent = self
                    .inner
                    .post_message_with_max_sse_event_size(parts.0, parts.1, parts.2, token, parts.3, limit);
                sent.await
            }
        })
        .await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        self.with_token(|token| {
            let parts = (uri.clone(), session_id.clone(), headers.clone());
            async move { self.inner.delete_session(parts.0, parts.1, token, parts.2).await }
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Events, Failure> {
        self.with_token(|token| {
            let parts = (uri.clone(), session_id.clone(), last_event_id.clone(), headers.clone());
            async move { self.inner.get_stream(parts.0, parts.1, parts.2, token, parts.3).await }
        })
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        limit: usize,
    ) -> Result<Events, Failure> {
        self.with_token(|token| {
            let parts = (uri.clone(), session_id.clone(), last_event_id.clone(), headers.clone());
            async move {
                let opened = self
                    .inner
                    .get_stream_with_max_sse_event_size(parts.0, parts.1, parts.2, token, parts.3, limit);
                opened.await
            }
        })
        .await
    }
}

/// Whether a server wants to know who somebody is, and does not say how.
fn is_bare_refusal(failure: &StreamableHttpError<reqwest::Error>) -> bool {
    match failure {
        // The library has only words for it.
        StreamableHttpError::UnexpectedServerResponse(text) => text.starts_with("HTTP 401 "),
        StreamableHttpError::Client(error) => error.status() == Some(StatusCode::UNAUTHORIZED),
        _ => false,
    }
}

/// The same failure, with our own error where the library has that of its HTTP client.
fn converted(failure: StreamableHttpError<reqwest::Error>) -> Failure {
    use StreamableHttpError as E;
    match failure {
        E::Client(error) => E::Client(RequestError::Http(error)),
        E::Sse(error) => E::Sse(error),
        E::Io(error) => E::Io(error),
        E::HttpStatus(error) => E::HttpStatus(error),
        E::UnexpectedEndOfStream => E::UnexpectedEndOfStream,
        E::UnexpectedServerResponse(text) => E::UnexpectedServerResponse(text),
        E::UnexpectedContentType(kind) => E::UnexpectedContentType(kind),
        E::ServerDoesNotSupportSse => E::ServerDoesNotSupportSse,
        E::ServerDoesNotSupportDeleteSession => E::ServerDoesNotSupportDeleteSession,
        E::TokioJoinError(error) => E::TokioJoinError(error),
        E::Deserialize(error) => E::Deserialize(error),
        E::TransportChannelClosed => E::TransportChannelClosed,
        E::MissingSessionIdInResponse => E::MissingSessionIdInResponse,
        E::AuthRequired(error) => E::AuthRequired(error),
        E::InsufficientScope(error) => E::InsufficientScope(error),
        E::ReservedHeaderConflict(name) => E::ReservedHeaderConflict(name),
        E::SessionExpired => E::SessionExpired,
        E::SessionRecoveryTimeout => E::SessionRecoveryTimeout,
        E::ReinitializationFailed(error) => E::ReinitializationFailed(error),
        E::ControlRequestTimeout => E::ControlRequestTimeout,
        other => E::UnexpectedServerResponse(other.to_string().into()),
    }
}
