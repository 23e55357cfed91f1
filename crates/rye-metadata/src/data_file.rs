//! Files that are data and nothing else: configuration.

use serde_json::Value;

use crate::text::Text;
use crate::{ExtractErrorKind, ParserKind};

/// Reads a YAML, JSON or TOML file whole, by the extension of its name; nothing if it has another one.
///
/// # Errors
/// If the file is too large, no text, or not valid in its language.
#[must_use]
pub fn read_data_file(name: &str, bytes: &[u8]) -> Option<Result<Value, ExtractErrorKind>> {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension)?;
    let parser = match extension {
        "yaml" | "yml" => ParserKind::Yaml,
        "json" => ParserKind::Json,
        "toml" => ParserKind::Toml,
        _ => return None,
    };
    let read = Text::new(bytes).and_then(|text| {
        parser.parse(&text, extension, |document| {
            document.tree().map_or(Value::Null, crate::node::Node::to_value)
        })
    });
    Some(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_language_gives_the_same_value() {
        let expect = json!({"a": {"b": [1, "x"]}});
        for (name, text) in [
            ("c.yaml", "a:\n  b: [1, x]\n"),
            ("c.yml", "a: {b: [1, x]}"),
            ("c.json", r#"{"a": {"b": [1, "x"]}}"#),
            ("c.toml", "[a]\nb = [1, \"x\"]\n"),
        ] {
            assert_eq!(read_data_file(name, text.as_bytes()).unwrap().unwrap(), expect, "{name}");
        }
        assert!(read_data_file("c.txt", b"").is_none());
        assert!(read_data_file("c.json", b"{").unwrap().is_err());
    }
}
