//! Servers that ask something before they answer.

use std::collections::BTreeMap;

use rmcp::model::{CallToolRequestParams, InputRequest, InputRequiredResult};
use serde_json::json;

use super::error::ClientErrorKind;

/// A server that has been declined as often as this asks in vain.
pub(super) const ROUNDS: usize = 4;

/// The same call again, with a "no" to each question for a person: nobody is here who could be asked, and a server can go on
/// without an answer. Its state goes back as it came.
pub(super) fn declined(
    mut call: CallToolRequestParams,
    asked: InputRequiredResult,
) -> Result<CallToolRequestParams, ClientErrorKind> {
    let questions = asked.input_requests.unwrap_or_default();
    if questions.values().any(|question| !matches!(question, InputRequest::Elicitation(_))) {
        return Err(ClientErrorKind::unexpected("it asks for something that nobody here can give"));
    }
    let answers = questions.into_keys().map(|name| (name, json!({ "action": "decline" })));
    let answers: BTreeMap<_, _> = answers.collect();
    call.input_responses = (!answers.is_empty()).then_some(answers);
    call.request_state = asked.request_state;
    Ok(call)
}
