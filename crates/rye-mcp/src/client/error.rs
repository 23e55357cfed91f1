//! What can go wrong with a server of somebody else.

use std::fmt::Display;
use std::time::Duration;

use lillux::http::TlsConfigError;
use lillux::process::{Ending, RunError};
use rmcp::model::ProtocolVersion;

use super::oauth::OAuthError;

/// A server that did not do what was asked of it.
#[derive(Debug, thiserror::Error)]
#[error("the MCP server `{server}` failed")]
pub struct ClientError {
    /// What the server is called.
    pub server: String,
    /// What happened.
    #[source]
    pub kind: Box<ClientErrorKind>,
    /// The end of what it wrote to its standard error.
    pub stderr: String,
    /// What it wrote to its standard output that is no message, if it did.
    pub noise: Option<String>,
}

/// What happened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientErrorKind {
    /// It cannot be started.
    #[error("it cannot be started")]
    Start(#[source] RunError),
    /// Its streams or our connection cannot be set up.
    #[error("cannot {doing}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// An encrypted connection cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsConfigError),
    /// The HTTP client cannot be made.
    #[error("cannot make an HTTP client: {reason}")]
    Http {
        /// What its library said.
        reason: String,
    },
    /// There is no token for it.
    #[error(transparent)]
    Authorization(#[from] OAuthError),
    /// It does not speak the protocol, or refuses to speak with us.
    #[error("no session came about: {reason}")]
    Handshake {
        /// What was said.
        reason: String,
    },
    /// It speaks a version of the protocol that we do not know.
    #[error("it wants to speak version `{version}` of the protocol, and we speak {}", known_versions())]
    Version {
        /// What it answered.
        version: String,
    },
    /// It ended the connection.
    #[error("it ended the connection{}", ending_in_words(*.ending))]
    Closed {
        /// How its program ended, if it is one and has.
        ending: Option<Ending>,
    },
    /// It answered with an error.
    #[error("it answered with the error {code}: {message}")]
    Refused {
        /// The number of the error.
        code: i64,
        /// What it said.
        message: String,
    },
    /// It answered something that is no answer to the question.
    #[error("it gave an answer that does not fit: {reason}")]
    Unexpected {
        /// Why not.
        reason: String,
    },
    /// It sent a message that is longer than is read.
    #[error("it sent a message of more than {limit} bytes")]
    TooLong {
        /// The most that is read.
        limit: usize,
    },
    /// It has no such tool.
    #[error("it has no tool `{name}`{}", similar_in_words(.similar))]
    NoSuchTool {
        /// What was asked for.
        name: String,
        /// What it has that looks like it.
        similar: Vec<String>,
    },
    /// It took too long.
    #[error("it did not answer within {} s", .limit.as_secs_f64())]
    TimedOut {
        /// The time it had.
        limit: Duration,
    },
    /// The call was cancelled.
    #[error("the call was cancelled")]
    Cancelled,
}

impl ClientErrorKind {
    /// An error of the operating system.
    pub(super) fn system(doing: &'static str) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::System { doing, source }
    }

    /// The same, with what the server said as `change` makes it.
    pub(super) fn with_words(self, change: impl Fn(String) -> String) -> Self {
        match self {
            Self::Handshake { reason } => Self::Handshake { reason: change(reason) },
            Self::Version { version } => Self::Version { version: change(version) },
            Self::Refused { code, message } => Self::Refused { code, message: change(message) },
            Self::Unexpected { reason } => Self::Unexpected { reason: change(reason) },
            other => other,
        }
    }

    pub(super) fn unexpected(reason: impl Display) -> Self {
        Self::Unexpected { reason: reason.to_string() }
    }
}

fn known_versions() -> String {
    let versions: Vec<_> = ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect();
    versions.join(", ")
}

fn ending_in_words(ending: Option<Ending>) -> String {
    match ending {
        Some(Ending::Exited { code }) => format!(", and its program exited with code {code}"),
        Some(Ending::Signaled { signal }) => format!(", and its program was ended by signal {signal}"),
        _ => String::new(),
    }
}

fn similar_in_words(similar: &[String]) -> String {
    match similar {
        [] => String::new(),
        some => {
            let names: Vec<_> = some.iter().map(|name| format!("`{name}`")).collect();
            format!("; it has {}", names.join(", "))
        }
    }
}
