//! The value of a parameter, from what was typed.

use serde_json::Value;
use serde_json::value::RawValue;

/// What a parameter is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    Text,
    Integer,
    Number,
    Switch,
    /// Several, each of which is this.
    List(Box<Wanted>),
    /// Whatever JSON says.
    Json,
}

/// A value as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parsed(pub(crate) String);

/// What was typed cannot be what is wanted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}")]
pub(crate) struct FlagError {
    text: String,
    expected: &'static str,
}

impl Wanted {
    pub(crate) fn of(schema: &Value) -> Self {
        let types = match schema.get("type") {
            Some(Value::String(one)) => vec![one.as_str()],
            Some(Value::Array(some)) => {
                some.iter().filter_map(Value::as_str).filter(|one| *one != "null").collect()
            }
            _ => Vec::new(),
        };
        match types.as_slice() {
            ["string"] => Self::Text,
            ["integer"] => Self::Integer,
            ["number"] => Self::Number,
            ["boolean"] => Self::Switch,
            ["array"] => Self::List(Box::new(schema.get("items").map_or(Self::Text, Self::of))),
            [] if is_choice_of_texts(schema) => Self::Text,
            _ => Self::Json,
        }
    }

    pub(crate) fn is_switch(&self) -> bool {
        *self == Self::Switch
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self, Self::List(_))
    }

    /// In a few letters, for help.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Text => "TEXT".to_owned(),
            Self::Integer => "INTEGER".to_owned(),
            Self::Number => "NUMBER".to_owned(),
            Self::Switch => String::new(),
            Self::List(each) => format!("{}…", each.label()),
            Self::Json => "JSON".to_owned(),
        }
    }

    pub(crate) fn parse(&self, texts: &[String]) -> Result<Parsed, FlagError> {
        let text = texts.last().map(String::as_str).unwrap_or_default();
        let failed = |expected| FlagError { text: text.to_owned(), expected };
        let json = match self {
            Self::Integer => {
                number(text).filter(|text| is_integer(text)).ok_or_else(|| failed("a whole number"))?
            }
            Self::Number => number(text).ok_or_else(|| failed("a number"))?,
            Self::Switch => match text {
                "true" | "false" => text.to_owned(),
                _ => return Err(failed("`true` or `false`")),
            },
            // One argument that is a JSON list is meant as the list.
            Self::List(_) if texts.len() == 1 && text.starts_with('[') && is_json(text) => text.to_owned(),
            Self::List(each) => {
                let items =
                    texts.iter().map(|text| each.parse(std::slice::from_ref(text)).map(|Parsed(json)| json));
                format!("[{}]", items.collect::<Result<Vec<_>, _>>()?.join(","))
            }
            Self::Json if is_json(text) => text.to_owned(),
            // What is not JSON can only be meant as a text.
            Self::Text | Self::Json => Value::from(text).to_string(),
        };
        Ok(Parsed(json))
    }
}

fn is_choice_of_texts(schema: &Value) -> bool {
    schema.get("enum").and_then(Value::as_array).is_some_and(|choices| choices.iter().all(Value::is_string))
}

/// A JSON number with its digits as they were typed.
fn number(text: &str) -> Option<String> {
    let is_number = is_json(text) && text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    is_number.then(|| text.to_owned())
}

fn is_integer(text: &str) -> bool {
    !text.contains(['.', 'e', 'E'])
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_typed_becomes_what_is_wanted() {
        let check = |schema: Value, texts: &[&str], expect: Result<&str, &str>| {
            let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
            let parsed = Wanted::of(&schema).parse(&texts);
            let parsed = parsed.as_ref().map(|Parsed(json)| json.as_str()).map_err(ToString::to_string);
            assert_eq!(parsed, expect.map_err(str::to_owned), "{texts:?}");
        };
        check(json!({"type": "string"}), &["3"], Ok("\"3\""));
        check(json!({"type": "string"}), &["a\"b"], Ok(r#""a\"b""#));
        check(
            json!({"type": "integer"}),
            &["123456789012345678901234567890"],
            Ok("123456789012345678901234567890"),
        );
        check(json!({"type": "integer"}), &["1.5"], Err("`1.5` is not a whole number"));
        check(json!({"type": "integer"}), &["x"], Err("`x` is not a whole number"));
        check(json!({"type": "number"}), &["1.50"], Ok("1.50"));
        check(json!({"type": "number"}), &["-0"], Ok("-0"));
        check(json!({"type": "number"}), &["true"], Err("`true` is not a number"));
        check(json!({"type": "boolean"}), &["false"], Ok("false"));
        check(json!({"type": "boolean"}), &["maybe"], Err("`maybe` is not `true` or `false`"));
        check(json!({"type": "array", "items": {"type": "string"}}), &["a", "1"], Ok(r#"["a","1"]"#));
        check(json!({"type": "array", "items": {"type": "integer"}}), &["1", "2"], Ok("[1,2]"));
        check(json!({"type": "array"}), &["[1, 2]"], Ok("[1, 2]"));
        check(json!({"type": "object"}), &[r#"{"a": 1}"#], Ok(r#"{"a": 1}"#));
        check(json!({"type": ["string", "null"]}), &["3"], Ok("\"3\""));
        check(json!({"type": ["integer", "string"]}), &["3"], Ok("3"));
        check(json!({"type": ["integer", "string"]}), &["x"], Ok("\"x\""));
        check(json!({}), &["{"], Ok("\"{\""));
        check(json!({"enum": ["a", "1"]}), &["1"], Ok("\"1\""));
    }
}
