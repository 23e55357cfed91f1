//! Why there is no answer.

use std::io;
use std::time::Duration;

use super::address::{HttpUrl, InvalidUrl};
use super::headers::InvalidHeader;
use super::method::HttpMethod;
use super::redirect::{RedirectRefusal, RefusedRedirect};
use crate::capture::CaptureError;

/// A request that cannot be made or got no answer. It never shows a user name, a password or a header value.
#[derive(Debug, thiserror::Error)]
#[error("HTTP request `{method} {url}` failed")]
pub struct HttpError {
    method: HttpMethod,
    url: String,
    #[source]
    kind: HttpErrorKind,
}

/// What went wrong with a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpErrorKind {
    /// The URL cannot be requested.
    #[error("invalid URL")]
    InvalidUrl {
        /// What is wrong with it.
        source: InvalidUrl,
    },
    /// A header field cannot be sent.
    #[error("invalid header `{name}`")]
    InvalidHeader {
        /// The name of the field, with control characters escaped.
        name: String,
        /// What is wrong with it.
        source: InvalidHeader,
    },
    /// The client could not start its machinery.
    #[error("cannot start the HTTP client")]
    Start {
        /// Why not.
        source: io::Error,
    },
    /// The host has no address.
    #[error("cannot find the address of `{host}`")]
    Dns {
        /// The name that was looked up.
        host: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// No connection came about.
    #[error("cannot connect")]
    Connect {
        /// Why not.
        source: io::Error,
    },
    /// The encrypted connection failed, most often because the server's certificate is not accepted.
    #[error("cannot set up TLS")]
    Tls {
        /// What is wrong.
        source: rustls::Error,
    },
    /// The connection broke before there was an answer. Whether the server acted on the request is unknown.
    #[error("the connection ended without an answer")]
    NoResponse {
        /// How it broke.
        source: io::Error,
    },
    /// More redirects than the request allows.
    #[error("more than {limit} redirects")]
    TooManyRedirects {
        /// How many are allowed.
        limit: usize,
        /// The URLs that redirected, first to last.
        chain: Vec<HttpUrl>,
    },
    /// A redirect that is not followed.
    #[error("refused the redirect to `{location}`")]
    RefusedRedirect {
        /// Where it leads, without user name and password.
        location: String,
        /// Why it is refused.
        source: RedirectRefusal,
    },
    /// The request took longer than it may.
    #[error("no complete answer within {limit:?}")]
    Timeout {
        /// How long it may take.
        limit: Duration,
    },
    /// Somebody cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The connection broke in the middle of the body.
    #[error("the connection broke after {received} bytes of the body")]
    BodyRead {
        /// How many bytes had arrived.
        received: u64,
        /// How it broke.
        source: io::Error,
    },
    /// The body cannot be kept.
    #[error("cannot keep the body")]
    Spool {
        /// Why not.
        source: CaptureError,
    },
}

/// A client that cannot be made from its options.
#[derive(Debug, thiserror::Error)]
#[error("cannot set up an HTTP client")]
pub struct HttpClientError {
    #[source]
    kind: HttpClientErrorKind,
}

/// What is wrong with the options of a client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpClientErrorKind {
    /// The root certificates are not PEM.
    #[error("the root certificates are not valid PEM")]
    Pem(#[source] rustls::pki_types::pem::Error),
    /// There is PEM, but no certificate in it.
    #[error("no certificate among the root certificates")]
    NoCertificate,
    /// One of the certificates cannot be a root.
    #[error("root certificate {} is not valid", index + 1)]
    Certificate {
        /// Its place in the PEM text, from 0.
        index: usize,
        /// What is wrong with it.
        source: rustls::Error,
    },
}

impl HttpError {
    pub(super) fn new(method: HttpMethod, url: String, kind: HttpErrorKind) -> Self {
        Self { method, url, kind }
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &HttpErrorKind {
        &self.kind
    }

    /// The method of the request.
    #[must_use]
    pub fn method(&self) -> HttpMethod {
        self.method
    }

    /// The URL of the request, without user name and password.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl HttpClientError {
    /// What is wrong with the options.
    #[must_use]
    pub fn kind(&self) -> &HttpClientErrorKind {
        &self.kind
    }
}

impl From<HttpClientErrorKind> for HttpClientError {
    fn from(kind: HttpClientErrorKind) -> Self {
        Self { kind }
    }
}

impl From<RefusedRedirect> for HttpErrorKind {
    fn from(RefusedRedirect { location, reason }: RefusedRedirect) -> Self {
        Self::RefusedRedirect { location, source: reason }
    }
}

impl From<CaptureError> for HttpErrorKind {
    fn from(source: CaptureError) -> Self {
        Self::Spool { source }
    }
}
