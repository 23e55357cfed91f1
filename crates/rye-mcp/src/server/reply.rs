//! An answer in both of its forms: for programs and for whoever reads.

use std::fmt::{Display, Write as _};

use rmcp::model::{CallToolResult, ContentBlock, Resource};
use rye_run::journal::RunStatus;
use serde_json::{Map, Value, json};

/// The most bytes of text in an answer. What is longer is shown in part, and can be read elsewhere.
pub(super) const BUDGET: usize = 24 * 1024;
/// How much of something too long is shown.
pub(super) const PREVIEW: usize = 4 * 1024;

/// An answer.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) structured: Map<String, Value>,
    pub(super) text: String,
    pub(super) links: Vec<Resource>,
    pub(super) is_error: bool,
}

impl Reply {
    /// An answer that has nothing but a status.
    pub(super) fn new(status: &str) -> Self {
        let mut structured = Map::new();
        structured.insert("status".to_owned(), json!(status));
        Self { structured, text: String::new(), links: Vec::new(), is_error: false }
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

impl From<Reply> for CallToolResult {
    fn from(reply: Reply) -> Self {
        let mut content = vec![ContentBlock::text(reply.text)];
        content.extend(reply.links.into_iter().map(ContentBlock::resource_link));
        let mut result =
            if reply.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        result.structured_content = Some(Value::Object(reply.structured));
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
    fn a_text_is_cut_between_characters() {
        assert_eq!(beginning("aéb", 2), "a");
        assert_eq!(beginning("aéb", 3), "aé");
        assert_eq!(beginning("aéb", 99), "aéb");
    }
}
