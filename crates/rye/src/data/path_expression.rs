//! Where to look in a document.

use serde_json_path::JsonPath;

use crate::command_error::CommandError;

/// How many brackets may stand within each other. The parser calls itself for each.
const MAX_NESTING: usize = 64;

/// A path as RFC 9535 defines it. People leave out the root: `a.b`, `[0].c` and `..d` mean `$.a.b`, `$[0].c` and `$..d`.
pub(super) fn parse(text: &str) -> Result<JsonPath, CommandError> {
    let text = text.trim();
    if nesting(text) > MAX_NESTING {
        return Err(CommandError::path_nesting());
    }
    let whole = match text.chars().next() {
        None => "$".to_owned(),
        Some('$') => text.to_owned(),
        Some('[' | '.') => format!("${text}"),
        Some(_) => format!("$.{text}"),
    };
    JsonPath::parse(&whole).map_err(|error| CommandError::path_expression(text, &error))
}

/// How deep brackets are nested at most, those in texts included.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' | b'(' | b'!' => depth += 1,
            b']' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_root_may_be_left_out() {
        let value = json!({"a": {"b": [{"c": 1, "d-e": 2}, {"c": 3}]}, "x y": 4});
        let check = |path: &str, expect: serde_json::Value| {
            let found = parse(path).unwrap();
            assert_eq!(json!(found.query(&value).all()), expect, "{path}");
        };
        check("", json!([value]));
        check("$", json!([value]));
        check("a.b[0].c", json!([1]));
        check("$.a.b[0].c", json!([1]));
        check("a.b[*].c", json!([1, 3]));
        check("a.b[-1].c", json!([3]));
        check("a.b[?@.c > 1].c", json!([3]));
        check("a.b[0]['d-e']", json!([2]));
        check("['x y']", json!([4]));
        check("..c", json!([1, 3]));
        check(".a.b[1].c", json!([3]));
        check("a.nothing", json!([]));
        check("a.b[?length(@) == 2].c", json!([1]));
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for path in ["a b", "a[", "a..", "$x", "a.b[?]", &"[?@".repeat(3000), &"[?!(".repeat(2000)] {
            assert!(parse(path).is_err(), "{path}");
        }
    }
}
