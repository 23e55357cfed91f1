//! Data as YAML that people can read, and that means the same when it is read again.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Writes a map, each key on a line of its own.
pub(super) fn write(map: &Map<String, Value>) -> String {
    let mut text = String::new();
    put_map(&mut text, map, 0);
    text
}

fn put_map(text: &mut String, map: &Map<String, Value>, depth: usize) {
    for (key, value) in map {
        indent(text, depth);
        text.push_str(&key_text(key));
        text.push(':');
        put_value(text, value, depth);
    }
}

/// Writes what follows a colon or a dash, to the end of the line and below it.
fn put_value(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            text.push('\n');
            put_map(text, map, depth + 1);
        }
        Value::Array(items) if items.iter().any(is_long) => {
            text.push('\n');
            for item in items {
                indent(text, depth + 1);
                text.push('-');
                put_value(text, item, depth + 1);
            }
        }
        Value::String(long) if is_block(long) => {
            text.push_str(" |-\n");
            for line in long.split('\n') {
                if !line.is_empty() {
                    indent(text, depth + 1);
                    text.push_str(line);
                }
                text.push('\n');
            }
        }
        short => {
            text.push(' ');
            put_short(text, short);
            text.push('\n');
        }
    }
}

/// Writes a value as part of a line.
fn put_short(text: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index > 0 { ", " } else { "" });
                put_short(text, item);
            }
            text.push(']');
        }
        Value::Object(map) => {
            text.push('{');
            for (index, (key, value)) in map.iter().enumerate() {
                text.push_str(if index > 0 { ", " } else { "" });
                text.push_str(&key_text(key));
                text.push_str(": ");
                put_short(text, value);
            }
            text.push('}');
        }
        Value::String(string) => text.push_str(&quoted(string)),
        other => {
            // Writing to a text cannot fail.
            let _ = write!(text, "{other}");
        }
    }
}

fn is_long(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::String(text) => is_block(text),
        _ => false,
    }
}

/// Whether a text has several lines, and none that would look different in a block. What looks like a signature must not
/// stand at the beginning of a line.
fn is_block(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\n'])
        && !text.ends_with('\n')
        && !text.contains("rye:signed")
        && text.lines().all(|line| !line.ends_with([' ', '\t']) && !line.starts_with('\t'))
        && text.chars().all(|c| c == '\n' || !needs_escape(c))
}

fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' | '\u{200e}' | '\u{200f}'
        )
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text in double quotes. JSON's escapes are YAML's too.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if needs_escape(c) => {
                // Writing to a text cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn key_text(key: &str) -> String {
    let is_plain = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !matches!(
            key.to_ascii_lowercase().as_str(),
            "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null"
        );
    if is_plain { key.to_owned() } else { quoted(key) }
}

fn indent(text: &mut String, depth: usize) {
    text.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(value: &Value) {
        let text = write(value.as_object().unwrap());
        let read = rye_metadata::read_data_file("a.yaml", text.as_bytes()).unwrap();
        assert_eq!(read.unwrap_or_else(|error| panic!("{error}: {text}")), *value, "{text}");
    }

    #[test]
    fn what_is_written_is_read_again() {
        check(
            &json!({"a": 1, "b": [1, 2.5, true, null, "x"], "c": {}, "d": [], "e": {"f": {"g": [{"h": []}, [[1]]]}}}),
        );
        let keys = ["yes", "null", "1", "a b", "$ref", "~", "", "é", "a:b", "#", "- a", "on"];
        check(&keys.iter().map(|key| ((*key).to_owned(), json!(key))).collect::<Map<_, _>>().into());
        for text in [
            "one\ntwo\n\n  three: four # five",
            " first has a space\nb",
            "ends with a line\n",
            "\n\n",
            "trailing space \nb",
            "tab\n\tb",
            "carriage\r\nreturn",
            "# rye:signed:v1:x\nb",
            "---\n...\n%YAML",
            "nul \0 bell \u{7} esc \u{1b} c1 \u{85}\u{9f} bom \u{feff} ls \u{2028} rtl \u{202e} \u{1f600}",
            "'single' \"double\" \\ back {brace} [bracket] ${VAR} & * ! | > %",
            "null",
            "true",
            "12",
            "~",
            "",
        ] {
            check(&json!({"text": text, "list": [text, {"in": text}], "deep": {"er": {"text": text}}}));
        }
    }

    #[test]
    fn it_looks_as_one_would_write_it() {
        let value =
            json!({"version": "1.0.0", "config": {"args": ["a", "b"]}, "text": "one\ntwo", "x-y": {}});
        let text =
            "version: \"1.0.0\"\nconfig:\n  args: [\"a\", \"b\"]\ntext: |-\n  one\n  two\n\"x-y\": {}\n";
        assert_eq!(write(value.as_object().unwrap()), text);
    }
}
