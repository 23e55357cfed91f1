//! The schemas that most tools have, and a quick answer for calls that fit them.
//!
//! Making a validator for the first time in a process costs milliseconds, because the validator of schemas is made
//! with it. Most schemas say nothing but types, names and choices; whether a call fits these is seen from its text.
//! The answer is "yes" or "ask the validator", so all refusals have one source.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use serde_json::value::RawValue;

use super::ValueType;

/// The versions in which all of the keywords below mean the same. Most MCP servers name the oldest.
const DIALECTS: [&str; 4] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-07/schema",
];

/// A schema that is valid and has none but a few keywords.
#[derive(Debug, Clone, Default)]
pub(super) struct PlainSchema {
    types: Option<Vec<ValueType>>,
    choices: Option<Vec<String>>,
    properties: HashMap<String, PlainSchema>,
    required: HashSet<String>,
    closed: bool,
    items: Option<Box<PlainSchema>>,
}

impl PlainSchema {
    /// Reads a schema, if it is a plain one. It recurses as deeply as the schema is nested, which is bounded.
    pub(super) fn read(schema: &Value) -> Option<Self> {
        let mut plain = Self::default();
        for (keyword, value) in schema.as_object()? {
            match keyword.as_str() {
                "type" => plain.types = Some(types(value)?),
                "enum" => plain.choices = Some(strings(value)?),
                "properties" => {
                    let properties = value.as_object()?.iter();
                    let read =
                        |(name, property): (&String, &Value)| Some((name.clone(), Self::read(property)?));
                    plain.properties = properties.map(read).collect::<Option<_>>()?;
                }
                "required" => {
                    let names = strings(value)?;
                    let count = names.len();
                    plain.required = names.into_iter().collect();
                    (plain.required.len() == count).then_some(())?;
                }
                "additionalProperties" => plain.closed = !value.as_bool()?,
                "items" => plain.items = Some(Box::new(Self::read(value)?)),
                "title" | "description" | "$comment" => drop(value.as_str()?),
                "examples" => drop(value.as_array()?),
                "default" => {}
                "$schema" if value.as_str().is_some_and(|name| DIALECTS.contains(&name)) => {}
                _ => return None,
            }
        }
        Some(plain)
    }

    /// Whether an object with these members certainly fits.
    pub(super) fn fits<'m>(&self, members: impl Iterator<Item = (&'m str, &'m RawValue)>) -> bool {
        self.choices.is_none() && self.has_type(ValueType::Object) && self.fits_members(members)
    }

    fn fits_members<'m>(&self, members: impl Iterator<Item = (&'m str, &'m RawValue)>) -> bool {
        let mut missing = self.required.len();
        for (name, value) in members {
            missing -= usize::from(self.required.contains(name));
            let fits = self.properties.get(name).map_or(!self.closed, |property| property.fits_value(value));
            if !fits {
                return false;
            }
        }
        missing == 0
    }

    fn fits_value(&self, value: &RawValue) -> bool {
        let json = value.get();
        let found = ValueType::of_json(json);
        self.has_type(found) && self.is_a_choice(json) && self.fits_inside(found, json)
    }

    fn has_type(&self, found: ValueType) -> bool {
        let also = if found == ValueType::Integer { ValueType::Number } else { found };
        self.types.as_ref().is_none_or(|types| types.iter().any(|known| *known == found || *known == also))
    }

    fn is_a_choice(&self, json: &str) -> bool {
        self.choices.as_ref().is_none_or(|choices| {
            serde_json::from_str::<String>(json).is_ok_and(|text| choices.contains(&text))
        })
    }

    fn fits_inside(&self, found: ValueType, json: &str) -> bool {
        match found {
            ValueType::Object if self.closed || !self.properties.is_empty() || !self.required.is_empty() => {
                serde_json::from_str::<HashMap<String, &RawValue>>(json).is_ok_and(|members| {
                    self.fits_members(members.iter().map(|(name, value)| (name.as_str(), *value)))
                })
            }
            ValueType::Array => self.items.as_ref().is_none_or(|schema| {
                serde_json::from_str::<Vec<&RawValue>>(json)
                    .is_ok_and(|items| items.into_iter().all(|item| schema.fits_value(item)))
            }),
            _ => true,
        }
    }
}

fn types(value: &Value) -> Option<Vec<ValueType>> {
    if let Some(name) = value.as_str() {
        return Some(vec![ValueType::named(name)?]);
    }
    let names = strings(value)?;
    let unique: HashSet<_> = names.iter().collect();
    if names.is_empty() || unique.len() < names.len() {
        return None;
    }
    names.iter().map(|name| ValueType::named(name)).collect()
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::parameters::Parameters;

    #[test]
    fn what_most_tools_have_is_plain() {
        for dialect in DIALECTS {
            assert!(PlainSchema::read(&json!({"$schema": dialect})).is_some(), "{dialect}");
        }
        let schema = json!({
            "$schema": DIALECTS[0], "title": "t", "description": "d", "type": "object",
            "properties": {
                "text": {"type": "string", "default": "a", "examples": ["b"]},
                "count": {"type": ["integer", "null"]},
                "ratio": {"type": "number"},
                "mode": {"enum": ["fast", "safe"]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "options": {"type": "object", "properties": {"level": {"type": "integer"}}, "required": ["level"]},
                "any": {},
            },
            "required": ["text"], "additionalProperties": false,
        });
        let plain = PlainSchema::read(&schema).unwrap();
        let check = |sent: &str, expect: bool| {
            assert_eq!(plain.fits(Parameters::parse(sent).unwrap().iter()), expect, "{sent}");
        };
        check(r#"{"text": ""}"#, true);
        check(r#"{"text": "a", "count": null, "ratio": 1, "mode": "f\u0061st", "tags": ["a", ""]}"#, true);
        check(
            r#"{"text": "a", "count": 123456789012345678901234567890, "options": {"level": -1, "x": 1}}"#,
            true,
        );
        check(r#"{"text": "a", "any": [{}], "ratio": 1e400, "options": {"level": 0}, "tags": []}"#, true);
        check("{}", false);
        check(r#"{"text": 1}"#, false);
        check(r#"{"text": "a", "other": 1}"#, false);
        check(r#"{"text": "a", "mode": "slow"}"#, false);
        check(r#"{"text": "a", "tags": ["a", 1]}"#, false);
        check(r#"{"text": "a", "options": {}}"#, false);
        // It is one to JSON Schema, and the validator will say so.
        check(r#"{"text": "a", "count": 1.0}"#, false);
    }

    #[test]
    fn all_else_is_for_the_validator() {
        for schema in [
            json!(true),
            json!({"type": "objekt"}),
            json!({"type": []}),
            json!({"type": ["null", "null"]}),
            json!({"enum": [1]}),
            json!({"required": ["a", "a"]}),
            json!({"properties": {"a": 1}}),
            json!({"properties": {"a": {"minimum": 1}}}),
            json!({"additionalProperties": {}}),
            json!({"items": false}),
            json!({"title": 1}),
            json!({"examples": 1}),
            json!({"$schema": "http://json-schema.org/draft-04/schema#"}),
            json!({"$ref": "#"}),
        ] {
            assert!(PlainSchema::read(&schema).is_none(), "{schema}");
        }
    }
}
