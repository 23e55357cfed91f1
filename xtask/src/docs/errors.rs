//! The reference of error codes: those that the sources name, with what the topic about errors says to do.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::page::Page;
use super::rust_docs;
use crate::error::TaskError;

const CODES: &str = "crates/rye-engine/src/error_code.rs";
const TOPIC: &str = "bundle/.ai/knowledge/rye/help/errors.md";

pub(super) fn page(root: &Path) -> Result<Page, TaskError> {
    let source = super::read(root, CODES)?;
    let topic = super::read(root, TOPIC)?;
    Ok(Page::new("reference/errors.md", &format!("{CODES} and {TOPIC}"), &text(&source, &topic)?))
}

fn text(source: &str, topic: &str) -> Result<String, TaskError> {
    let mut advice = explained(topic);
    let mut text = String::from(
        "# Error codes\n\n\
         A code is a stable name. It stands in brackets behind a message, and with `--json` and through MCP as `error.code`. \
         [Errors](../topics/errors.md) has an example.\n\n\
         | code | what it means | what to do |\n|---|---|---|\n",
    );
    let mut silent = Vec::new();
    for (name, meaning) in rust_docs::named_variants(source, "ErrorCode") {
        match advice.remove(name.as_str()) {
            Some(advice) => {
                let _ = writeln!(text, "| `{name}` | {} | {} |", cell(&meaning), cell(&advice));
            }
            None => silent.push(format!("`{name}` is not explained in {TOPIC}")),
        }
    }
    if !silent.is_empty() {
        return Err(TaskError::Violations { check: "error codes", violations: silent });
    }
    text +=
        "\n## Of the command line, keys and servers\n\n| code | what it means, and what to do |\n|---|---|\n";
    for (name, advice) in advice {
        let _ = writeln!(text, "| `{name}` | {} |", cell(&advice));
    }
    Ok(text)
}

/// What the lists of the topic say about each code.
fn explained(topic: &str) -> BTreeMap<&str, String> {
    let mut found: BTreeMap<&str, String> = BTreeMap::new();
    let mut current: Vec<&str> = Vec::new();
    for line in topic.lines() {
        if let Some((codes, words)) = line.strip_prefix("- ").and_then(|entry| entry.split_once(':')) {
            current = codes.split(", ").collect();
            for code in &current {
                found.insert(code, words.trim().to_owned());
            }
        } else if let Some(more) = line.strip_prefix("  ") {
            for code in &current {
                if let Some(words) = found.get_mut(code) {
                    words.push(' ');
                    words.push_str(more.trim());
                }
            }
        } else {
            current.clear();
        }
    }
    found
}

/// A text that may stand in a table.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "pub enum ErrorCode {\n    /// It is not\n    /// there.\n    NotThere,\n}\n\
        match self { Self::NotThere => \"NOT_THERE\", }";

    #[test]
    fn a_code_has_its_meaning_and_its_advice() {
        let topic = "# Errors\n\n- NOT_THERE: look at `a|b`,\n  then elsewhere.\n- USAGE, IO: read.\n";
        let page = text(SOURCE, topic).unwrap();
        assert!(
            page.contains("| `NOT_THERE` | It is not there. | look at `a\\|b`, then elsewhere. |"),
            "{page}"
        );
        assert!(page.contains("| `IO` | read. |\n| `USAGE` | read. |"), "{page}");
    }

    #[test]
    fn a_code_that_nobody_explains_is_an_error() {
        assert!(matches!(text(SOURCE, "# Errors\n"), Err(TaskError::Violations { .. })));
    }
}
