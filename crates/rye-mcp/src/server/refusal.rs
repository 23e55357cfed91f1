//! What is answered to something that is no message.

use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use serde::Deserialize;

/// Why a message is refused, and which request it would have been.
pub(super) struct Refusal {
    error: ErrorData,
    id: Option<RequestId>,
}

/// What has a name, whatever else is wrong with it. Whoever sent it waits for an answer by that name.
#[derive(Deserialize)]
struct Named {
    id: Option<RequestId>,
}

impl Refusal {
    /// For a text that cannot be read as a message.
    pub(super) fn of(text: &[u8], error: &serde_json::Error) -> Self {
        if !error.is_data() {
            return Self::not_json(error);
        }
        let id = serde_json::from_slice(text).map_or(None, |Named { id }| id);
        let error = ErrorData::invalid_request(format!("this is not a message: {error}"), None);
        Self { error, id }
    }

    pub(super) fn not_json(error: &dyn std::error::Error) -> Self {
        Self { error: ErrorData::parse_error(format!("this is not JSON: {error}"), None), id: None }
    }

    pub(super) fn too_long(longest: usize) -> Self {
        let message = format!("a message may have {longest} bytes");
        Self { error: ErrorData::invalid_request(message, None), id: None }
    }

    pub(super) fn reason(&self) -> &str {
        &self.error.message
    }

    pub(super) fn into_message(self) -> ServerJsonRpcMessage {
        ServerJsonRpcMessage::error(self.error, self.id)
    }
}
