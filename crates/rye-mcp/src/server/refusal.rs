//! What is answered to something that is no message, or comes at the wrong time.

use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use serde::Deserialize;
use serde::de::IgnoredAny;

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
        // Half of a character, say, is no text, but the rest can be read.
        let id = serde_json::from_slice(text).map_or(None, |Named { id }| id);
        if !error.is_data() {
            return Self { id, ..Self::not_json(error) };
        }
        let error = ErrorData::invalid_request(format!("this is not a message: {error}"), None);
        Self { error, id }
    }

    pub(super) fn not_json(error: &dyn std::error::Error) -> Self {
        Self { error: ErrorData::parse_error(format!("this is not JSON: {error}"), None), id: None }
    }

    /// For a text that is not kept, of which this is how it begins and how it ends.
    pub(super) fn too_long(longest: usize, head: &[u8], tail: &[u8]) -> Self {
        let message = format!("a message may have {longest} bytes");
        let id = id_at_the_beginning(head).or_else(|| id_at_the_end(tail));
        Self { error: ErrorData::invalid_request(message, None), id }
    }

    /// For a request that cannot be told from another one, which is not answered yet.
    pub(super) fn in_use(id: RequestId) -> Self {
        let message = format!(
            "the id {} is in use: another request has it, and is not answered yet",
            id.clone().into_json_value()
        );
        Self { error: ErrorData::invalid_request(message, None), id: Some(id) }
    }

    pub(super) fn reason(&self) -> &str {
        &self.error.message
    }

    pub(super) fn into_message(self) -> ServerJsonRpcMessage {
        ServerJsonRpcMessage::error(self.error, self.id)
    }
}

/// The name of a request, if it comes before what is too long.
fn id_at_the_beginning(head: &[u8]) -> Option<RequestId> {
    let mut rest = head.trim_ascii_start().strip_prefix(b"{")?;
    loop {
        let (name, after) = value::<String>(rest)?;
        rest = after.trim_ascii_start().strip_prefix(b":")?;
        if name == "id" {
            return value(rest).map(|(id, _)| id);
        }
        let (_, after) = value::<IgnoredAny>(rest)?;
        rest = after.trim_ascii_start().strip_prefix(b",")?;
    }
}

/// The name of a request, if it is the last of its members: what closes the message stands right behind it then.
fn id_at_the_end(tail: &[u8]) -> Option<RequestId> {
    const NAME: &[u8] = b"\"id\"";
    let members = tail.trim_ascii_end().strip_suffix(b"}")?;
    let at = members.windows(NAME.len()).rposition(|found| found == NAME)?;
    let id = members[at + NAME.len()..].trim_ascii_start().strip_prefix(b":")?;
    serde_json::from_slice(id).ok()
}

/// The value that a text begins with, and the rest.
fn value<'t, T: Deserialize<'t>>(text: &'t [u8]) -> Option<(T, &'t [u8])> {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter();
    let value = values.next()?.ok()?;
    Some((value, &text[values.byte_offset()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_is_too_long_has_a_name() {
        let check = |head: &str, tail: &str, expect: Option<RequestId>| {
            assert_eq!(Refusal::too_long(1, head.as_bytes(), tail.as_bytes()).id, expect, "{head} {tail}");
        };
        let number = Some(RequestId::Number(2));
        check(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"a":"xx"#, "xxx", number.clone());
        check(r#" { "id" : "a" , "par"#, "", Some(RequestId::String("a".into())));
        check(r#"{"method":"x","params":{"id":3,"a":"xx"#, r#"xx"}, "jsonrpc": "2.0", "id": 2 }"#, number);
        check(r#"{"method":"x","params":{"a":"xx"#, r#"xx","id":3}}"#, None);
        check(r#"{"method":"x","params":{"a":"xx"#, r#"xx \"id\":3"}"#, None);
        check("[1,", "2]", None);
        check("", "", None);
    }

    #[test]
    fn half_a_character_hides_no_name() {
        let text = br#"{"jsonrpc":"2.0","id":2,"method":"x","params":{"a":"x\ud800"}}"#;
        let error = serde_json::from_slice::<serde_json::Value>(text).unwrap_err();
        let refusal = Refusal::of(text, &error);
        assert_eq!((refusal.id, refusal.error.code.0), (Some(RequestId::Number(2)), -32700));
    }
}
