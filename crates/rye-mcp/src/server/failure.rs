//! What went wrong with a call, as an agent sees it.

use std::io;

use rmcp::model::CallToolResult;
use rye_engine::{EngineError, ErrorCode, with_sources};
use rye_run::journal::ParseRunIdPrefixError;
use serde_json::{Map, Value, json};

use super::reply::Reply;

/// A call that could not be carried out.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) hint: Option<String>,
    pub(super) retryable: bool,
}

impl Failure {
    /// The arguments of the call are wrong.
    pub(super) fn arguments(message: impl Into<String>) -> Self {
        let hint = Some("look at the input schema of this tool".to_owned());
        Self { code: ErrorCode::ParamsInvalid.as_str(), message: message.into(), hint, retryable: false }
    }

    /// The operator has to agree, and has not.
    pub(super) fn no_consent(message: impl Into<String>, hint: impl Into<String>) -> Self {
        let code = ErrorCode::PermissionDenied.as_str();
        Self { code, message: message.into(), hint: Some(hint.into()), retryable: false }
    }

    /// The call was given up.
    pub(super) fn cancelled() -> Self {
        let message = "the call was cancelled".to_owned();
        Self { code: ErrorCode::Cancelled.as_str(), message, hint: None, retryable: true }
    }

    /// Something that cannot be: the call is lost, and everything else goes on.
    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self { code: "INTERNAL", message: message.into(), hint: None, retryable: false }
    }

    /// The failure as a part of a result.
    pub(super) fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("code".to_owned(), json!(self.code));
        object.insert("message".to_owned(), json!(self.message));
        if let Some(hint) = &self.hint {
            object.insert("hint".to_owned(), json!(hint));
        }
        object.insert("retryable".to_owned(), json!(self.retryable));
        Value::Object(object)
    }

    /// The failure in words.
    pub(super) fn to_text(&self) -> String {
        let hint = self.hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
        format!("error: {} [{}]{hint}", self.message, self.code)
    }
}

impl From<Failure> for Reply {
    fn from(failure: Failure) -> Self {
        let mut reply = Self::new("error");
        reply.put("error", failure.to_json());
        reply.text = failure.to_text();
        reply.is_error = true;
        reply
    }
}

impl From<Failure> for CallToolResult {
    fn from(failure: Failure) -> Self {
        Reply::from(failure).into()
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let code = error.code();
        let hint = match &error {
            EngineError::Plan(plan) if code == ErrorCode::ParamsInvalid => {
                Some(format!("call `load` with item_id `{}` to see its parameters", plan.item.id))
            }
            EngineError::NothingToStart { .. } => Some("leave out `async`".to_owned()),
            EngineError::Store(error) if error.already_exists() => Some(
                "call `load` with `overwrite` to replace it, to which the operator has to agree".to_owned(),
            ),
            EngineError::TopicNotFound { .. } => {
                Some("call `help` without a topic to see which there are".to_owned())
            }
            other => other.hint(),
        };
        Self { code: code.as_str(), message: with_sources(&error), hint, retryable: is_retryable(code) }
    }
}

impl From<ParseRunIdPrefixError> for Failure {
    fn from(error: ParseRunIdPrefixError) -> Self {
        Self::arguments(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::internal(error.to_string())
    }
}

/// Whether the same call may succeed later, with nothing changed.
pub(super) fn is_retryable(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::Timeout
            | ErrorCode::Cancelled
            | ErrorCode::SpawnFailed
            | ErrorCode::HttpFailed
            | ErrorCode::RecordsUnusable
    )
}
