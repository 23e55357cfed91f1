//! An environment in a JSON file. Errors do not repeat its values, which are secret.

use std::fmt;

use lillux::envelope::SecretEnvironment;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};

use crate::code::Code;
use crate::failure::Failure;
use crate::input::InputSource;

/// A file that holds something else.
#[derive(Debug, thiserror::Error)]
#[error("{input} is not an environment")]
struct NotAnEnvironment {
    input: InputSource,
    #[source]
    source: serde_json::Error,
}

/// Reads a JSON object whose values are strings.
pub(crate) fn read(input: &InputSource) -> Result<SecretEnvironment, Failure> {
    parse(&input.read()?).map_err(|source| {
        let error = NotAnEnvironment { input: input.clone(), source };
        Failure::new(Code::NotAnEnvironment, &error)
    })
}

fn parse(json: &[u8]) -> Result<SecretEnvironment, serde_json::Error> {
    // For anything but an object, the reader's own message would show what it found.
    if json.trim_ascii_start().first() != Some(&b'{') {
        return Err(serde_json::Error::custom("it is not a JSON object"));
    }
    serde_json::from_slice(json).map(|Variables(environment)| environment)
}

struct Variables(SecretEnvironment);

impl<'de> Deserialize<'de> for Variables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(VariablesVisitor)
    }
}

struct VariablesVisitor;

impl<'de> Visitor<'de> for VariablesVisitor {
    type Value = Variables;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object whose values are strings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Variables, A::Error> {
        let mut environment = SecretEnvironment::default();
        while let Some(name) = map.next_key::<String>()? {
            let value = map
                .next_value::<String>()
                .map_err(|_| A::Error::custom(format_args!("the value of `{name}` is not a string")))?;
            let previous = environment.insert(name.as_str(), value.into()).map_err(A::Error::custom)?;
            if previous.is_some() {
                return Err(A::Error::custom(format_args!("`{name}` comes twice")));
            }
        }
        Ok(Variables(environment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_do_not_repeat_values() {
        for wrong in [
            "",
            "4711",
            "\"4711\"",
            "[4711]",
            "{4711",
            r#"{"A":4711}"#,
            r#"{"A":["4711"]}"#,
            r#"{"A":"4711" 4711}"#,
            r#"{"A":"4711","A":"4711"}"#,
            r#"{"A":"4711\u0000"}"#,
            r#"{"A=B":"4711"}"#,
            r#"{"A":"4711"} 4711"#,
        ] {
            let message = parse(wrong.as_bytes()).unwrap_err().to_string();
            assert!(!message.contains("4711"), "{message}");
        }
    }
}
