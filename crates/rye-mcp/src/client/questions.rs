//! Servers that ask something of a person before they answer.

use std::collections::BTreeMap;

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ElicitationSchema, FormElicitationCapability, InputRequest, InputRequiredResult,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::error::ClientErrorKind;

/// A server that has been answered as often as this asks in vain.
pub(super) const ROUNDS: usize = 4;

/// What a server's questions are answered with: nobody is here who could be asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Questions {
    /// With a "no". The server is told from the beginning that it can ask nobody.
    #[default]
    Decline,
    /// With the values that the server itself proposes, as the operator has decided in the server's file. A question that
    /// has something without a proposal is declined.
    Defaults,
}

impl Questions {
    /// What a server is offered.
    pub(super) fn capabilities(self) -> ClientCapabilities {
        let mut offered = ClientCapabilities::default();
        if self == Self::Defaults {
            let form = FormElicitationCapability::default();
            offered.elicitation = Some(ElicitationCapability::new().with_form(form));
        }
        offered
    }

    /// The answer to one question.
    pub(super) fn answer(self, asked: &ElicitRequestParams) -> ElicitResult {
        let proposed = match (self, asked) {
            (Self::Defaults, ElicitRequestParams::FormElicitationParams { requested_schema, .. }) => {
                proposals(requested_schema)
            }
            _ => None,
        };
        match proposed {
            Some(values) => ElicitResult::new(ElicitationAction::Accept).with_content(values.into()),
            None => ElicitResult::new(ElicitationAction::Decline),
        }
    }

    /// The same call again, with an answer to each question. The server's state goes back as it came.
    pub(super) fn answered(
        self,
        mut call: CallToolRequestParams,
        asked: InputRequiredResult,
    ) -> Result<CallToolRequestParams, ClientErrorKind> {
        let mut answers = BTreeMap::new();
        for (name, question) in asked.input_requests.unwrap_or_default() {
            let InputRequest::Elicitation(question) = question else {
                return Err(ClientErrorKind::unexpected("it asks for something that nobody here can give"));
            };
            answers.insert(name, json!(self.answer(&question.params)));
        }
        call.input_responses = (!answers.is_empty()).then_some(answers);
        call.request_state = asked.request_state;
        Ok(call)
    }
}

/// The value that is proposed for each field, unless one that is needed has none.
fn proposals(schema: &ElicitationSchema) -> Option<Map<String, Value>> {
    let schema = serde_json::to_value(schema).ok()?;
    let fields = schema.get("properties").and_then(Value::as_object)?;
    let proposed = |(name, field): (&String, &Value)| Some((name.clone(), field.get("default")?.clone()));
    let values: Map<_, _> = fields.iter().filter_map(proposed).collect();
    let mut needed = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    needed.all(|name| name.as_str().is_some_and(|name| values.contains_key(name))).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(questions: Questions, schema: &Value, expect: &Value) {
        let asked = json!({ "mode": "form", "message": "which?", "requestedSchema": schema });
        let asked = serde_json::from_value(asked).unwrap();
        assert_eq!(json!(questions.answer(&asked)), *expect, "{questions:?} {schema}");
    }

    #[test]
    fn questions_are_answered_as_the_operator_has_decided() {
        let no = json!({ "action": "decline" });
        let proposed = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "default": "a" },
                "count": { "type": "integer", "default": 3 },
                "note": { "type": "string" },
            },
            "required": ["name"],
        });
        check(Questions::Decline, &proposed, &no);
        let yes = json!({ "action": "accept", "content": { "name": "a", "count": 3 } });
        check(Questions::Defaults, &proposed, &yes);
        let mut open = proposed;
        open["required"] = json!(["name", "note"]);
        check(Questions::Defaults, &open, &no);
    }
}
