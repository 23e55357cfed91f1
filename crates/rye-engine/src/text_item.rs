//! Items that are texts: directives with placeholders for inputs, and knowledge.

use rye_item::{ItemKind, ItemRef};
use rye_plan::{Element, Parameters};
use serde_json::Value;

/// Why a text cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextItemError {
    /// Inputs that have to be given were not.
    #[error("{item} needs {}", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))]
    Missing {
        /// The item.
        item: ItemRef,
        /// The inputs.
        names: Vec<String>,
    },
    /// The file is not text.
    #[error("{item} is not text")]
    NotText {
        /// The item.
        item: ItemRef,
    },
}

/// The text of an item. In a directive, `{input:name}` stands for a parameter; `{input:name?}` may be missing, and
/// `{input:name:default}` has a default. What comes out of a parameter is not searched for placeholders again.
pub(crate) fn render(element: &Element, parameters: &Parameters) -> Result<String, TextItemError> {
    let item = element.item();
    let not_text = |_| TextItemError::NotText { item: item.clone() };
    let text = match &element.metadata.doc {
        Some(doc) => doc.as_str(),
        None => str::from_utf8(element.file.bytes().as_slice()).map_err(not_text)?,
    };
    if item.kind == ItemKind::Knowledge {
        return Ok(text.to_owned());
    }
    let mut missing = Vec::new();
    let mut rendered = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(MARK) {
        rendered.push_str(&rest[..start]);
        let inside = &rest[start + MARK.len()..];
        let placeholder = inside.find('}').map(|end| &inside[..end]).filter(|inside| is_placeholder(inside));
        let Some(placeholder) = placeholder else {
            rendered.push_str(MARK);
            rest = inside;
            continue;
        };
        rest = &inside[placeholder.len() + 1..];
        let (name, default) = match placeholder.split_once(':') {
            Some((name, default)) => (name, Some(default)),
            None => (placeholder.trim_end_matches('?'), placeholder.ends_with('?').then_some("")),
        };
        match (parameters.get(name).filter(|value| !value.is_null()), default) {
            (Some(Value::String(text)), _) => rendered.push_str(&text),
            (Some(value), _) => rendered.push_str(&value.to_string()),
            (None, Some(default)) => rendered.push_str(default),
            (None, None) => missing.push(name.to_owned()),
        }
    }
    rendered.push_str(rest);
    missing.dedup();
    if missing.is_empty() {
        Ok(rendered)
    } else {
        Err(TextItemError::Missing { item: item.clone(), names: missing })
    }
}

const MARK: &str = "{input:";

/// A name, perhaps with a question mark, or with a colon and anything after that.
fn is_placeholder(inside: &str) -> bool {
    let name = inside.split_once(':').map_or(inside.trim_end_matches('?'), |(name, _)| name);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}
