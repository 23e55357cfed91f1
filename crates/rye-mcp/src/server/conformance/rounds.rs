//! Calls that are answered with questions first, and come again with the answers.

use lillux::Digest;
use rmcp::model::{ClientCapabilities, ErrorData, InputRequests, InputRequiredResult, InputResponses};
use serde_json::{Map, Value, json};

/// What follows.
pub(super) enum Round {
    /// The client has to ask, and to call again.
    Ask(InputRequiredResult),
    /// All is said.
    Done(String),
}

/// What follows after what a call brings with it. `rounds` says what is asked one after the other, and whether the call
/// has to bring our state back.
pub(super) fn next_round(
    rounds: &Value,
    responses: Option<&InputResponses>,
    state: Option<&str>,
    client: &ClientCapabilities,
) -> Result<Round, ErrorData> {
    let asks = rounds["asks"].as_array().unwrap();
    let answered = match state {
        Some(state) => number_of(state)
            .filter(|number| *number < asks.len())
            .ok_or_else(|| ErrorData::invalid_params("this state is none of ours", None))?,
        None => 0,
    };
    let is_complete = responses.is_some_and(|responses| {
        let mut names = asks[answered].as_object().unwrap().keys();
        names.all(|name| responses.get(name).is_some_and(Value::is_object))
    });
    let next = if is_complete { answered + 1 } else { answered };
    let Some(questions) = asks.get(next) else {
        return Ok(Round::Done(format!("state-ok, answered: {}", json!(responses))));
    };
    let possible = possible(questions, client)?;
    let state = (rounds["state"] == true).then(|| state_of(next));
    Ok(Round::Ask(InputRequiredResult::new(Some(possible), state)))
}

/// The questions that the client can ask. If there is none, the call cannot be answered.
fn possible(questions: &Value, client: &ClientCapabilities) -> Result<InputRequests, ErrorData> {
    let can = json!(client);
    let (mut possible, mut missing) = (Map::new(), Map::new());
    for (name, question) in questions.as_object().unwrap() {
        let capability = match question["method"].as_str() {
            Some("elicitation/create") => "elicitation",
            Some("sampling/createMessage") => "sampling",
            _ => "roots",
        };
        if can.get(capability).is_some() {
            possible.insert(name.clone(), question.clone());
        } else {
            missing.insert(capability.to_owned(), json!({}));
        }
    }
    if possible.is_empty() {
        let missing = serde_json::from_value(Value::Object(missing)).unwrap();
        return Err(ErrorData::missing_required_client_capability(missing));
    }
    Ok(serde_json::from_value(Value::Object(possible)).unwrap())
}

/// What a client brings back to say which questions it answers.
fn state_of(number: usize) -> String {
    format!("{number}.{}", Digest::of(format!("a secret of this server, {number}").as_bytes()))
}

fn number_of(state: &str) -> Option<usize> {
    let number = state.split_once('.')?.0.parse().ok()?;
    (state_of(number) == state).then_some(number)
}
