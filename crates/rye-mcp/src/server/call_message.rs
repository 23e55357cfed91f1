//! A shorter way to read the messages that call a tool.
//!
//! The protocol's library learns what a message is by trying one kind after the other, and a call is the fourteenth. Since
//! most messages are calls, they are read as such; whatever is unusual about one is left to the library.

use rmcp::model::{
    CallToolRequest, CallToolRequestMethod, CallToolRequestParams, ClientJsonRpcMessage, JsonRpcVersion2_0,
    RequestId,
};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallMessage<'a> {
    #[serde(rename = "jsonrpc")]
    _version: JsonRpcVersion2_0,
    id: RequestId,
    #[serde(rename = "method")]
    _method: CallToolRequestMethod,
    #[serde(borrow)]
    params: &'a RawValue,
}

/// Reads a call of a tool, if the message is a plain one.
pub(super) fn read_call(text: &[u8]) -> Option<ClientJsonRpcMessage> {
    let CallMessage { id, params, .. } = serde_json::from_slice(text).ok()?;
    let mut params: CallToolRequestParams = serde_json::from_str(params.get()).ok()?;
    let meta = params.meta.take();
    let mut request = CallToolRequest::new(params);
    if let Some(meta) = meta {
        request.extensions.insert(meta);
    }
    Some(ClientJsonRpcMessage::request(request.into(), id))
}

#[cfg(test)]
mod tests {
    use rmcp::model::{GetExtensions as _, RequestMetaObject};
    use serde_json::Value;

    use super::*;

    /// What a request says, with what is kept beside it.
    fn told(message: &ClientJsonRpcMessage) -> (Value, Option<RequestMetaObject>) {
        let ClientJsonRpcMessage::Request(request) = message else { panic!("no request: {message:?}") };
        let meta = request.request.extensions().get::<RequestMetaObject>().cloned();
        (serde_json::to_value(message).unwrap(), meta)
    }

    #[test]
    fn calls_are_what_the_library_makes_of_them() {
        for params in [
            r#"{"name": "help"}"#,
            r#"{"name": "help", "arguments": {}}"#,
            r#"{"name": "help", "arguments": null, "_meta": null}"#,
            r#"{"_meta": {"progressToken": 7, "x": {"y": [1]}}, "name": "execute", "arguments": {"item_id": "a/b", "n": 1.5}}"#,
            r#"{"name": "h\u00e9", "arguments": {"a": "\ud83d\ude00"}, "unknown": 1}"#,
            r#"{"name": "execute", "requestState": "s", "inputResponses": {"k": {"action": "decline"}}}"#,
        ] {
            for id in ["1", r#""one""#] {
                let text = format!(
                    r#" {{"method": "tools/call", "params": {params}, "id": {id}, "jsonrpc": "2.0"}}
"#
                );
                let ours = read_call(text.as_bytes()).unwrap_or_else(|| panic!("not read: {text}"));
                let theirs: ClientJsonRpcMessage = serde_json::from_str(&text).unwrap();
                assert_eq!(told(&ours), told(&theirs), "{text}");
            }
        }
    }

    #[test]
    fn everything_else_is_left_to_the_library() {
        for text in [
            r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#,
            r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"name": "help"}}"#,
            r#"{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "help"}}"#,
            r#"{"jsonrpc": "1.0", "id": 1, "method": "tools/call", "params": {"name": "help"}}"#,
            r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "help"}, "result": {}}"#,
            r#"{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "tools/call", "params": {"name": "help"}}"#,
            r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "help", "name": "sign"}}"#,
            r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "help", "arguments": [1]}}"#,
            r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}"#,
            "[1]",
            "{",
        ] {
            assert!(read_call(text.as_bytes()).is_none(), "{text}");
        }
    }
}
