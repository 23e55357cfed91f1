//! What a plan does in the end.

use std::path::PathBuf;

use lillux::http::HttpMethod;
use serde_json::Value;

/// What is done in the end.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// A program runs.
    Process(ProcessPlan),
    /// A request is sent.
    Http(HttpPlan),
}

/// A program to run. Its environment is the plan's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessPlan {
    /// The program: a path, or a name that is looked up in `PATH`.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory.
    pub cwd: PathBuf,
    /// What it reads from its standard input.
    pub stdin: Vec<u8>,
}

/// A request to send.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpPlan {
    /// The method.
    pub method: HttpMethod,
    /// The address, with the query.
    pub url: String,
    /// The headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Option<HttpBody>,
    /// Which secrets go where.
    pub auth: Option<HttpAuth>,
    /// How often to try again what may be repeated.
    pub retries: u32,
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum HttpBody {
    /// A text, as it is.
    Text(String),
    /// Anything else, as JSON.
    Json(Value),
}

/// How a request shows who sends it. Secrets are named here and not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HttpAuth {
    /// A token.
    Bearer {
        /// The secret's name.
        secret: String,
    },
    /// A user and a password.
    Basic {
        /// The user.
        user: String,
        /// The name of the secret that is the password.
        secret: String,
    },
    /// A header of its own.
    Header {
        /// The header.
        name: String,
        /// The secret's name.
        secret: String,
    },
    /// A token that is asked for with another one.
    OAuth2 {
        /// Where it is asked for.
        token_url: String,
        /// Who asks.
        client_id: String,
        /// The name of the secret that proves it, if there is one.
        client_secret: Option<String>,
        /// The name of the secret that is the refresh token.
        refresh_token: String,
        /// What for.
        scope: Option<String>,
    },
}

impl HttpAuth {
    /// The secrets that it needs.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        let (one, other) = match self {
            Self::Bearer { secret } | Self::Basic { secret, .. } | Self::Header { secret, .. } => {
                (secret, None)
            }
            Self::OAuth2 { client_secret, refresh_token, .. } => (refresh_token, client_secret.as_ref()),
        };
        [Some(one), other].into_iter().flatten().map(String::as_str)
    }
}
