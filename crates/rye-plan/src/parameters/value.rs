//! From the text of a value to a [`Value`], for any text that parameters can have.

use serde::Deserialize;
use serde_json::{Deserializer, Value};

/// Enough for [`MAX_DEPTH`](super::MAX_DEPTH) levels, whatever walks over them.
const DEEP_STACK: usize = 32 * 1024 * 1024;

/// The value that a valid JSON text stands for. A number beyond the range of `f64` becomes the largest of its sign.
pub(super) fn to_value(json: &str) -> Option<Value> {
    // This fails for values that are deeper than most and for large numbers.
    serde_json::from_str(json).ok().or_else(|| {
        let json = within_range(json);
        on_deep_stack(|| {
            let mut deserializer = Deserializer::from_str(&json);
            deserializer.disable_recursion_limit();
            Value::deserialize(&mut deserializer).ok()
        })
    })
}

/// How large a value is.
pub(super) struct Extent {
    /// How many arrays and objects are inside each other at most.
    pub(super) depth: usize,
    /// How many values it has, itself among them.
    pub(super) count: usize,
}

impl Extent {
    pub(super) fn of(value: &Value) -> Self {
        let mut extent = Self { depth: 0, count: 0 };
        let mut rest = vec![(value, 0)];
        while let Some((value, depth)) = rest.pop() {
            extent.count += 1;
            match value {
                Value::Array(items) => rest.extend(items.iter().map(|item| (item, depth + 1))),
                Value::Object(map) => rest.extend(map.values().map(|item| (item, depth + 1))),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => continue,
            }
            extent.depth = extent.depth.max(depth + 1);
        }
        extent
    }
}

/// Does something that recurses as deeply as parameters are nested.
pub(super) fn on_deep_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(DEEP_STACK, DEEP_STACK, work)
}

/// The same JSON with numbers that `f64` can hold.
fn within_range(json: &str) -> String {
    let bytes = json.as_bytes();
    let mut changed = String::with_capacity(json.len());
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'"' => {
                at += 1;
                while bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let is_number = |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
                at += bytes[at..].iter().take_while(|byte| is_number(byte)).count();
                if let Some(limit) = json[start..at].parse::<f64>().ok().filter(|number| number.is_infinite())
                {
                    let sign = if limit < 0.0 { "-" } else { "" };
                    changed.push_str(sign);
                    changed.push_str("1.7976931348623157e308");
                    continue;
                }
            }
            _ => {
                let is_other = |byte: &u8| !matches!(byte, b'"' | b'-' | b'0'..=b'9');
                at += bytes[at..].iter().take_while(|byte| is_other(byte)).count();
            }
        }
        changed.push_str(&json[start..at]);
    }
    changed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_number_has_a_value() {
        let check = |text: &str, expect: Value| assert_eq!(to_value(text), Some(expect), "{text}");
        check("18446744073709551615", json!(u64::MAX));
        check("123456789012345678901234567890", json!(123_456_789_012_345_678_901_234_567_890_f64));
        check("1e400", json!(f64::MAX));
        check(
            r#"["1e400é\"", -1e400, 1.5, {"1e999": 1e-400}, true]"#,
            json!(["1e400é\"", f64::MIN, 1.5, {"1e999": 0.0}, true]),
        );
        check(&"9".repeat(1000), json!(f64::MAX));
    }
}
