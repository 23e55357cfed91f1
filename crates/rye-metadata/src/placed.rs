//! A YAML file as values with their places, for crates that understand a part of it which is opaque here.

use serde_json::{Map, Number, Value};

use crate::node::{Entry, Node, NodeKind};
use crate::text::Text;
use crate::{ExtractErrorKind, Position};

/// A value and where it stands in its file.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Its first character, if the parser knows it.
    pub position: Option<Position>,
    /// The value itself.
    pub kind: PlacedKind,
}

/// What a [`Placed`] value is.
#[derive(Debug, Clone)]
pub enum PlacedKind {
    /// Null, or nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Placed>),
    /// A map, in the order of the file. No key is there twice.
    Map(Vec<PlacedEntry>),
}

/// A key of a map with its value.
#[derive(Debug, Clone)]
pub struct PlacedEntry {
    /// The key; one that is not a text is given as JSON writes it.
    pub key: String,
    /// Where the key stands.
    pub key_position: Option<Position>,
    /// What it has.
    pub value: Placed,
}

/// Reads a YAML file that is a map, with the place of every value. The limits are those of item files.
///
/// # Errors
/// If the file is too large or too complex, no text, not valid YAML, or no map.
pub fn read_placed_yaml(bytes: &[u8]) -> Result<Placed, ExtractErrorKind> {
    let text = Text::new(bytes)?;
    let node = crate::parser::parse_yaml(&text)?;
    Ok(placed(&text, node))
}

impl Placed {
    /// What kind of value it is, for a sentence.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match &self.kind {
            PlacedKind::Null => "null",
            PlacedKind::Bool(_) => "a boolean",
            PlacedKind::Number(_) => "a number",
            PlacedKind::Text(_) => "a text",
            PlacedKind::List(_) => "a list",
            PlacedKind::Map(_) => "a map",
        }
    }

    /// The value of `key`, if this is a map that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.kind {
            PlacedKind::Map(entries) => {
                entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
            }
            _ => None,
        }
    }

    /// The value without places.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.kind {
            PlacedKind::Null => Value::Null,
            PlacedKind::Bool(bool) => Value::Bool(*bool),
            PlacedKind::Number(number) => Value::Number(number.clone()),
            PlacedKind::Text(text) => Value::String(text.clone()),
            PlacedKind::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            PlacedKind::Map(entries) => {
                let entries = entries.iter().map(|entry| (entry.key.clone(), entry.value.to_value()));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }
}

fn placed(text: &Text<'_>, node: Node) -> Placed {
    let position = text.position(node.at);
    let kind = match node.kind {
        NodeKind::Null => PlacedKind::Null,
        NodeKind::Bool(bool) => PlacedKind::Bool(bool),
        NodeKind::Number(number) => PlacedKind::Number(number),
        NodeKind::Text(text) => PlacedKind::Text(text),
        NodeKind::List(items) => PlacedKind::List(items.into_iter().map(|item| placed(text, item)).collect()),
        NodeKind::Map(entries) => {
            PlacedKind::Map(entries.into_iter().map(|entry| placed_entry(text, entry)).collect())
        }
    };
    Placed { position, kind }
}

fn placed_entry(text: &Text<'_>, entry: Entry) -> PlacedEntry {
    let key_position = text.position(entry.key_at);
    PlacedEntry { key: entry.key, key_position, value: placed(text, entry.value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_knows_its_place() {
        let file = read_placed_yaml(b"a: 1\nb:\n  - x\n  - {c: true}\n").unwrap();
        assert_eq!(file.to_value(), serde_json::json!({"a": 1, "b": ["x", {"c": true}]}));
        let PlacedKind::List(items) = &file.get("b").unwrap().kind else { panic!("no list") };
        let place = |value: &Placed| value.position.unwrap().to_string();
        assert_eq!((place(&items[0]).as_str(), place(items[1].get("c").unwrap()).as_str()), ("3:5", "4:9"));
        assert_eq!(items[1].kind_name(), "a map");
    }

    #[test]
    fn what_is_no_map_is_refused() {
        assert!(read_placed_yaml(b"- 1\n").is_err());
        assert!(read_placed_yaml(b"a: 1\na: 2\n").is_err());
    }
}
