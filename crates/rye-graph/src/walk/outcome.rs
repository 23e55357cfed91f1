//! How an attempt ended, before it is decided what follows from it.

use super::{Failure, FailureKind, StepFailure, StepId};

/// Why an attempt did not end well.
#[derive(Debug)]
pub(super) struct Setback {
    pub(super) kind: FailureKind,
    pub(super) code: Option<String>,
    pub(super) message: String,
    /// Whether another attempt makes sense.
    pub(super) retryable: bool,
}

impl Setback {
    /// Something that would happen again in the same way.
    pub(super) fn lasting(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, code: None, message: message.into(), retryable: false }
    }

    pub(super) fn timeout() -> Self {
        Self { retryable: true, ..Self::lasting(FailureKind::Timeout, "it took too long") }
    }

    pub(super) fn interrupted() -> Self {
        Self::lasting(FailureKind::Interrupted, "nobody knows how the step ended")
    }

    /// The failure of a node.
    pub(super) fn into_failure(self, node: &str, step: Option<StepId>) -> Failure {
        let Self { kind, code, message, retryable: _ } = self;
        Failure { node: node.to_owned(), step, kind, code, message }
    }
}

impl From<StepFailure> for Setback {
    fn from(failure: StepFailure) -> Self {
        let StepFailure { code, message, retryable } = failure;
        Self { kind: FailureKind::Step, code: Some(code), message, retryable }
    }
}
