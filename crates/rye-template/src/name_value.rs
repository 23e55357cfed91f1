//! What a name stands for, and how it looks in each place.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

/// What a name stands for.
#[derive(Debug, Clone)]
pub enum NameValue<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// A value.
    Json(Value),
    /// A value as it was sent. Its numbers keep their digits in texts and arguments.
    Sent(&'a RawValue),
}

impl NameValue<'_> {
    /// How the value looks inside of a text: a text as it is, null as nothing, all else as compact JSON.
    pub(crate) fn to_text(&self) -> serde_json::Result<Cow<'_, str>> {
        match self {
            Self::Text(text) => Ok(Cow::Borrowed(text)),
            Self::Json(value) => Ok(json_text(value)),
            Self::Sent(raw) => sent_text(raw),
        }
    }

    /// The arguments that the value stands for: each element of a list, none for null, else one.
    pub(crate) fn to_arguments(&self) -> serde_json::Result<Vec<Cow<'_, str>>> {
        match self {
            Self::Json(Value::Null) => Ok(Vec::new()),
            Self::Json(Value::Array(items)) => Ok(items.iter().map(json_text).collect()),
            Self::Sent(raw) if raw.get() == "null" => Ok(Vec::new()),
            Self::Sent(raw) if raw.get().starts_with('[') => {
                let items: Vec<&RawValue> = serde_json::from_str(raw.get())?;
                items.into_iter().map(sent_text).collect()
            }
            Self::Text(_) | Self::Json(_) | Self::Sent(_) => Ok(vec![self.to_text()?]),
        }
    }

    /// The value with its type.
    pub(crate) fn to_value(&self) -> serde_json::Result<Value> {
        match self {
            Self::Text(text) => Ok(Value::from(text.as_ref())),
            Self::Json(value) => Ok(value.clone()),
            Self::Sent(raw) => serde_json::from_str(raw.get()),
        }
    }

    /// How long the value is, about, where it keeps its type.
    pub(crate) fn json_length(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Json(value) => value.to_string().len(),
            Self::Sent(raw) => raw.get().len(),
        }
    }
}

impl From<Value> for NameValue<'_> {
    fn from(value: Value) -> Self {
        Self::Json(value)
    }
}

impl From<String> for NameValue<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl<'a> From<&'a str> for NameValue<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a RawValue> for NameValue<'a> {
    fn from(raw: &'a RawValue) -> Self {
        Self::Sent(raw)
    }
}

pub(crate) fn json_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

fn sent_text(raw: &RawValue) -> serde_json::Result<Cow<'_, str>> {
    let json = raw.get();
    match json.as_bytes().first() {
        Some(b'"') => serde_json::from_str(json).map(Cow::Owned),
        Some(b'n') => Ok(Cow::Borrowed("")),
        Some(b'{' | b'[') => Ok(Cow::Owned(compact(json))),
        _ => Ok(Cow::Borrowed(json)),
    }
}

/// JSON without the space between its tokens. It does not recurse, so any depth is fine.
fn compact(json: &str) -> String {
    let mut compacted = String::with_capacity(json.len());
    let mut in_string = false;
    let mut escaped = false;
    compacted.extend(json.chars().filter(|character| {
        if in_string {
            in_string = escaped || *character != '"';
            escaped = !escaped && *character == '\\';
            return true;
        }
        in_string = *character == '"';
        !character.is_ascii_whitespace()
    }));
    compacted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn sent_values_keep_their_digits() {
        let check = |json: &str, text: &str, arguments: &[&str]| {
            let raw = raw(json);
            let value = NameValue::from(raw.as_ref());
            assert_eq!(value.to_text().unwrap(), text, "{json}");
            assert_eq!(value.to_arguments().unwrap(), arguments, "{json}");
        };
        check(" null ", "", &[]);
        check("true", "true", &["true"]);
        check("1.00", "1.00", &["1.00"]);
        check("1e400", "1e400", &["1e400"]);
        check(
            "123456789012345678901234567890",
            "123456789012345678901234567890",
            &["123456789012345678901234567890"],
        );
        check(r#""""#, "", &[""]);
        check(r#""a\n\u00e4\"""#, "a\nä\"", &["a\nä\""]);
        check(
            r#"[ 1.0 , "a b\\" , null , [ "x y\" " ] ]"#,
            r#"[1.0,"a b\\",null,["x y\" "]]"#,
            &["1.0", "a b\\", "", r#"["x y\" "]"#],
        );
        check("{ \"a\" :\n\t1 }", r#"{"a":1}"#, &[r#"{"a":1}"#]);
        check("[]", "[]", &[]);
    }

    #[test]
    fn values_that_rust_cannot_hold_are_errors_and_no_panics() {
        let lone_surrogate = raw(r#""\ud800""#);
        assert!(NameValue::from(lone_surrogate.as_ref()).to_text().is_err());
        let deep = raw(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)));
        let deep = NameValue::from(deep.as_ref());
        assert!(deep.to_value().is_err());
        assert_eq!(deep.to_text().unwrap().len(), 200_000);
        assert_eq!(deep.to_arguments().unwrap()[0].len(), 199_998);
    }
}
