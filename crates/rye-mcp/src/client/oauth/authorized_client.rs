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

use super::super::http_post::{Failure, Post, RequestError};
use super::super::watched_output::MAX_MESSAGE;
use super::authorizer::Authorizer;
use super::error::OAuthError;
use super::secret_text::SecretText;

/// What sends the requests of a session.
#[derive(Debug, Clone)]
pub(in crate::client) struct AuthorizedClient {
    inner: reqwest::Client,
    authorizer: Option<Arc<Authorizer>>,
}

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
        F: Future<Output = Result<T, Failure>> + Send,
    {
        let Some(authorizer) = &self.authorizer else { return send(None).await };
        let refused = |failure: OAuthError| {
            authorizer.note(failure);
            Failure::Client(RequestError::NoToken)
        };
        let mut token = authorizer.token().await.map_err(refused)?;
        for _ in 0..TRIES {
            if let Some(token) = &token {
                authorizer.remember(token);
            }
            let outcome = send(token.as_ref().map(|token| token.expose().to_owned())).await;
            let other: Result<SecretText, OAuthError> = match outcome {
                Err(failure) if is_bare_refusal(&failure) => authorizer.renewed(token.as_ref(), "").await,
                Err(Failure::AuthRequired(asked)) => {
                    authorizer.renewed(token.as_ref(), &asked.www_authenticate_header).await
                }
                Err(Failure::InsufficientScope(asked)) => {
                    authorizer.stepped_up(token.as_ref(), &asked.www_authenticate_header).await
                }
                done => return done,
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
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.post_message_with_max_sse_event_size(uri, message, session, token, headers, MAX_MESSAGE).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        longest_event: usize,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let post = Post { uri, message, session, headers, longest_event };
        self.with_token(|token| post.send(&self.inner, token)).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        self.with_token(|token| {
            let parts = (uri.clone(), session.clone(), headers.clone());
            async move { self.inner.delete_session(parts.0, parts.1, token, parts.2).await.map_err(converted) }
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Events, Failure> {
        self.get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, MAX_MESSAGE).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        longest_event: usize,
    ) -> Result<Events, Failure> {
        self.with_token(|token| {
            let parts = (uri.clone(), session.clone(), last_event.clone(), headers.clone());
            async move {
                let opened = self.inner.get_stream_with_max_sse_event_size(
                    parts.0,
                    parts.1,
                    parts.2,
                    token,
                    parts.3,
                    longest_event,
                );
                opened.await.map_err(converted)
            }
        })
        .await
    }
}

/// Whether a server wants to know who somebody is, and does not say how.
fn is_bare_refusal(failure: &Failure) -> bool {
    let status = match failure {
        Failure::Client(RequestError::Status { status, .. }) => Some(*status),
        Failure::Client(RequestError::Http(error)) => error.status(),
        _ => None,
    };
    status == Some(StatusCode::UNAUTHORIZED)
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
