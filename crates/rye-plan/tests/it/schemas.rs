//! Which schemas are refused, and how that reads.

use std::error::Error;

use rye_plan::parameters::Schema;
use serde_json::{Value, json};

#[test]
fn unusable_schemas_are_explained() {
    let nested = |levels: usize| (0..levels).fold(json!({}), |inner, _| json!({"not": inner}));
    for (schema, expect) in [
        (json!(1), "the whole must be a boolean or an object, not an integer"),
        (
            json!({"type": "objekt"}),
            "`/type` fits none of the alternatives: must be one of \"array\", \"boolean\", \"integer\", \"null\", \
             \"number\", \"object\", \"string\"; or must be an array, not a string",
        ),
        (
            json!({"required": "a", "properties": {"b": {"minLength": -1}, "c": 7}}),
            "`/properties/b/minLength` must be at least 0\n\
             `/properties/c` must be a boolean or an object, not an integer\n\
             `/required` must be an array, not a string",
        ),
        (json!({"required": ["a", "a"]}), "`/required` must not have the same element twice"),
        (
            json!({"properties": {"a": {"pattern": "(a"}}}),
            "`/properties/a/pattern` must be in the format `regex`",
        ),
        (
            json!({"$ref": "https://example.com/x.json"}),
            "refers to `https://example.com/x.json`, which is not a part of the schema itself",
        ),
        (
            json!({"properties": {"a": {"$ref": "file:///etc/hostname"}}}),
            "refers to `file:///etc/hostname`, which is not a part of the schema itself",
        ),
        (
            json!({"properties": {"a": {"$ref": "other.json#/x"}}}),
            "refers to `other.json#/x`, which is not a part of the schema itself",
        ),
        (
            json!({"properties": {"a": {"$ref": "#/$defs/none"}}}),
            "has a reference that leads nowhere: Pointer '/$defs/none' does not exist",
        ),
        (
            json!({"$schema": "https://example.com/mine"}),
            "`$schema` is `https://example.com/mine`, which is no known version of JSON Schema",
        ),
        (nested(128), "nested more than 128 levels deep"),
    ] {
        let error = Schema::compile(&schema).map(|_| ()).unwrap_err();
        assert_eq!(error.source().unwrap().to_string(), expect, "{schema}");
    }
}

#[test]
fn usable_schemas_are_taken() {
    let nested: Value = (0..100).fold(json!({}), |inner, _| json!({"not": inner}));
    for schema in [
        json!(true),
        json!({}),
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"items": [true, false]}}}),
        json!({"$id": "https://example.com/a", "properties": {"a": {"$ref": "https://example.com/a#/$defs/b"}}, "$defs": {"b": {}}}),
        json!({"properties": {"a": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}}),
        json!({"properties": {"a": {"pattern": "^(?=a)", "default": {"$ref": "https://example.com/x"}}}}),
        json!({"unknown_keyword": 1, "allOf": [{"$ref": "#"}]}),
        nested,
    ] {
        Schema::compile(&schema).unwrap_or_else(|error| panic!("{schema}: {}", error.kind));
    }
}
