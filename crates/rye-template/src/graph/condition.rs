//! Conditions: which branch of a graph is taken.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::{Path, Pattern, Roots, ValueTemplate};

/// What has to hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// One test of one value.
    Test {
        /// Where the value is.
        path: Path,
        /// What is asked about it.
        test: Test,
    },
    /// All of these; of none, it holds.
    All(Vec<Condition>),
    /// At least one of these; of none, it does not hold.
    Any(Vec<Condition>),
    /// Not this.
    Not(Box<Condition>),
}

/// What is asked about a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// How it compares with another one.
    Compare(Comparison, ValueTemplate),
    /// Whether it is a text in which a pattern is found.
    Matches(Pattern),
    /// Whether it is there, be it null.
    Exists,
    /// Whether it is not there, null, or an empty text, list or map.
    Empty,
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// They are equal; numbers by what they are worth.
    Eq,
    /// They are not equal.
    Neq,
    /// Greater; both are numbers or both are texts.
    Gt,
    /// Greater or equal.
    Gte,
    /// Less.
    Lt,
    /// Less or equal.
    Lte,
    /// An element of a list, a key of a map, or a part of a text.
    In,
    /// A list with this element, a map with this key, or a text with this part.
    Contains,
}

impl Condition {
    /// Whether it holds. A path or a compared value that leads nowhere makes a comparison and `matches` false.
    #[must_use]
    pub fn holds(&self, roots: &Roots<'_>) -> bool {
        match self {
            Self::Test { path, test } => test.holds(path.find(roots), roots),
            Self::All(all) => all.iter().all(|condition| condition.holds(roots)),
            Self::Any(any) => any.iter().any(|condition| condition.holds(roots)),
            Self::Not(condition) => !condition.holds(roots),
        }
    }

    /// Calls `visit` with every test.
    pub fn for_each_test<'c>(&'c self, visit: &mut impl FnMut(&'c Path, &'c Test)) {
        match self {
            Self::Test { path, test } => visit(path, test),
            Self::All(inner) | Self::Any(inner) => {
                for condition in inner {
                    condition.for_each_test(visit);
                }
            }
            Self::Not(condition) => condition.for_each_test(visit),
        }
    }
}

impl Test {
    fn holds(&self, value: Option<&Value>, roots: &Roots<'_>) -> bool {
        match self {
            Self::Exists => value.is_some(),
            Self::Empty => value.is_none_or(is_empty),
            Self::Matches(pattern) => value.and_then(Value::as_str).is_some_and(|text| pattern.is_in(text)),
            Self::Compare(comparison, other) => match (value, other.resolve(roots)) {
                (Some(value), Ok(other)) => comparison.holds(value, &other),
                _ => false,
            },
        }
    }
}

impl Comparison {
    /// Every comparison with the word for it.
    pub const ALL: [(&'static str, Self); 8] = [
        ("eq", Self::Eq),
        ("neq", Self::Neq),
        ("gt", Self::Gt),
        ("gte", Self::Gte),
        ("lt", Self::Lt),
        ("lte", Self::Lte),
        ("in", Self::In),
        ("contains", Self::Contains),
    ];

    /// Whether `left` is to `right` as this says.
    #[must_use]
    pub fn holds(self, left: &Value, right: &Value) -> bool {
        let order = || compare(left, right);
        match self {
            Self::Eq => equal(left, right),
            Self::Neq => !equal(left, right),
            Self::Gt => order() == Some(Ordering::Greater),
            Self::Gte => matches!(order(), Some(Ordering::Greater | Ordering::Equal)),
            Self::Lt => order() == Some(Ordering::Less),
            Self::Lte => matches!(order(), Some(Ordering::Less | Ordering::Equal)),
            Self::In => contains(right, left),
            Self::Contains => contains(left, right),
        }
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}

fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Array(items), _) => items.iter().any(|item| equal(item, part)),
        (Value::Object(map), Value::String(key)) => map.contains_key(key),
        (Value::String(text), Value::String(part)) => text.contains(part),
        _ => false,
    }
}

fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right) == Some(Ordering::Equal),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| equal(left, right)))
        }
        _ => left == right,
    }
}

fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

/// Whole numbers are compared exactly, which floating-point numbers would not do.
fn compare_numbers(left: &Number, right: &Number) -> Option<Ordering> {
    let whole = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn holds(path: &str, test: Test) -> bool {
        let state = json!({
            "n": 3, "f": 3.0, "big": 9_007_199_254_740_993_u64, "t": "abc", "null": null, "no": false,
            "list": [1, "x", {"a": 1}], "map": {"k": 1}, "none": [], "blank": "",
        });
        let roots = Roots::new().with("state", &state);
        Condition::Test { path: Path::parse(path).unwrap(), test }.holds(&roots)
    }

    #[test]
    fn comparisons() {
        let check = |path: &str, word: &str, value: Value, expect: bool| {
            let (_, comparison) = Comparison::ALL.into_iter().find(|(known, _)| *known == word).unwrap();
            let test = Test::Compare(comparison, ValueTemplate::parse(&value).unwrap());
            assert_eq!(holds(path, test), expect, "{path} {word} {value}");
        };
        check("state.n", "eq", json!(3.0), true);
        check("state.n", "eq", json!("3"), false);
        check("state.n", "eq", json!("${state.f}"), true);
        check("state.n", "neq", json!(4), true);
        check("state.big", "eq", json!(9_007_199_254_740_992_u64), false);
        check("state.big", "gt", json!(9_007_199_254_740_992_u64), true);
        check("state.n", "gte", json!(3), true);
        check("state.n", "lt", json!(2.5), false);
        check("state.n", "lte", json!("4"), false);
        check("state.t", "gt", json!("abb"), true);
        check("state.list", "eq", json!([1.0, "x", {"a": 1}]), true);
        check("state.list", "contains", json!({"a": 1.0}), true);
        check("state.map", "contains", json!("k"), true);
        check("state.t", "contains", json!("bc"), true);
        check("state.n", "contains", json!(3), false);
        check("state.n", "in", json!([1, 3]), true);
        check("state.t", "in", json!("xabcx"), true);
        check("state.t", "in", json!({"abc": 1}), true);
        for (word, _) in Comparison::ALL {
            check("state.missing", word, json!(1), false);
            check("state.n", word, json!("${state.missing}"), false);
        }
    }

    #[test]
    fn tests_without_a_value() {
        let check = |path: &str, exists: bool, empty: bool| {
            assert_eq!((holds(path, Test::Exists), holds(path, Test::Empty)), (exists, empty), "{path}");
        };
        check("state.missing", false, true);
        check("state.null", true, true);
        check("state.none", true, true);
        check("state.blank", true, true);
        check("state.no", true, false);
        check("state.n", true, false);
        check("state.map", true, false);
    }

    #[test]
    fn patterns() {
        let check = |path: &str, pattern: &str, expect: bool| {
            assert_eq!(
                holds(path, Test::Matches(Pattern::parse(pattern).unwrap())),
                expect,
                "{path} {pattern}"
            );
        };
        check("state.t", "b", true);
        check("state.t", "^b", false);
        check("state.n", "3", false);
        check("state.missing", "", false);
        assert_eq!(Pattern::parse("(").unwrap_err().to_string(), "unclosed group");
        assert!(Pattern::parse("(a{1000}){1000}").is_err());
        assert!(Pattern::parse(&"a".repeat(MAX_LENGTH)).is_err());
    }

    const MAX_LENGTH: usize = super::super::MAX_PATTERN_BYTES + 1;

    #[test]
    fn combinations() {
        let test = |holds: bool| Condition::Test {
            path: Path::parse("state").unwrap(),
            test: if holds { Test::Exists } else { Test::Empty },
        };
        let state = json!({"a": 1});
        let roots = Roots::new().with("state", &state);
        let check =
            |condition: Condition, expect: bool| assert_eq!(condition.holds(&roots), expect, "{condition:?}");
        check(Condition::All(vec![test(true), test(true)]), true);
        check(Condition::All(vec![test(true), test(false)]), false);
        check(Condition::Any(vec![test(false), test(true)]), true);
        check(Condition::Any(vec![test(false)]), false);
        check(Condition::Not(Box::new(test(false))), true);
        check(Condition::All(Vec::new()), true);
        check(Condition::Any(Vec::new()), false);
    }
}
