//! What fits a schema, what is added, and how each refusal reads.

use rye_plan::parameters::{ParameterErrors, Parameters, Schema, ValueType, Violation, ViolationKind};
use serde_json::{Value, json};

fn check(schema: &Value, sent: &str) -> Result<String, ParameterErrors> {
    let schema = Schema::compile(schema).unwrap();
    Parameters::parse(sent).unwrap().check(&schema).map(|checked| checked.to_json())
}

#[track_caller]
fn refused(schema: &Value, sent: &str, expect: &[&str]) {
    let errors = check(schema, sent).unwrap_err();
    let lines: Vec<_> = errors.violations.iter().map(ToString::to_string).collect();
    assert_eq!(lines, expect, "{sent} against {schema}");
    assert!(!errors.more);
}

/// The same schema in a form that is not plain.
fn not_plain(schema: &Value) -> Value {
    json!({"allOf": [true], "type": schema["type"], "properties": schema["properties"], "required": schema["required"],
        "additionalProperties": schema["additionalProperties"]})
}

#[test]
fn what_was_sent_is_not_altered() {
    let sent = concat!(
        r#"{"timeout":1.00,"cwd":"${HOME}","env":{"b":1,"a":[1e400,-0,123456789012345678901234567890]},"#,
        r#""__x__":"{tool_path}\n\"","project_path":null,"":0}"#
    );
    for schema in [json!({}), json!(true), json!({"type": "object"}), json!({"minProperties": 1})] {
        assert_eq!(check(&schema, sent).unwrap(), sent, "{schema}");
    }
    let numbers = json!({"properties": {"timeout": {"type": "number"}, "env": {"type": "object", "properties": {
        "b": {"type": "integer"}, "a": {"type": "array", "items": {"type": "number"}}, "c": {"default": 1.5}}}}});
    let with_default = sent.replace("567890]}", "567890],\"c\":1.5}");
    assert_eq!(check(&numbers, sent).unwrap(), with_default);
}

#[test]
fn defaults_are_added_where_nothing_was_sent() {
    let schema = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string", "default": "a"},
            "off": {"type": "boolean", "default": false},
            "nothing": {"type": "null", "default": null},
            "plain": {"type": "string"},
            "options": {"type": "object", "default": {}, "properties": {
                "level": {"type": "integer", "default": 3},
                "deep": {"type": "object", "properties": {"x": {"default": [1]}}}}},
        },
        "required": ["text"],
    });
    let check_both = |sent: &str, expect: &str| {
        assert_eq!(check(&schema, sent).unwrap(), expect, "{sent}");
        assert_eq!(
            check(
                &not_plain(&json!({"type": "object", "properties": schema["properties"],
            "required": [], "additionalProperties": true})),
                sent
            )
            .unwrap(),
            expect,
            "{sent}"
        );
    };
    check_both("{}", r#"{"text":"a","off":false,"nothing":null,"options":{"level":3}}"#);
    check_both(
        r#"{"off": true, "x": 1, "text": "b", "nothing": null, "options": {"deep": {}, "level": 7}}"#,
        r#"{"off":true,"x":1,"text":"b","nothing":null,"options":{"deep":{"x":[1]},"level":7}}"#,
    );
    refused(&schema, r#"{"options": null}"#, &["`/options` must be an object, not null"]);
}

#[test]
fn every_violation_is_told_with_its_place() {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "count": {"type": "integer"},
            "mode": {"enum": ["fast", "safe"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "nested": {"type": "object", "properties": {"depth": {"type": ["integer", "null"]}}, "required": ["depth"],
                "additionalProperties": false},
        },
        "required": ["name"],
        "additionalProperties": false,
    });
    assert!(
        check(
            &schema,
            r#"{"name": "a", "count": 1.0, "mode": "fast", "tags": [], "nested": {"depth": null}}"#
        )
        .is_ok()
    );
    for schema in [&schema, &not_plain(&schema)] {
        refused(schema, "{}", &["`/name` is missing"]);
        refused(
            schema,
            r#"{"nmae": "a", "zzz": 1}"#,
            &[
                "`/nmae` is unknown, did you mean `name`?",
                "`/zzz` is unknown",
                "`/name` is missing, is it `nmae` that was meant for it?",
            ],
        );
        refused(
            schema,
            r#"{"name": 1, "count": 1.5, "mode": "slow", "tags": ["a", 1, null], "nested": {"dpeth": 1, "a/b~": 2}}"#,
            &[
                "`/name` must be a string, not an integer",
                "`/count` must be an integer, not a number",
                "`/mode` must be one of \"fast\", \"safe\"",
                "`/tags/1` must be a string, not an integer",
                "`/tags/2` must be a string, not null",
                "`/nested/dpeth` is unknown, did you mean `depth`?",
                "`/nested/a~1b~0` is unknown",
                "`/nested/depth` is missing, is it `dpeth` that was meant for it?",
            ],
        );
    }
}

#[test]
fn violations_are_data() {
    let schema = json!({"properties": {"a": {"type": ["string", "integer"]}}, "additionalProperties": false});
    let errors = check(&schema, r#"{"a": true, "A": 1}"#).unwrap_err();
    let expect = [
        Violation {
            path: "/a".to_owned(),
            kind: ViolationKind::WrongType {
                expected: vec![ValueType::Integer, ValueType::String],
                found: ValueType::Boolean,
            },
        },
        Violation { path: "/A".to_owned(), kind: ViolationKind::Unknown { nearest: Some("a".to_owned()) } },
    ];
    assert_eq!(errors.violations, expect);
}

#[test]
fn every_keyword_has_its_words() {
    for (property, value, expect) in [
        (json!({"const": {"a": 1}}), "1", "must be {\"a\":1}"),
        (json!({"minimum": 2}), "1", "must be at least 2"),
        (json!({"maximum": 2}), "1e400", "must be at most 2"),
        (json!({"exclusiveMinimum": 2}), "-123456789012345678901234567890", "must be more than 2"),
        (json!({"exclusiveMaximum": 2.5}), "2.5", "must be less than 2.5"),
        (json!({"multipleOf": 3}), "4", "must be a multiple of 3"),
        (json!({"minLength": 2}), "\"ä\"", "must have at least 2 characters"),
        (json!({"maxLength": 1}), "\"ab\"", "must have at most 1 character"),
        (json!({"pattern": "^a+$"}), "\"b\"", "must match the pattern `^a+$`"),
        (json!({"minItems": 1}), "[]", "must have at least 1 element"),
        (json!({"maxItems": 1}), "[1,2]", "must have at most 1 element"),
        (json!({"uniqueItems": true}), "[1,1]", "must not have the same element twice"),
        (
            json!({"contains": {"type": "null"}}),
            "[1]",
            "does not have as many of the elements that `contains` asks for as it must",
        ),
        (
            json!({"prefixItems": [true], "unevaluatedItems": false}),
            "[1,2]",
            "has elements that are not allowed",
        ),
        (json!({"minProperties": 1}), "{}", "must have at least 1 name"),
        (json!({"maxProperties": 0}), "{\"a\":1}", "must have at most 0 names"),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            "{\"ab\":1}",
            "has a name that must have at most 1 character",
        ),
        (json!({"not": {"type": "string"}}), "\"a\"", "is what the schema excludes with `not`"),
        (json!(false), "1", "is not allowed"),
        (json!({"oneOf": [{"minimum": 1}, {"minimum": 2}]}), "3", "fits more than one of the alternatives"),
        (
            json!({"anyOf": [{"type": "null"}, {"required": ["x"]}]}),
            "{}",
            "fits none of the alternatives: must be null, not an object; or `/p/x` is missing",
        ),
        (
            json!({"oneOf": [{"type": "null"}, {"anyOf": [{"type": "null"}]}]}),
            "1",
            "fits none of the alternatives: must be null, not an integer; or fits none of the alternatives",
        ),
        (
            json!({"enum": (0..30).collect::<Vec<_>>()}),
            "30",
            "must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 or 10 others",
        ),
    ] {
        let sent = format!("{{\"p\":{value}}}");
        refused(&json!({"properties": {"p": property}}), &sent, &[&format!("`/p` {expect}")]);
    }
    refused(
        &json!({"properties": {"p": {"prefixItems": [true], "items": false}}}),
        r#"{"p": [1, 2]}"#,
        &["`/p/1` is not allowed"],
    );
    refused(&json!({"minProperties": 1}), "{}", &["the whole must have at least 1 name"]);
    refused(
        &json!({"properties": {"a": true}, "unevaluatedProperties": false}),
        r#"{"a": 1, "b": 2}"#,
        &["`/b` is unknown"],
    );
    let format = json!({"properties": {"p": {"format": "email"}}});
    assert!(check(&format, r#"{"p": "nobody"}"#).is_ok());
}

#[test]
fn references_inside_the_schema_are_followed() {
    let schema = json!({
        "properties": {"tree": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "additionalProperties": false}},
    });
    assert!(check(&schema, r#"{"tree": {"next": {"next": {}}}}"#).is_ok());
    refused(
        &schema,
        r#"{"tree": {"next": {"nxt": {}}}}"#,
        &["`/tree/next/nxt` is unknown, did you mean `next`?"],
    );
}
