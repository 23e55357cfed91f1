//! What the protocol's library says went wrong, as an error of ours.

use std::error::Error;
use std::io;

use rmcp::model::ErrorData;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::bounded_events;
use super::error::ClientErrorKind;
use super::http_post::RequestError;
use super::http_server;
use super::watched_output::MAX_MESSAGE;

/// Whether a server that failed when it was asked one way may answer when it is asked another way.
pub(super) fn is_worth_another_try(kind: &ClientErrorKind) -> bool {
    matches!(
        kind,
        ClientErrorKind::Handshake { .. }
            | ClientErrorKind::Version { .. }
            | ClientErrorKind::Closed { .. }
            | ClientErrorKind::Refused { .. }
    )
}

pub(super) fn kind_of(error: ServiceError) -> ClientErrorKind {
    match error {
        ServiceError::McpError(error) => refused(error),
        ServiceError::TransportClosed => ClientErrorKind::Closed { ending: None },
        ServiceError::TransportSend(error) => lost(&*error.error)
            .unwrap_or_else(|| ClientErrorKind::unexpected(http_server::reason(&*error.error))),
        other => ClientErrorKind::unexpected(other),
    }
}

pub(super) fn beginning_kind(error: ClientInitializeError) -> ClientErrorKind {
    match error {
        ClientInitializeError::JsonRpcError(error) => refused(error),
        ClientInitializeError::ConnectionClosed(_) => ClientErrorKind::Closed { ending: None },
        ClientInitializeError::TransportError { error, .. } => lost(&*error.error)
            .unwrap_or_else(|| ClientErrorKind::Handshake { reason: http_server::reason(&*error.error) }),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => beginning_kind(*fallback),
        other => ClientErrorKind::Handshake { reason: other.to_string() },
    }
}

fn refused(error: ErrorData) -> ClientErrorKind {
    if bounded_events::is_too_long(&error) {
        return ClientErrorKind::TooLong { limit: MAX_MESSAGE };
    }
    ClientErrorKind::Refused { code: error.code.0.into(), message: error.message.into_owned() }
}

/// Why a message could not be sent, or its reply not be read, if more is known about that than words.
fn lost(error: &(dyn Error + 'static)) -> Option<ClientErrorKind> {
    if let Some(StreamableHttpError::Client(RequestError::TooLong)) = error.downcast_ref() {
        return Some(ClientErrorKind::TooLong { limit: MAX_MESSAGE });
    }
    let pipe = error.downcast_ref::<io::Error>()?;
    (pipe.kind() == io::ErrorKind::BrokenPipe).then_some(ClientErrorKind::Closed { ending: None })
}
