//! An example call of an item, and what is expected of it.

use std::collections::BTreeMap;

use base64ct::{Base64, Encoding as _};
use serde_json::{Map, Value};

/// An example, as an item gives it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Example {
    pub(super) description: Option<String>,
    pub(super) params: Map<String, Value>,
    pub(super) expectation: Expectation,
    /// What has to be there that no example can bring.
    pub(super) needs: Option<String>,
    /// Files that have to be there, by their paths.
    pub(super) files: BTreeMap<String, Vec<u8>>,
}

/// What is to come of an example.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Expectation {
    pub(super) status: Option<Status>,
    pub(super) result: Option<Value>,
    pub(super) contains: Option<Value>,
    pub(super) error: Option<String>,
}

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Success,
    Error,
}

/// An example that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ExampleError {
    #[error("`examples` is not a list")]
    NotAList,
    #[error("it is not an object")]
    NotAnObject,
    #[error("`{field}` is not {expected}")]
    Field { field: &'static str, expected: &'static str },
    #[error("no field of an example is called `{name}`")]
    Unknown { name: String },
    #[error("`{path}` is not a path below the project")]
    Path { path: String },
}

/// All examples of an item, each as far as it can be understood.
pub(super) fn all(examples: &Value) -> Vec<Result<Example, ExampleError>> {
    match examples {
        Value::Array(list) => list.iter().map(Example::read).collect(),
        _ => vec![Err(ExampleError::NotAList)],
    }
}

impl Example {
    fn read(value: &Value) -> Result<Self, ExampleError> {
        let mut example = Self::default();
        let expect = &mut example.expectation;
        for (name, value) in value.as_object().ok_or(ExampleError::NotAnObject)? {
            match name.as_str() {
                "description" => example.description = Some(text("description", value)?),
                "needs" => example.needs = Some(text("needs", value)?),
                "error" => expect.error = Some(text("error", value)?),
                "result" => expect.result = Some(value.clone()),
                "contains" => expect.contains = Some(value.clone()),
                "params" => example.params.clone_from(object("params", value)?),
                "files" => example.files = files(object("files", value)?)?,
                "status" => {
                    let expected = "`success` or `error`";
                    expect.status = Some(match value.as_str() {
                        Some("success") => Status::Success,
                        Some("error") => Status::Error,
                        _ => return Err(ExampleError::Field { field: "status", expected }),
                    });
                }
                _ => return Err(ExampleError::Unknown { name: name.clone() }),
            }
        }
        Ok(example)
    }
}

impl Expectation {
    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// How the run has to end.
    pub(super) fn status(&self) -> Status {
        let implied = if self.error.is_some() { Status::Error } else { Status::Success };
        self.status.unwrap_or(implied)
    }
}

fn text(field: &'static str, value: &Value) -> Result<String, ExampleError> {
    value.as_str().map(str::to_owned).ok_or(ExampleError::Field { field, expected: "a text" })
}

fn object<'a>(field: &'static str, value: &'a Value) -> Result<&'a Map<String, Value>, ExampleError> {
    value.as_object().ok_or(ExampleError::Field { field, expected: "an object" })
}

/// The contents of files: texts, or anything else as `{base64: …}`.
fn files(map: &Map<String, Value>) -> Result<BTreeMap<String, Vec<u8>>, ExampleError> {
    let wrong =
        || ExampleError::Field { field: "files", expected: "an object of texts and of `{base64: …}`" };
    let mut files = BTreeMap::new();
    for (path, value) in map {
        let is_inside = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !is_inside || path.contains('\0') {
            return Err(ExampleError::Path { path: path.clone() });
        }
        let bytes = match value {
            Value::String(text) => text.as_bytes().to_vec(),
            other => {
                let text = other.get("base64").and_then(Value::as_str).ok_or_else(wrong)?;
                Base64::decode_vec(text).map_err(|_| wrong())?
            }
        };
        files.insert(path.clone(), bytes);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_an_example_says_is_read_or_refused() {
        let example = Example::read(
            &json!({ "params": {"a": 1}, "result": null, "files": {"a/b": {"base64": "aGk="}} }),
        );
        let example = example.unwrap();
        assert_eq!(example.expectation.result, Some(Value::Null));
        assert_eq!(example.files["a/b"], b"hi");
        assert_eq!(example.expectation.status(), Status::Success);
        assert!(Example::read(&json!({ "params": {} })).unwrap().expectation.is_empty());
        let error = Example::read(&json!({ "error": "PARAMS_INVALID" })).unwrap();
        assert_eq!(error.expectation.status(), Status::Error);
        let check = |value: Value, expect: &str| {
            assert_eq!(Example::read(&value).unwrap_err().to_string(), expect, "{value}");
        };
        check(json!(1), "it is not an object");
        check(json!({ "parms": {} }), "no field of an example is called `parms`");
        check(json!({ "params": [] }), "`params` is not an object");
        check(json!({ "status": "fine" }), "`status` is not `success` or `error`");
        check(json!({ "files": {"../a": ""} }), "`../a` is not a path below the project");
        check(json!({ "files": {"/a": ""} }), "`/a` is not a path below the project");
        check(json!({ "files": {"a": 1} }), "`files` is not an object of texts and of `{base64: …}`");
    }
}
