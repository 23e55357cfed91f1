//! Properties of paths, expressions and conditions of graphs.

use proptest::prelude::*;
use rye_template::graph::{Path, PathStep, Roots, TextTemplate, ValueTemplate};
use serde_json::{Value, json};

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
        "[${}|a. ]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c$]{1,2}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn steps() -> impl Strategy<Value = PathStep> {
    prop_oneof![any::<i64>().prop_map(PathStep::Index), "\\PC{0,6}".prop_map(PathStep::Key)]
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "[${}|'\"\\[\\]a-c0-9. \\\\äß-]{0,40}") {
        let state = json!({"a": {"b": [1, null]}});
        let roots = Roots::new().with("a", &state);
        if let Ok(template) = TextTemplate::parse(&text) {
            let _ = template.render(&roots);
        }
        let _ = Path::parse(&text);
    }

    #[test]
    fn paths_are_read_as_they_are_written(root in "[a-zA-Z_][a-z0-9_-]{0,5}", steps in prop::collection::vec(steps(), 0..5)) {
        let path = Path { root, steps };
        prop_assert_eq!(Path::parse(&path.to_string()).unwrap(), path);
    }

    #[test]
    fn a_whole_value_is_kept_and_never_searched(value in values()) {
        let roots = Roots::new().with("state", &value);
        let whole = ValueTemplate::parse(&json!({"x": ["${state}"]})).unwrap();
        prop_assert_eq!(whole.render(&roots).unwrap(), json!({"x": [value]}));
        let text = TextTemplate::parse("<${state}>").unwrap().render(&roots).unwrap();
        let inner = match &value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        prop_assert_eq!(text, json!(format!("<{inner}>")));
    }

    #[test]
    fn escaped_texts_stand_for_themselves(text in "[${}|a ]{0,16}") {
        let template = TextTemplate::parse(&text.replace("${", "$${")).unwrap();
        prop_assert_eq!(template.as_literal(), Some(text.as_str()));
    }
}
