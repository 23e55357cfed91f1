//! Why nothing came of a plan.

use lillux::CaptureError;
use lillux::http::{HttpClientError, HttpError};
use lillux::process::RunError;

use crate::workers::ColdReason;

/// A plan that could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunnerError {
    /// The program could not be started.
    #[error(transparent)]
    Spawn(#[from] RunError),
    /// It was meant for a connection that is kept, there is none, and its files have not been compared.
    #[error("what would run has not been compared with what was verified")]
    NotCompared {
        /// Why there is none.
        reason: ColdReason,
    },
    /// There was no answer.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// No request can be sent from here.
    #[error(transparent)]
    Client(#[from] HttpClientError),
    /// The same for what was said over a connection.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// Output that was too long to be kept in memory cannot be kept at all.
    #[error("cannot keep the output in `{path}`")]
    Output {
        /// The folder or file.
        path: std::path::PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// No token came back for the refresh token.
    #[error("`{url}` gave no access token (status {status})")]
    NoToken {
        /// Where it was asked for.
        url: String,
        /// What the server said.
        status: u16,
    },
}
