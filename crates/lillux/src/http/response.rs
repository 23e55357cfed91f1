//! What came back.

use std::time::Duration;

use super::address::HttpUrl;
use super::headers::HttpHeaders;
use crate::capture::Capture;

/// An answer, whatever its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpOutcome {
    /// The status code.
    pub status: u16,
    /// Where the answer came from in the end.
    pub url: HttpUrl,
    /// The header fields of the answer.
    pub headers: HttpHeaders,
    /// The body, exactly as the server sent it.
    pub body: Capture,
    /// Whether that is the whole body.
    pub ending: HttpEnding,
    /// How often something was tried: 1, and 1 more for each retry.
    pub attempts: u32,
    /// The URLs that answered with a redirect, first to last.
    pub redirects: Vec<HttpUrl>,
    /// How long it took in all.
    pub duration: Duration,
}

/// How the reading of a body ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpEnding {
    /// The server sent all of it.
    Complete,
    /// It was longer than its limit, and the connection was closed.
    LimitExceeded,
}
