//! What the protocol's library says went wrong, as an error of ours.

use rmcp::service::{ClientInitializeError, ServiceError};

use super::error::ClientErrorKind;
use super::http_server;

/// Whether a server that failed when it was asked one way may answer when it is asked another way.
pub(super) fn is_worth_another_try(kind: &ClientErrorKind) -> bool {
    matches!(
        kind,
        ClientErrorKind::Handshake { .. } | ClientErrorKind::Closed { .. } | ClientErrorKind::Refused { .. }
    )
}

pub(super) fn kind_of(error: ServiceError) -> ClientErrorKind {
    match error {
        ServiceError::McpError(error) => {
            ClientErrorKind::Refused { code: error.code.0.into(), message: error.message.into_owned() }
        }
        ServiceError::TransportClosed => ClientErrorKind::Closed { ending: None },
        ServiceError::TransportSend(error) => {
            let pipe = error.error.downcast_ref::<std::io::Error>();
            match pipe.map(std::io::Error::kind) {
                Some(std::io::ErrorKind::BrokenPipe) => ClientErrorKind::Closed { ending: None },
                _ => ClientErrorKind::unexpected(http_server::reason(&*error.error)),
            }
        }
        other => ClientErrorKind::unexpected(other),
    }
}

pub(super) fn beginning_kind(error: ClientInitializeError) -> ClientErrorKind {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            ClientErrorKind::Refused { code: error.code.0.into(), message: error.message.into_owned() }
        }
        ClientInitializeError::ConnectionClosed(_) => ClientErrorKind::Closed { ending: None },
        ClientInitializeError::TransportError { error, .. } => {
            let pipe = error.error.downcast_ref::<std::io::Error>();
            match pipe.map(std::io::Error::kind) {
                Some(std::io::ErrorKind::BrokenPipe) => ClientErrorKind::Closed { ending: None },
                _ => ClientErrorKind::Handshake { reason: http_server::reason(&*error.error) },
            }
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => beginning_kind(*fallback),
        other => ClientErrorKind::Handshake { reason: other.to_string() },
    }
}
