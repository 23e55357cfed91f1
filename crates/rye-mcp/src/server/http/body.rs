//! The body of a request.

use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::StatusCode;
use tokio::time::timeout;

use super::LONGEST;

/// Reads a body within a while. Otherwise there is an answer for whoever sends it.
pub(super) async fn read_body(body: Body, patience: Duration) -> Result<Bytes, (StatusCode, &'static str)> {
    match timeout(patience, to_bytes(body, LONGEST)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err((StatusCode::PAYLOAD_TOO_LARGE, "the message is too long, or does not end")),
        Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "the message takes too long")),
    }
}
