//! Messages of calls that go to a server without the protocol's library.
//!
//! The library takes a message for one of some twenty things, one after the other, passes it through three tasks, and wakes
//! itself up for each of them. Whoever calls a tool knows what the answer has to be.

use rmcp::model::{CallToolResult, ErrorData, NumberOrString, ProgressToken, RequestId};
use rmcp::service::ServiceError;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::error::ClientErrorKind;
use super::service_error::kind_of;

#[derive(Serialize)]
struct Request<'a> {
    jsonrpc: &'a str,
    id: i64,
    method: &'a str,
    params: Params<'a>,
}

#[derive(Serialize)]
struct Params<'a> {
    #[serde(rename = "_meta")]
    meta: Meta,
    name: &'a str,
    arguments: &'a Map<String, Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    progress_token: i64,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<IgnoredAny>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<ErrorData>,
}

/// The line that asks for a call, in the older form of the protocol.
pub(super) fn request_line(id: i64, tool: &str, arguments: &Map<String, Value>) -> Option<Vec<u8>> {
    let params = Params { meta: Meta { progress_token: id }, name: tool, arguments };
    let request = Request { jsonrpc: "2.0", id, method: "tools/call", params };
    let mut line = serde_json::to_vec(&request).ok()?;
    line.push(b'\n');
    Some(line)
}

/// What a call is called when the server tells how far it is.
pub(super) fn progress_token(id: i64) -> ProgressToken {
    ProgressToken(NumberOrString::Number(id))
}

/// What a call is called when it is given up.
pub(super) fn request_id(id: i64) -> RequestId {
    RequestId::Number(id)
}

/// Which request a line answers, if it is an answer. As the library does, servers are forgiven that make a text of the id.
pub(super) fn answered_id(line: &[u8]) -> Option<i64> {
    let response: Response<'_> = serde_json::from_slice(line).ok()?;
    let is_answer = response.method.is_none() && (response.result.is_some() || response.error.is_some());
    response.id.filter(|_| is_answer)?.get().trim_matches('"').parse().ok()
}

/// What a line answers.
pub(super) fn read_answer(line: &[u8]) -> Result<CallToolResult, ClientErrorKind> {
    let response: Response<'_> = serde_json::from_slice(line).map_err(ClientErrorKind::unexpected)?;
    if let Some(error) = response.error {
        return Err(kind_of(ServiceError::McpError(error)));
    }
    let result = response.result.map_or("null", RawValue::get);
    serde_json::from_str(result).map_err(|_| ClientErrorKind::unexpected("it is no result of a tool"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_request_is_a_line() {
        let arguments = json!({ "message": "a\nb" });
        let line = request_line(7, "echo", arguments.as_object().unwrap()).unwrap();
        let expect = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"progressToken":7},"name":"echo","arguments":{"message":"a\nb"}}}"#;
        assert_eq!(String::from_utf8(line).unwrap(), format!("{expect}\n"));
    }

    #[test]
    fn answers_are_told_from_everything_else() {
        let check = |line: &str, expect| assert_eq!(answered_id(line.as_bytes()), expect, "{line}");
        check(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, Some(7));
        check(r#"{"result":{"id":9},"jsonrpc":"2.0","id":"7"}"#, Some(7));
        check(r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}"#, Some(7));
        check(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#, None);
        check(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"id":7}}"#, None);
        check(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#, None);
        check("7", None);
        check("hello", None);
    }

    #[test]
    fn an_answer_is_a_result_or_an_error() {
        let result = read_answer(br#"{"id":7,"result":{"content":[{"type":"text","text":"x"}]}}"#).unwrap();
        assert_eq!(result.content.len(), 1);
        let error = read_answer(br#"{"id":7,"error":{"code":-32602,"message":"no"}}"#).unwrap_err();
        assert!(matches!(error, ClientErrorKind::Refused { code: -32602, .. }));
        let error = read_answer(br#"{"id":7,"result":{"tools":[]}}"#).unwrap_err();
        assert!(matches!(error, ClientErrorKind::Unexpected { .. }));
    }
}
