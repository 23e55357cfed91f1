//! What can go wrong with a login.

use std::fmt::Display;
use std::time::Duration;

use lillux::http::TlsConfigError;

use super::login::StoreError;

/// Why there is no token for a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OAuthError {
    /// Nobody has logged in, or nobody is logged in any more.
    #[error("{why}")]
    LoginNeeded {
        /// What there is instead of a login.
        why: &'static str,
    },
    /// Whoever logged in has allowed less than what is asked for.
    #[error("the login does not allow this; it needs {}", listed(scopes))]
    ScopeNeeded {
        /// What has to be allowed.
        scopes: Vec<String>,
    },
    /// An address that must not be spoken to in the clear, or that is none.
    #[error("`{address}` is no address that a login may use: it has to begin with `https://`")]
    Insecure {
        /// The address.
        address: String,
    },
    /// Something cannot be reached.
    #[error("cannot reach `{address}`: {reason}")]
    Unreachable {
        /// What.
        address: String,
        /// Why not.
        reason: String,
    },
    /// An encrypted connection cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsConfigError),
    /// Somebody answers something else than what was asked.
    #[error("`{address}` gave an answer that does not fit: {reason}")]
    Malformed {
        /// Who.
        address: String,
        /// What is wrong.
        reason: String,
    },
    /// Nobody says where to log in.
    #[error("`{server}` does not say who logs people in")]
    NoMetadata {
        /// The server, or who is said to log people in.
        server: String,
    },
    /// A server speaks for another one.
    #[error("`{server}` says that it is `{resource}`, which is not where it is reached")]
    OtherResource {
        /// Where it is reached.
        server: String,
        /// What it says.
        resource: String,
    },
    /// Somebody speaks for somebody else.
    #[error("an answer is from `{found}`, and the login is at `{expected}`")]
    OtherIssuer {
        /// Who logs people in.
        expected: String,
        /// Who answers.
        found: String,
    },
    /// An answer does not say who it is from.
    #[error("`{issuer}` promises to name itself in its answer, and has not")]
    NoIssuer {
        /// Who logs people in.
        issuer: String,
    },
    /// Codes could be stolen.
    #[error("`{issuer}` does not protect its codes by PKCE with S256")]
    NoPkce {
        /// Who logs people in.
        issuer: String,
    },
    /// Nobody knows us.
    #[error("`{issuer}` does not register clients by itself")]
    NoRegistration {
        /// Who logs people in.
        issuer: String,
    },
    /// The operator's client is known to somebody else.
    #[error("the server now logs people in at `{found}`, and the client is registered at `{expected}`")]
    Moved {
        /// Where the client is registered.
        expected: String,
        /// Who logs people in.
        found: String,
    },
    /// An answer belongs to another login.
    #[error("the answer belongs to another login: its state is not ours")]
    OtherState,
    /// The person, or who logs people in, said no.
    #[error("the login was refused: {said}")]
    Denied {
        /// What was said.
        said: String,
    },
    /// No token is given.
    #[error("`{address}` gives no token: {said}")]
    NoToken {
        /// Who.
        address: String,
        /// What was said.
        said: String,
    },
    /// A server does not take a token that was made for it just now.
    #[error("the server does not accept the token that it was given")]
    Rejected,
    /// Nobody came back.
    #[error("nobody has logged in within {} s", .limit.as_secs_f64())]
    TimedOut {
        /// How long was waited.
        limit: Duration,
    },
    /// It was cancelled.
    #[error("the login was cancelled")]
    Cancelled,
    /// The machine refuses.
    #[error("cannot {doing}")]
    System {
        /// What.
        doing: &'static str,
        /// What it says.
        #[source]
        source: std::io::Error,
    },
    /// The login cannot be kept, or had.
    #[error("the login cannot be kept or read")]
    Store(#[source] StoreError),
}

impl OAuthError {
    /// Whether a person has to log in, again or with more scopes.
    #[must_use]
    pub fn needs_login(&self) -> bool {
        matches!(self, Self::LoginNeeded { .. } | Self::ScopeNeeded { .. } | Self::Rejected)
    }

    pub(super) fn malformed(address: impl Into<String>, reason: impl Display) -> Self {
        Self::Malformed { address: address.into(), reason: format!("{reason}") }
    }
}

fn listed(scopes: &[String]) -> String {
    if scopes.is_empty() {
        return "more than that, and the server does not say what".to_owned();
    }
    scopes.iter().map(|scope| format!("`{scope}`")).collect::<Vec<_>>().join(", ")
}
