//! What a tool of a server answered.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// What a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The answer as data.
    pub data: Value,
    /// What the tool says went wrong, if it says so.
    pub failure: Option<String>,
}

impl From<CallToolResult> for Answer {
    fn from(result: CallToolResult) -> Self {
        let failure = (result.is_error == Some(true)).then(|| texts(&result.content));
        let data = match result.structured_content {
            Some(structured) => structured,
            None => data(result.content),
        };
        Self { data, failure }
    }
}

/// A text that is JSON is what it stands for, and any other text is itself. What is more than one text is a list of parts.
fn data(content: Vec<ContentBlock>) -> Value {
    match content.as_slice() {
        [] => Value::Null,
        [ContentBlock::Text(text)] => {
            let trimmed = text.text.trim_start();
            let value = trimmed.starts_with(['{', '[']).then(|| serde_json::from_str(trimmed).ok()).flatten();
            value.unwrap_or_else(|| Value::String(text.text.clone()))
        }
        // What has arrived as JSON can be written as JSON.
        _ => serde_json::to_value(content).unwrap_or_default(),
    }
}

fn texts(content: &[ContentBlock]) -> String {
    let texts = content.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    if text.is_empty() { "the tool says that it failed, and not why".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(result: Value, expect: Value, failure: Option<&str>) {
        let answer = Answer::from(serde_json::from_value::<CallToolResult>(result).unwrap());
        assert_eq!((answer.data, answer.failure.as_deref()), (expect, failure));
    }

    #[test]
    fn structured_content_goes_first() {
        check(
            json!({"content": [{"type": "text", "text": "x"}], "structuredContent": {"a": 1}}),
            json!({"a": 1}),
            None,
        );
    }

    #[test]
    fn a_text_is_data_if_it_is_json() {
        let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
        check(text("{\"a\": [1]}\n"), json!({"a": [1]}), None);
        check(text("{a}"), json!("{a}"), None);
        check(text("12"), json!("12"), None);
        check(json!({"content": []}), Value::Null, None);
    }

    #[test]
    fn several_parts_are_a_list() {
        let parts = json!([{"type": "text", "text": "a"}, {"type": "image", "data": "AA==", "mimeType": "image/png"}]);
        check(json!({"content": parts.clone()}), parts, None);
    }

    #[test]
    fn a_failure_has_the_text() {
        check(json!({"content": [{"type": "text", "text": "no"}], "isError": true}), json!("no"), Some("no"));
    }
}
