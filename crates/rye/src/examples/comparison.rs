//! In what a result differs from what was expected.

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

/// The lines in which two values differ, and those around them; nothing if they are equal.
pub(super) fn difference(expected: &Value, found: &Value) -> Option<Vec<String>> {
    if are_equal(expected, found) {
        return None;
    }
    let (expected, found) = (pretty(expected), pretty(found));
    let diff = TextDiff::from_lines(&expected, &found);
    let mut lines = Vec::new();
    for group in diff.grouped_ops(3) {
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            lines.push(format!("{sign} {}", change.value().trim_end_matches('\n')));
        }
    }
    Some(lines)
}

/// What a value lacks of what it has to contain: members of objects, at every depth, and parts of texts. Lists have as many
/// elements as expected.
pub(super) fn missing(expected: &Value, found: &Value) -> Vec<String> {
    let mut all = Vec::new();
    collect(expected, found, "$", &mut all);
    all
}

fn collect(expected: &Value, found: &Value, path: &str, all: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(wanted), Value::Object(known)) => {
            for (name, wanted) in wanted {
                let path = format!("{path}.{name}");
                match known.get(name) {
                    Some(known) => collect(wanted, known, &path, all),
                    None => all.push(format!("{path} is missing: {wanted} was expected")),
                }
            }
        }
        (Value::Array(wanted), Value::Array(known)) if wanted.len() == known.len() => {
            for (index, (wanted, known)) in wanted.iter().zip(known).enumerate() {
                collect(wanted, known, &format!("{path}[{index}]"), all);
            }
        }
        (Value::String(wanted), Value::String(known)) if known.contains(wanted.as_str()) => {}
        _ if are_equal(expected, found) => {}
        _ => all.push(format!("{path} is {found}: {expected} was expected")),
    }
}

/// Whether two values are the same, where 1 and 1.0 are the same number.
fn are_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || (a.is_f64() != b.is_f64() && a.as_f64() == b.as_f64())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| are_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| are_equal(a, b)))
        }
        _ => one == other,
    }
}

/// A text as it is, and anything else as JSON with a line for each part.
fn pretty(value: &Value) -> String {
    let mut text = match value {
        Value::String(text) if text.contains('\n') => text.clone(),
        // Members in one order, so that only what differs shows.
        other => serde_json::to_string_pretty(&sorted(other)).unwrap_or_default(),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Object(members.into_iter().collect())
        }
        Value::Array(elements) => elements.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_differs_is_shown() {
        let check = |expected: Value, found: Value, expect: Option<&[&str]>| {
            let lines = difference(&expected, &found);
            assert_eq!(lines.as_deref().map(|lines| lines.join("\n")), expect.map(|lines| lines.join("\n")));
        };
        check(json!({ "a": 1, "b": 2 }), json!({ "b": 2.0, "a": 1 }), None);
        check(json!({ "a": 1 }), json!({ "a": 2 }), Some(&["  {", "-   \"a\": 1", "+   \"a\": 2", "  }"]));
        check(json!("a\nb\n"), json!("a\nc\n"), Some(&["  a", "- b", "+ c"]));
        check(json!(null), json!([]), Some(&["- null", "+ []"]));
    }

    #[test]
    fn what_is_missing_is_named() {
        let check = |expected: Value, found: Value, expect: &[&str]| {
            assert_eq!(missing(&expected, &found), expect, "{expected} {found}");
        };
        check(json!({ "a": { "b": 1 } }), json!({ "a": { "b": 1, "c": 2 }, "d": 3 }), &[]);
        check(json!("ell"), json!("hello"), &[]);
        check(json!({ "a": 1 }), json!({}), &["$.a is missing: 1 was expected"]);
        check(json!({ "a": [{ "b": 1 }] }), json!({ "a": [{ "b": 2 }] }), &["$.a[0].b is 2: 1 was expected"]);
        check(json!([1]), json!([1, 2]), &["$ is [1,2]: [1] was expected"]);
    }
}
