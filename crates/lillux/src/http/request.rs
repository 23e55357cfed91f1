//! A request and everything that may happen on its way.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use super::address::{self, HttpUrl, UserInfo};
use super::error::{HttpError, HttpErrorKind};
use super::headers::{HttpHeaders, Secrecy};
use super::method::HttpMethod;
use super::redirect::Hop;
use super::retry::Retry;
use crate::capture::{Overflow, StreamLimit};

/// An HTTP request.
///
/// Unless told otherwise it takes at most 30 seconds, follows ten redirects, is sent once, and stops an answer
/// whose body is over 8 MiB.
#[derive(Clone)]
pub struct HttpRequest {
    method: HttpMethod,
    url: HttpUrl,
    user_info: Option<UserInfo>,
    headers: HttpHeaders,
    body: Bytes,
    rules: Rules,
}

/// What may happen to a request on its way.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub(super) timeout: Duration,
    pub(super) max_redirects: usize,
    pub(super) response_limit: StreamLimit,
    pub(super) retry: Retry,
}

impl HttpRequest {
    /// A request to `url`, whose user name and password become an `Authorization` header.
    ///
    /// # Errors
    /// If `url` is not an `http` or `https` URL.
    pub fn new(method: HttpMethod, url: &str) -> Result<Self, HttpError> {
        let (url, user_info) = address::parse(url).map_err(|source| {
            HttpError::new(method, address::masked(url), HttpErrorKind::InvalidUrl { source })
        })?;
        let (headers, body) = (HttpHeaders::default(), Bytes::new());
        Ok(Self { method, url, user_info, headers, body, rules: Rules::default() })
    }

    /// Adds a header field; a name that is already there gets a second value.
    ///
    /// # Errors
    /// If the field could break out of its line, or says how the message is framed.
    pub fn header(self, name: &str, value: impl AsRef<[u8]>) -> Result<Self, HttpError> {
        self.with_header(name, value.as_ref(), Secrecy::Plain)
    }

    /// Adds a header field that no other origin and no debug output sees, as `Authorization` and `Cookie` never do.
    ///
    /// # Errors
    /// As for [`header`](Self::header).
    pub fn secret_header(self, name: &str, value: impl AsRef<[u8]>) -> Result<Self, HttpError> {
        self.with_header(name, value.as_ref(), Secrecy::Secret)
    }

    /// Sets the body.
    #[must_use]
    pub fn body(self, body: impl Into<Vec<u8>>) -> Self {
        Self { body: Bytes::from(body.into()), ..self }
    }

    /// Sets how long everything may take: redirects, retries and the body of the answer included.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.rules.timeout = timeout;
        self
    }

    /// Sets how many redirects are followed. With 0 a redirect is the outcome.
    #[must_use]
    pub fn max_redirects(mut self, max: usize) -> Self {
        self.rules.max_redirects = max;
        self
    }

    /// Sets how much of the answer's body is kept, and what becomes of the rest.
    #[must_use]
    pub fn response_limit(mut self, limit: StreamLimit) -> Self {
        self.rules.response_limit = limit;
        self
    }

    /// Sets when the request is tried again.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.rules.retry = retry;
        self
    }

    /// Where it goes.
    #[must_use]
    pub fn url(&self) -> &HttpUrl {
        &self.url
    }

    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    pub(super) fn first_hop(&self) -> Hop {
        Hop {
            method: self.method,
            url: self.url.clone(),
            user_info: self.user_info.clone(),
            headers: self.headers.clone(),
            body: self.body.clone(),
        }
    }

    pub(super) fn error(&self, kind: HttpErrorKind) -> HttpError {
        HttpError::new(self.method, self.url.to_string(), kind)
    }

    fn with_header(mut self, name: &str, value: &[u8], secrecy: Secrecy) -> Result<Self, HttpError> {
        match self.headers.append(name, value, secrecy) {
            Ok(()) => Ok(self),
            Err(source) => {
                let name = name.escape_debug().to_string();
                Err(self.error(HttpErrorKind::InvalidHeader { name, source }))
            }
        }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            max_redirects: 10,
            response_limit: StreamLimit { memory: 8 * 1024 * 1024, overflow: Overflow::Stop },
            retry: Retry::Never,
        }
    }
}

impl fmt::Debug for HttpRequest {
    /// Shows how long the body is, not what it says: bodies hold secrets, and may be huge.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("user_info", &self.user_info)
            .field("headers", &self.headers)
            .field("body_length", &self.body.len())
            .field("rules", &self.rules)
            .finish()
    }
}
