//! The methods that a request can have.

use std::fmt;
use std::str::FromStr;

/// A request method.
///
/// CONNECT is absent because it asks for a tunnel, not for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HttpMethod {
    /// Reads.
    Get,
    /// Reads the head of what GET would give.
    Head,
    /// Hands over a body to process.
    Post,
    /// Replaces.
    Put,
    /// Changes in part.
    Patch,
    /// Removes.
    Delete,
    /// Asks what is possible.
    Options,
    /// Asks for the request itself.
    Trace,
}

/// A text that is not a method of [`HttpMethod`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a request method: expected one of {}", text.escape_debug(), names())]
pub struct ParseMethodError {
    text: String,
}

impl HttpMethod {
    /// Every method.
    pub const ALL: [Self; 8] =
        [Self::Get, Self::Head, Self::Post, Self::Put, Self::Patch, Self::Delete, Self::Options, Self::Trace];

    /// The name as it travels.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
            Self::Trace => "TRACE",
        }
    }

    /// Whether sending a request twice has the same effect as sending it once.
    #[must_use]
    pub fn is_idempotent(self) -> bool {
        match self {
            Self::Get | Self::Head | Self::Put | Self::Delete | Self::Options | Self::Trace => true,
            Self::Post | Self::Patch => false,
        }
    }
}

impl From<HttpMethod> for reqwest::Method {
    fn from(method: HttpMethod) -> Self {
        match method {
            HttpMethod::Get => Self::GET,
            HttpMethod::Head => Self::HEAD,
            HttpMethod::Post => Self::POST,
            HttpMethod::Put => Self::PUT,
            HttpMethod::Patch => Self::PATCH,
            HttpMethod::Delete => Self::DELETE,
            HttpMethod::Options => Self::OPTIONS,
            HttpMethod::Trace => Self::TRACE,
        }
    }
}

impl fmt::Display for HttpMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for HttpMethod {
    type Err = ParseMethodError;

    /// Reads a name in any case, because people write `get` where only `GET` can be meant.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|method| method.as_str().eq_ignore_ascii_case(text));
        found.ok_or_else(|| ParseMethodError { text: text.to_owned() })
    }
}

fn names() -> String {
    HttpMethod::ALL.map(HttpMethod::as_str).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for method in HttpMethod::ALL {
            assert_eq!(method.to_string().to_lowercase().parse(), Ok(method));
        }
        for text in ["", "CONNECT", "GET ", "GET\r\nHost: evil"] {
            assert!(text.parse::<HttpMethod>().is_err(), "{text:?}");
        }
    }
}
