//! Rules that are regular expressions.

use rye_metadata::Extractor;
use serde_json::json;

use super::{extraction, item_files};

/// The bytes are a file with a comment header; and, up to the first line end, a pattern that is sought in the rest.
pub(crate) fn text_rules(bytes: &[u8]) {
    item_files::shell(bytes);
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (pattern, text) = bytes.split_at(end);
    let Some(extractor) = extractor(&String::from_utf8_lossy(pattern)) else { return };
    let Ok(extraction) = extraction::check(&extractor, "some/tool.txt", text) else { return };
    // What a group of an expression matches is in the text, but for the spaces around it.
    if let Some(title) = extraction.metadata.title {
        let text = String::from_utf8_lossy(text).replace("\r\n", "\n").replace('\r', "\n");
        assert!(text.contains(&title), "{title:?}");
        assert_eq!(title.trim(), title);
    }
}

/// An extractor that uses the pattern in every way, if it can be used.
fn extractor(pattern: &str) -> Option<Extractor> {
    let rules = json!({
        "title": {"type": "regex", "pattern": pattern},
        "config": {"type": "regex", "pattern": pattern, "format": "yaml"},
        "tags": {"type": "regex_all", "pattern": pattern},
    });
    let config = json!({"extensions": ["txt"], "parser": "text", "rules": rules});
    let file = json!({"tool_type": "extractor", "config": config}).to_string();
    Extractor::parse(file.as_bytes()).ok()
}
