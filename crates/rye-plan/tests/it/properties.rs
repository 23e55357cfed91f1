//! What holds for all parameters and all schemas.

use std::fmt::Write as _;

use proptest::prelude::*;
use rye_plan::parameters::{Parameters, ParametersError, Schema};
use serde_json::{Map, Value, json};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1_000_000_i32..1_000_000).prop_map(|number| json!(f64::from(number) / 4.0)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((any::<String>(), value()), 0..6).prop_map(|entries| entries.into_iter().collect())
}

/// JSON with as much space and as many escapes as there can be.
fn spacious(value: &Value, out: &mut String) {
    out.push_str(" \n");
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "\t," } else { "" });
                spacious(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (index, (name, item)) in map.iter().enumerate() {
                out.push_str(if index > 0 { "\t," } else { "" });
                spacious(&Value::from(name.as_str()), out);
                out.push(':');
                spacious(item, out);
            }
            out.push('}');
        }
        Value::String(text) => {
            out.push('"');
            for unit in text.encode_utf16() {
                write!(out, "\\u{unit:04x}").unwrap();
            }
            out.push('"');
        }
        other => write!(out, "{other}").unwrap(),
    }
    out.push_str("\r ");
}

/// A schema of the few keywords that most have, for names and values that [`small_object`] makes.
fn small_schema() -> impl Strategy<Value = Value> {
    let name = || prop::sample::select(vec!["a", "b", "c"]);
    let kind =
        || prop::sample::select(vec!["null", "boolean", "integer", "number", "string", "array", "object"]);
    let leaf = prop_oneof![
        Just(json!({})),
        kind().prop_map(|kind| json!({"type": kind, "description": "x"})),
        prop::collection::btree_set(kind(), 1..4).prop_map(|kinds| json!({"type": kinds})),
        prop::collection::vec(prop::sample::select(vec!["x", "y"]), 0..3)
            .prop_map(|choices| json!({"enum": choices})),
        small_value().prop_map(|default| json!({"default": default})),
    ];
    leaf.prop_recursive(3, 12, 3, move |inner| {
        let objects = (
            prop::collection::vec((name(), inner.clone()), 0..4),
            prop::collection::btree_set(name(), 0..3),
            any::<bool>(),
            any::<bool>(),
        );
        let objects = objects.prop_map(|(properties, required, open, typed)| {
            let properties: Map<_, _> =
                properties.into_iter().map(|(name, it)| (name.to_owned(), it)).collect();
            let mut schema =
                json!({"properties": properties, "required": required, "additionalProperties": open});
            if typed {
                schema["type"] = json!("object");
            }
            schema
        });
        prop_oneof![objects, inner.prop_map(|items| json!({"type": "array", "items": items}))]
    })
}

fn small_value() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(1),
        json!(1.0),
        json!(1.5),
        json!("x"),
        json!("z"),
    ]);
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            small_members(inner).prop_map(Value::from),
        ]
    })
}

fn small_members(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((prop::sample::select(vec!["a", "b", "c", "d"]), inner), 0..4)
        .prop_map(|members| members.into_iter().map(|(name, it)| (name.to_owned(), it)).collect())
}

/// A number as JSON may have it, of any length.
fn digits() -> impl Strategy<Value = String> {
    "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,4})?"
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn json_goes_through_unaltered(object in object()) {
        let value = Value::Object(object.clone());
        let mut sent = String::new();
        spacious(&value, &mut sent);
        let parameters = Parameters::parse(&sent).unwrap();
        prop_assert_eq!(parameters.len(), object.len());
        let json = parameters.to_json();
        prop_assert!(!json.contains(['\n', '\r', '\t']));
        prop_assert_eq!(&serde_json::from_str::<Value>(&json).unwrap(), &value);
        for ((name, raw), (expect, item)) in parameters.iter().zip(&object) {
            prop_assert_eq!(name, expect);
            prop_assert_eq!(&serde_json::from_str::<Value>(raw.get()).unwrap(), item);
            prop_assert_eq!(parameters.get(name), Some(item.clone()));
        }
        prop_assert_eq!(Parameters::parse(&json).unwrap().to_json(), json);
    }

    #[test]
    fn pairs_are_the_same_as_their_json(object in object()) {
        let parameters = Parameters::from_pairs(object.clone()).unwrap();
        prop_assert_eq!(parameters.to_json(), Value::Object(object).to_string());
    }

    #[test]
    fn numbers_keep_their_digits(first in digits(), second in digits()) {
        let sent = format!("{{\"a\":{first},\"b\":{{\"c\":[{second}]}}}}");
        let parameters = Parameters::parse(&sent).unwrap();
        prop_assert_eq!(parameters.to_json(), &*sent);
        prop_assert!(parameters.get("a").unwrap().is_number());
        for schema in [
            json!({"properties": {"a": {"type": "number"}, "b": {"properties": {"d": {"default": 1}}}}}),
            json!({"properties": {"a": {"not": {"type": "string"}}, "b": {"properties": {"d": {"default": 1}}}}}),
        ] {
            let checked = parameters.check(&Schema::compile(&schema).unwrap()).unwrap();
            prop_assert_eq!(checked.to_json(), sent.replace("]}", "],\"d\":1}"));
        }
    }

    /// A plain schema gives the same answers as one that only a validator can answer.
    #[test]
    fn the_quick_answer_is_that_of_the_validator(schema in small_schema(), members in small_members(small_value())) {
        let parameters = Parameters::from_pairs(members).unwrap();
        let plain = Schema::compile(&schema).unwrap();
        let mut validated = schema;
        validated["minProperties"] = json!(0);
        let validated = Schema::compile(&validated).unwrap();
        let answer = |schema: &Schema| parameters.check(schema).map(|checked| checked.to_json());
        prop_assert_eq!(answer(&plain), answer(&validated));
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Parameters::parse(bytes);
    }

    #[test]
    fn whatever_looks_like_json_is_read_as_serde_reads_it(text in "\\{(\"[ab]\"|[\\[\\]{}:,\" 0-9.eE-]|true|null|\\\\u[0-9a-d]{4}|\\\\){0,24}\\}") {
        let value = serde_json::from_str::<Value>(&text);
        match Parameters::parse(&text) {
            Ok(parameters) => {
                let read = serde_json::from_str::<Value>(&parameters.to_json());
                prop_assert_eq!(read.ok(), value.ok());
            }
            // Serde takes the last of several.
            Err(ParametersError::RepeatedName { .. }) => prop_assert!(value.is_ok()),
            Err(_) => prop_assert!(value.is_err()),
        }
    }
}
