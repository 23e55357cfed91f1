//! Values in JSON, YAML and TOML.

use serde_json::{Value, json};

use super::{call, link, refusal, wrong_parameters};
use crate::space::TestSpace;

const QUERY: &str = "rye/data/query";

fn values(space: &TestSpace, params: &Value) -> Value {
    call(space, QUERY, params)["values"].clone()
}

#[test]
fn every_format_is_read() {
    let space = TestSpace::with_bundle();
    space.write("project/a.json", r#"{"users": [{"name": "Ada", "age": 36}, {"name": "Bob", "age": 20}]}"#);
    space.write(
        "project/a.yml",
        "users:\n  - &ada {name: Ada, age: 36}\n  - {name: Bob, age: 20}\nfirst: *ada\n",
    );
    space.write(
        "project/a.toml",
        "[[users]]\nname = \"Ada\"\nage = 36\n[[users]]\nname = \"Bob\"\nage = 20\n",
    );
    for file in ["a.json", "a.yml", "a.toml"] {
        let check = |path: &str, expect: Value| {
            assert_eq!(values(&space, &json!({ "file": file, "path": path })), expect, "{file} {path}");
        };
        check("users[0].name", json!(["Ada"]));
        check("users[*].name", json!(["Ada", "Bob"]));
        check("$.users[?@.age < 30].name", json!(["Bob"]));
        check("users[5].name", json!([]));
    }
    assert_eq!(values(&space, &json!({ "file": "a.yml", "path": "first.name" })), json!(["Ada"]));
    let cut = call(&space, QUERY, &json!({ "file": "a.json", "path": "..name", "limit": 1 }));
    assert_eq!(cut, json!({ "values": ["Ada"], "paths": ["$['users'][0]['name']"], "truncated": true }));
}

#[test]
fn a_text_has_a_format() {
    let space = TestSpace::with_bundle();
    assert_eq!(values(&space, &json!({ "text": "[1, 2]", "format": "json" })), json!([[1, 2]]));
    assert_eq!(
        values(&space, &json!({ "text": "- yes\n- {a: 1}", "format": "yaml", "path": "[1].a" })),
        json!([1])
    );
    space.write("project/settings.conf", "a = 1\n");
    assert_eq!(
        values(&space, &json!({ "file": "settings.conf", "format": "toml", "path": "a" })),
        json!([1])
    );
    assert!(
        refusal(&space, QUERY, &json!({ "file": "settings.conf" }))
            .starts_with("the format of `settings.conf` is not known")
    );
    assert!(refusal(&space, QUERY, &json!({ "text": "1" })).starts_with("the format of `text` is not known"));
    wrong_parameters(&space, QUERY, &json!({ "path": "a" }));
    wrong_parameters(&space, QUERY, &json!({ "text": "1", "file": "a" }));
    wrong_parameters(&space, QUERY, &json!({ "text": "1", "format": "xml" }));
}

#[test]
fn what_cannot_be_read_is_told() {
    let space = TestSpace::with_bundle();
    for (format, text) in [("json", "{\"a\": }"), ("yaml", "a: [1"), ("yaml", "a: 1\na: 2"), ("toml", "a = ")]
    {
        let said = refusal(&space, QUERY, &json!({ "text": text, "format": format }));
        assert!(said.starts_with("cannot read `text`: "), "{said}");
    }
    assert!(
        refusal(&space, QUERY, &json!({ "text": "1", "format": "json", "path": "a[" }))
            .starts_with("`a[` is not a path")
    );
    assert!(
        refusal(&space, QUERY, &json!({ "file": "no.json" }))
            .starts_with("cannot read `no.json`: No such file")
    );
    space.folder("project/x.json");
    assert!(
        refusal(&space, QUERY, &json!({ "file": "x.json" }))
            .starts_with("cannot read `x.json`: it is not a file")
    );
    space.write("project/real.json", "{}");
    link(&space, "real.json", "project/link.json");
    assert_eq!(values(&space, &json!({ "file": "link.json" })), json!([{}]));
    assert_eq!(values(&space, &json!({ "file": space.path("project/real.json") })), json!([{}]));
    let nested = "[?@".repeat(3000);
    refusal(&space, QUERY, &json!({ "text": "{}", "format": "json", "path": nested }));
}
