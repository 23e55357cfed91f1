//! Rules that are regular expressions.

use rye_metadata::{Extractor, ItemPath};
use serde_json::json;

use super::{extraction, item_files};

/// The bytes are a file with a comment header; and, up to the first line end, a pattern that is sought in the rest.
pub(crate) fn text_rules(bytes: &[u8]) {
    item_files::shell(bytes);
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (pattern, text) = bytes.split_at(end);
    for format in ["text", "yaml"] {
        let Some(extractor) = extractor(&String::from_utf8_lossy(pattern), format) else { return };
        let found = extraction::check(&extractor, "some/tool.txt", text);
        let Ok(extraction) = found else { continue };
        // What a group of an expression matches is in the text, but for the spaces around it.
        if let Some(title) = extraction.metadata.title.filter(|_| format == "text") {
            let text = String::from_utf8_lossy(text).replace("\r\n", "\n").replace('\r', "\n");
            assert!(text.contains(&title), "{title:?}");
            assert_eq!(title.trim(), title);
        }
    }
}

fn extractor(pattern: &str, format: &str) -> Option<Extractor> {
    let regex = json!({"type": "regex", "pattern": pattern, "format": format});
    let all = json!({"type": "regex_all", "pattern": pattern});
    let rules = json!({"title": regex, "config": regex, "tags": all});
    let config = json!({"extensions": ["txt"], "parser": "text", "rules": rules});
    let file = json!({"tool_type": "extractor", "config": config}).to_string();
    let extractor = Extractor::parse(file.as_bytes()).ok()?;
    // An expression that was taken can be used at once.
    let _ = extractor.extract(ItemPath::new("a.txt"), b"");
    Some(extractor)
}
