//! The arguments of a call as they were sent.
//!
//! The protocol's library reads numbers into the machine's own, which have fewer digits than a tool may expect, and takes
//! the last of two values with the same name. So the text of each message is kept beside it until the call is made.

use axum::http::request::Parts;
use bytes::Bytes;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use rye_plan::Parameters;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::failure::Failure;

/// The text of the message that a request came in.
#[derive(Debug, Clone)]
pub(super) struct SentMessage(pub(super) Bytes);

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    params: Option<CallParams<'a>>,
}

#[derive(Deserialize)]
struct CallParams<'a> {
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// The arguments of a call, if its message is at hand.
pub(super) fn sent_arguments(context: &RequestContext<RoleServer>) -> Result<Option<Parameters>, Failure> {
    let sent = context.extensions.get::<SentMessage>().or_else(|| {
        context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<SentMessage>())
    });
    sent.map(|message| read(&message.0)).transpose()
}

fn read(message: &[u8]) -> Result<Parameters, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::arguments(format!("wrong arguments: {error}"));
    let message: Message<'_> = serde_json::from_slice(message).map_err(|error| wrong(&error))?;
    match message.params.and_then(|params| params.arguments) {
        Some(arguments) if arguments.get() != "null" => {
            Parameters::parse(arguments.get()).map_err(|error| wrong(&error))
        }
        _ => Ok(Parameters::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stay() {
        let message = br#"{"id": 1, "params": {"name": "execute", "arguments": {"parameters": {"n": 1.00, "m": 123456789012345678901234567890}}}}"#;
        let arguments = read(message).unwrap();
        let parameters = arguments.sent("parameters").unwrap().get();
        assert_eq!(parameters, r#"{"n":1.00,"m":123456789012345678901234567890}"#);
    }

    #[test]
    fn what_is_said_twice_is_refused() {
        for arguments in
            [r#"{"item_id": "a", "item_id": "b"}"#, r#"{"item_id": "a", "parameters": {"x": 1, "x": 2}}"#]
        {
            let message = format!(r#"{{"params": {{"arguments": {arguments}}}}}"#);
            assert_eq!(read(message.as_bytes()).unwrap_err().code, "PARAMS_INVALID");
        }
        assert!(read(br#"{"params": {"name": "help"}}"#).unwrap().is_empty());
    }
}
