//! A value read from a file, with the place of every part of it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::text::Spot;

/// How deep a value may be nested. `serde_json` has the same limit, so a value that passes can be written as
/// JSON and read back, and code that walks one may recurse.
pub(crate) const MAX_VALUE_DEPTH: usize = 128;

/// A value and its place.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) at: Spot,
    pub(crate) kind: NodeKind,
}

#[derive(Debug, Clone)]
pub(crate) enum NodeKind {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key of a map with its value; the place of the node is that of the value.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_at: Spot,
    pub(crate) value: Node,
}

impl Node {
    pub(crate) fn text(text: impl Into<String>, at: Spot) -> Self {
        Self { at, kind: NodeKind::Text(text.into()) }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.kind, NodeKind::Null)
    }

    /// What kind of value it is, for a sentence.
    pub(crate) fn kind_name(&self) -> &'static str {
        match &self.kind {
            NodeKind::Null => "null",
            NodeKind::Bool(_) => "a boolean",
            NodeKind::Number(_) => "a number",
            NodeKind::Text(_) => "a text",
            NodeKind::List(_) => "a list",
            NodeKind::Map(_) => "a map",
        }
    }

    /// The value of `key`, if this is a map that has it, or the element with that index of a list.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match &self.kind {
            NodeKind::Map(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value),
            NodeKind::List(items) => items.get(key.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// The value without places, for fields that are opaque here.
    pub(crate) fn to_value(&self) -> Value {
        match &self.kind {
            NodeKind::Null => Value::Null,
            NodeKind::Bool(bool) => Value::Bool(*bool),
            NodeKind::Number(number) => Value::Number(number.clone()),
            NodeKind::Text(text) => Value::String(text.clone()),
            NodeKind::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            NodeKind::Map(entries) => Value::Object(entries_to_map(entries)),
        }
    }
}

pub(crate) fn entries_to_map(entries: &[Entry]) -> Map<String, Value> {
    entries.iter().map(|entry| (entry.key.clone(), entry.value.to_value())).collect()
}

/// Reads any self-describing format. Places are unknown, duplicate keys are refused.
impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let kind = deserializer.deserialize_any(KindVisitor(|node: Self| node))?;
        Ok(Self { at: Spot::Unknown, kind })
    }
}

/// Builds a [`NodeKind`] whose parts are deserialised as `T`, which the function turns into a node. YAML uses it
/// with a `T` that knows its place.
pub(crate) struct KindVisitor<T>(pub(crate) fn(T) -> Node);

impl<'de, T: Deserialize<'de>> Visitor<'de> for KindVisitor<T> {
    type Value = NodeKind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<NodeKind, E> {
        Ok(NodeKind::Null)
    }

    fn visit_none<E>(self) -> Result<NodeKind, E> {
        Ok(NodeKind::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<NodeKind, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<NodeKind, E> {
        Ok(NodeKind::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<NodeKind, E> {
        Ok(NodeKind::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<NodeKind, E> {
        Ok(NodeKind::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<NodeKind, E> {
        Number::from_f64(value).map(NodeKind::Number).ok_or_else(|| E::custom("numbers must be finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<NodeKind, E> {
        Ok(NodeKind::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<NodeKind, E> {
        Ok(NodeKind::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<NodeKind, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element::<T>()? {
            items.push((self.0)(item));
        }
        Ok(NodeKind::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<NodeKind, A::Error> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        while let Some(key) = access.next_key::<T>()? {
            let key = (self.0)(key);
            let key_at = key.at;
            let Some(key) = key_text(key) else {
                return Err(A::Error::custom("keys must be texts"));
            };
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("duplicate key `{key}`")));
            }
            let value = (self.0)(access.next_value::<T>()?);
            entries.push(Entry { key, key_at, value });
        }
        Ok(NodeKind::Map(entries))
    }
}

/// A scalar key as JSON would write it: `200: ok` in YAML has the key `"200"`.
fn key_text(key: Node) -> Option<String> {
    match key.kind {
        NodeKind::Text(text) => Some(text),
        NodeKind::Number(number) => Some(number.to_string()),
        NodeKind::Bool(bool) => Some(bool.to_string()),
        NodeKind::Null => Some("null".to_owned()),
        NodeKind::List(_) | NodeKind::Map(_) => None,
    }
}
