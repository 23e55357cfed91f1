//! A plain call of `execute`, read in one go.
//!
//! It is read as text and nothing else: the parameters stay as they were sent. Whatever is unusual about a call is no reason to
//! refuse it here, but one to leave it to the protocol's library, which says what is wrong, or does what else is asked for.

use std::path::PathBuf;
use std::time::Duration;

use rmcp::model::{CallToolRequestMethod, JsonRpcVersion2_0, RequestId};
use rye_engine::ExecuteRequest;
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_plan::Parameters;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::arguments::tool;

/// A call that runs an item, waits for it, and wants nothing else.
#[derive(Debug)]
pub(super) struct ShortCall {
    pub(super) id: RequestId,
    pub(super) request: ExecuteRequest,
    pub(super) project: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message<'a> {
    #[serde(rename = "jsonrpc")]
    _version: JsonRpcVersion2_0,
    id: RequestId,
    #[serde(rename = "method")]
    _method: CallToolRequestMethod,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params<'a> {
    #[serde(rename = "name")]
    _name: Tool,
    #[serde(borrow)]
    arguments: Arguments<'a>,
    #[serde(rename = "_meta")]
    _meta: Option<Nothing>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Tool {
    Execute,
}

/// What is said beside a call that says nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments<'a> {
    #[serde(default = "tool")]
    item_type: ItemKind,
    item_id: String,
    #[serde(borrow)]
    parameters: Option<&'a RawValue>,
    project_path: Option<PathBuf>,
    timeout: Option<f64>,
}

impl ShortCall {
    /// Reads a call, if it is a plain one.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let Message { id, params: Params { arguments, .. }, .. } = serde_json::from_slice(text).ok()?;
        let item = ItemRef::new(arguments.item_type, ItemId::new(arguments.item_id).ok()?);
        let parameters = match arguments.parameters {
            Some(sent) => Parameters::parse(sent.get()).ok()?,
            None => Parameters::default(),
        };
        let timeout = match arguments.timeout {
            Some(seconds) => Some(Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero())?),
            None => None,
        };
        let request =
            ExecuteRequest { parameters, timeout, only_harmless: true, ..ExecuteRequest::new(item) };
        Some(Self { id, request, project: arguments.project_path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(params: &str) -> Option<ShortCall> {
        let text = format!(r#"{{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {params}}}"#);
        ShortCall::read(text.as_bytes())
    }

    #[test]
    fn plain_calls_are_read() {
        let call = read(
            r#"{"name": "execute", "_meta": {}, "arguments": {"item_id": "a/b", "parameters": {"n": 1.00}, "timeout": 2.5, "project_path": "/p"}}"#,
        );
        let ShortCall { id, request, project } = call.unwrap();
        assert_eq!(id, RequestId::Number(7));
        assert_eq!(request.item.to_string(), "tool:a/b");
        assert_eq!(request.parameters.to_json(), r#"{"n":1.00}"#);
        assert_eq!(request.timeout, Some(Duration::from_millis(2500)));
        assert_eq!(project, Some(PathBuf::from("/p")));
        assert!(request.only_harmless);
        let call = read(
            r#"{"arguments": {"item_type": "knowledge", "item_id": "a", "parameters": null}, "name": "execute"}"#,
        );
        assert_eq!(call.unwrap().request.item.to_string(), "knowledge:a");
    }

    #[test]
    fn everything_else_is_for_the_library() {
        for params in [
            r#"{"name": "help", "arguments": {"item_id": "a"}}"#,
            r#"{"name": "execute"}"#,
            r#"{"name": "execute", "arguments": {}}"#,
            r#"{"name": "execute", "arguments": {"item_id": "../a"}}"#,
            r#"{"name": "execute", "arguments": {"item_id": "a", "item_type": null}}"#,
            r#"{"name": "execute", "arguments": {"item_id": "a", "item_id": "b"}}"#,
            r#"{"name": "execute", "arguments": {"item_id": "a", "action": "wait"}}"#,
            r#"{"name": "execute", "arguments": {"item_id": "a", "dry_run": true}}"#,
            r#"{"name": "execute", "arguments": {"item_id": "a", "timeout": 0}}"#,
            r#"{"name": "execute", "arguments": {"item_id": "a", "timeout": "1"}}"#,
            r#"{"name": "execute", "arguments": {"item_id": "a", "parameters": []}}"#,
            r#"{"name": "execute", "arguments": {"item_id": "a", "parameters": {"x": 1, "x": 2}}}"#,
            r#"{"name": "execute", "arguments": {"item_id": "a"}, "_meta": {"progressToken": 1}}"#,
            r#"{"name": "execute", "arguments": {"item_id": "a"}, "requestState": "s"}"#,
        ] {
            assert!(read(params).is_none(), "{params}");
        }
        assert!(ShortCall::read(b"{\"jsonrpc\": \"2.0\"").is_none());
    }
}
