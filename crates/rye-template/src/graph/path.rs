//! A path into a value.

use std::fmt;

use serde_json::Value;

use super::expression_parser::Parser;
use super::{ExpressionError, ExpressionErrorKind, Roots};

/// A path: the name that it begins with, and the steps from there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The name.
    pub root: String,
    /// The steps.
    pub steps: Vec<PathStep>,
}

/// One step of a [`Path`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// A key of a map; of a list, if it is a number, an element.
    Key(String),
    /// An element of a list, from its end if the number is negative.
    Index(i64),
}

impl Path {
    /// Reads a path that stands alone, as the `path` of a condition does.
    ///
    /// # Errors
    /// If it is none, or something comes after it.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let mut parser = Parser::new(text, 0);
        parser.skip_spaces();
        let path = parser.path()?;
        parser.skip_spaces();
        match parser.peek() {
            None => Ok(path),
            found => Err(parser.error(ExpressionErrorKind::BadStep { found })),
        }
    }

    /// Where the path leads, if it leads anywhere.
    #[must_use]
    pub fn find<'v>(&self, roots: &Roots<'v>) -> Option<&'v Value> {
        self.steps.iter().try_fold(roots.get(&self.root)?, |value, step| step.of(value))
    }
}

impl PathStep {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match (self, value) {
            (Self::Key(key), Value::Object(map)) => map.get(key),
            (Self::Key(key), Value::Array(items)) => items.get(key.parse::<usize>().ok()?),
            (Self::Index(index), Value::Array(items)) => match usize::try_from(*index) {
                Ok(index) => items.get(index),
                Err(_) => {
                    items.len().checked_sub(usize::try_from(index.unsigned_abs()).ok()?).map(|i| &items[i])
                }
            },
            _ => None,
        }
    }
}

/// The path as it can be read again.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root)?;
        for step in &self.steps {
            match step {
                PathStep::Key(key) if is_plain(key) => write!(f, ".{key}")?,
                PathStep::Key(key) => write!(f, "[{}]", Value::from(key.as_str()))?,
                PathStep::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// Whether a key can stand after a dot.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(is_name_character)
}

pub(super) fn is_name_character(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_lead_to_values() {
        let state = json!({"a": {"b-c": [1, {"x y": 2}]}, "ä": null, "0": "zero"});
        let roots = Roots::new().with("state", &state);
        let check = |text: &str, expect: Option<Value>| {
            let path = Path::parse(text).unwrap();
            assert_eq!(path.find(&roots), expect.as_ref(), "{text}");
            assert_eq!(Path::parse(&path.to_string()).unwrap(), path, "{text}");
        };
        check("state.a.b-c[0]", Some(json!(1)));
        check("state.a.b-c.0", Some(json!(1)));
        check(" state.a.b-c[-1][\"x y\"] ", Some(json!(2)));
        check("state['a'][\"b-c\"][ 1 ]", Some(json!({"x y": 2})));
        check("state.ä", Some(json!(null)));
        check("state.0", Some(json!("zero")));
        check("state[0]", None);
        check("state.a.b-c[-3]", None);
        check("state.a.b-c[-9223372036854775808]", None);
        check("state.a.b-c[2]", None);
        check("state.ä.x", None);
        check("inputs", None);
    }

    #[test]
    fn what_is_no_path_says_where() {
        let check = |text: &str, expect: &str| assert_eq!(Path::parse(text).unwrap_err().to_string(), expect);
        check("", "at character 1: expected a path such as `state.name`, or a value, found the end");
        check("state.", "at character 7: expected a name after `.`, or `[0]` or `[\"key\"]`, found the end");
        check("ä.b[x]", "at character 5: expected a name after `.`, or `[0]` or `[\"key\"]`, found `x`");
        check("a b", "at character 3: expected a name after `.`, or `[0]` or `[\"key\"]`, found `b`");
        check(
            "a[99999999999999999999]",
            "at character 3: expected a name after `.`, or `[0]` or `[\"key\"]`, found `9`",
        );
    }
}
