//! A value written as a literal of each language is read back as it was.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::support::extract;

/// Any value that all languages can hold. Numbers that are whole stay integers in JavaScript, so floats have a
/// fraction.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(Value::from),
        (-1_000_000_i32..1_000_000).prop_map(|number| json!(f64::from(number) + 0.5)),
        any::<String>().prop_map(|text| json!(text.replace(['\0', '\r'], "x"))),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[a-z_ä\"'\\\\]{1,8}", inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn python(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Number(number) => write!(out, "{number}").unwrap(),
        Value::String(text) => python_text(text, out),
        Value::Array(items) => {
            out.push('[');
            for item in items {
                python(item, out);
                out.push_str(", ");
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (key, item) in map {
                python_text(key, out);
                out.push_str(": ");
                python(item, out);
                out.push_str(",\n");
            }
            out.push('}');
        }
    }
}

/// In two parts, so that implicit concatenation is exercised too.
fn python_text(text: &str, out: &mut String) {
    out.push_str("'' \"");
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(out, "\\{character}").unwrap(),
            character if character.is_control() => write!(out, "\\U{:08x}", character as u32).unwrap(),
            character => out.push(character),
        }
    }
    out.push('"');
}

fn read_back(path: &str, source: &str) -> Value {
    let extraction = extract(path, source).unwrap_or_else(|error| panic!("{}: {source}", error.kind));
    let value = extraction.metadata.config.and_then(|mut config| config.remove("x"));
    value.unwrap_or_else(|| panic!("{:?}: {source}", extraction.problems))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn through_python(value in value()) {
        let mut literal = String::new();
        python(&value, &mut literal);
        prop_assert_eq!(read_back("t/a.py", &format!("CONFIG = {{'x': {literal}}}\n")), value);
    }

    #[test]
    fn through_javascript(value in value()) {
        prop_assert_eq!(read_back("t/a.js", &format!("const CONFIG = {{x: {value}}};\n")), value);
    }

    #[test]
    fn through_json(value in value()) {
        prop_assert_eq!(read_back("t/a.json", &json!({"config": {"x": value}}).to_string()), value);
    }

    /// JSON with its non-ASCII control characters escaped is YAML.
    #[test]
    fn through_yaml(value in value()) {
        let mut escaped = String::new();
        for character in json!({"config": {"x": value}}).to_string().chars() {
            match character {
                '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                    write!(escaped, "\\u{:04x}", character as u32).unwrap();
                }
                character => escaped.push(character),
            }
        }
        prop_assert_eq!(read_back("t/a.yaml", &escaped), value);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for extension in ["py", "js", "ts", "yaml", "json", "toml", "md", "sh"] {
            let _ = extract(&format!("t/a.{extension}"), &bytes);
        }
    }

    #[test]
    fn arbitrary_code_never_panics(text in "([\\[\\](){}<>:;,.=/*+!?`'\"$\\\\#@&|~^%-]|[a-c1\n ]|if |for |lambda |=> |as |\\$\\{){0,120}") {
        for extension in ["py", "js", "ts", "yaml", "json", "toml", "md", "sh"] {
            let _ = extract(&format!("t/a.{extension}"), &text);
        }
    }
}

/// Whatever is found in a file can be written down and read again.
#[test]
fn metadata_survives_being_written() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bundle/.ai/tools/rye/core");
    let yaml = std::fs::read(format!("{folder}/extractors/yaml.yaml")).unwrap();
    let extractor = rye_metadata::Extractor::parse(&yaml).unwrap();
    let mut count = 0;
    let mut folders = vec![std::path::PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let name = path.to_str().unwrap();
            let Ok(found) = extractor.extract(rye_metadata::ItemPath::new(name), &bytes) else { continue };
            let written = serde_json::to_string(&found.metadata).unwrap();
            let read: rye_metadata::Metadata = serde_json::from_str(&written).unwrap();
            assert_eq!(read, found.metadata, "{name}");
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
    for (json, expect) in [
        (r#"{"executor_id":null}"#, rye_metadata::ExecutorId::Primitive),
        (r#"{"executor_id":"a"}"#, rye_metadata::ExecutorId::Id("a".to_owned())),
        ("{}", rye_metadata::ExecutorId::Absent),
    ] {
        assert_eq!(serde_json::from_str::<rye_metadata::Metadata>(json).unwrap().executor_id, expect);
    }
}
