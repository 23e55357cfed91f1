//! An answer in both of its forms: for programs and for whoever reads.

use std::fmt::{Display, Write as _};
use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, Resource};
use rye_run::journal::RunStatus;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// The most bytes of text in an answer. What is longer is shown in part, and can be read elsewhere.
pub(super) const BUDGET: usize = 24 * 1024;
/// How much of something too long is shown.
pub(super) const PREVIEW: usize = 4 * 1024;

/// Where it stands who answers for what ran.
const ATTESTATION: &str = "attestation";

/// An answer.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) structured: Map<String, Value>,
    /// Who answers for what ran, which is a part of that.
    pub(super) attestation: Option<Arc<RawValue>>,
    pub(super) text: String,
    pub(super) links: Vec<Resource>,
    pub(super) is_error: bool,
}

impl Reply {
    /// An answer that has nothing but a status.
    pub(super) fn new(status: &str) -> Self {
        let mut structured = Map::new();
        structured.insert("status".to_owned(), json!(status));
        Self { structured, attestation: None, text: String::new(), links: Vec::new(), is_error: false }
    }

    pub(super) fn put(&mut self, name: &str, value: Value) {
        self.structured.insert(name.to_owned(), value);
    }

    /// How the run ended that this is the answer of.
    pub(super) fn run_status(&self) -> RunStatus {
        match self.structured.get("error").and_then(|error| error["code"].as_str()) {
            None => RunStatus::Succeeded,
            Some("CANCELLED") => RunStatus::Cancelled,
            Some("TIMEOUT") => RunStatus::TimedOut,
            Some(_) => RunStatus::Failed,
        }
    }

    /// Puts what there is.
    pub(super) fn put_some(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(name, value.into());
        }
    }

    /// Says one more line of text.
    pub(super) fn say(&mut self, line: impl Display) {
        // Writing to a text cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    /// Says something beside the answer.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        let notes = self.structured.entry("notes").or_insert_with(|| json!([]));
        if let Value::Array(notes) = notes {
            notes.push(Value::String(note.into()));
        }
    }
}

/// The same as the result of a call, in the older form of the protocol, written without being copied.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReplyResult<'a> {
    content: Vec<Content<'a>>,
    structured_content: Structured<'a>,
    is_error: bool,
}

#[derive(Serialize)]
struct Structured<'a> {
    #[serde(flatten)]
    members: &'a Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attestation: Option<&'a RawValue>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text { r#type: &'static str, text: &'a str },
    Link(Box<ContentBlock>),
}

impl<'a> From<&'a Reply> for ReplyResult<'a> {
    fn from(reply: &'a Reply) -> Self {
        let links =
            reply.links.iter().cloned().map(ContentBlock::resource_link).map(Box::new).map(Content::Link);
        let content = std::iter::once(Content::Text { r#type: "text", text: &reply.text }).chain(links);
        Self {
            content: content.collect(),
            structured_content: Structured {
                members: &reply.structured,
                attestation: reply.attestation.as_deref(),
            },
            is_error: reply.is_error,
        }
    }
}

impl From<Reply> for CallToolResult {
    fn from(reply: Reply) -> Self {
        let mut content = vec![ContentBlock::text(reply.text)];
        content.extend(reply.links.into_iter().map(ContentBlock::resource_link));
        let mut result =
            if reply.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        let mut structured = reply.structured;
        if let Some(attestation) = reply.attestation {
            // It has been a value before, and can be one again.
            structured
                .insert(ATTESTATION.to_owned(), serde_json::from_str(attestation.get()).unwrap_or_default());
        }
        result.structured_content = Some(Value::Object(structured));
        result
    }
}

/// The beginning of a text, cut between two characters.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_what_the_library_makes_of_it() {
        let mut reply = Reply::new("error");
        reply.text = "a \u{e9} \"text\"\n".to_owned();
        reply.is_error = true;
        reply.attestation = Some(RawValue::from_string(r#"[{"id":"a"}]"#.to_owned()).unwrap().into());
        for links in [Vec::new(), vec![Resource::new("rye://output/x", "output").with_size(7)]] {
            reply.links = links;
            let mut result = rmcp::model::ServerResult::from(rmcp::model::CallToolResponse::from(
                CallToolResult::from(reply.clone()),
            ));
            result.strip_result_type_for_legacy_peer();
            let ours = serde_json::to_string(&ReplyResult::from(&reply)).unwrap();
            assert_eq!(ours, serde_json::to_string(&result).unwrap());
        }
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(beginning("aéb", 2), "a");
        assert_eq!(beginning("aéb", 3), "aé");
        assert_eq!(beginning("aéb", 99), "aéb");
    }
}
