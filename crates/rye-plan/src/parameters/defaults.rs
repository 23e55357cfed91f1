//! Adding the defaults of a schema to what was sent.

use indexmap::IndexMap;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::ValueType;

type Members = IndexMap<String, Box<RawValue>>;

/// Adds what `schema` has a default for and `members` has not, and says whether there was anything.
///
/// It recurses as deeply as the schema is nested, which is bounded.
pub(super) fn add(schema: &Value, members: &mut Members) -> bool {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return false };
    let mut added = false;
    for (name, property) in properties {
        let complete = match members.get(name) {
            Some(sent) => complete_object(property, sent),
            None => default_of(property),
        };
        if let Some(complete) = complete {
            members.insert(name.clone(), complete);
            added = true;
        }
    }
    added
}

fn default_of(property: &Value) -> Option<Box<RawValue>> {
    let default = to_raw_value(property.get("default")?).ok()?;
    Some(complete_object(property, &default).unwrap_or(default))
}

/// The object with its own defaults, if it is one that lacks any.
fn complete_object(schema: &Value, json: &RawValue) -> Option<Box<RawValue>> {
    if ValueType::of_json(json.get()) != ValueType::Object || schema.get("properties").is_none() {
        return None;
    }
    let mut members: Members = serde_json::from_str(json.get()).ok()?;
    if add(schema, &mut members) { to_raw_value(&members).ok() } else { None }
}
