//! What holds for every template and every value.

use std::collections::HashMap;

use proptest::prelude::*;
use rye_template::{ContextName, Names, Scope, Template, expand_variables, names_in};
use serde_json::{Map, Value, json};

/// Texts in which placeholders, halves of them, and ordinary text are all likely.
fn template_text() -> impl Strategy<Value = String> {
    "(\\$\\{[A-C]\\}|\\$\\{[A-C]:-|\\{[a-c]\\}|\\{tool_path\\}|\\$|\\{|\\}|:-|[A-Ca-c \"ä]|\\PC){0,24}"
}

/// A value that tries to be a template.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        template_text().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((template_text(), inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// One part of a template that is known to be what it is, and what must come of it.
#[derive(Debug, Clone)]
enum Part {
    Literal(String),
    Variable(char),
    Default(char, String),
    Name(char),
}

/// Parts that cannot join with their neighbours to something else: literals have no braces.
fn parts() -> impl Strategy<Value = Vec<Part>> {
    prop::collection::vec(
        prop_oneof![
            "[^{}$]{0,6}".prop_map(Part::Literal),
            prop::char::range('A', 'C').prop_map(Part::Variable),
            (prop::char::range('A', 'C'), "[^{}$]{0,6}").prop_map(|(name, text)| Part::Default(name, text)),
            prop::char::range('a', 'd').prop_map(Part::Name),
        ],
        0..8,
    )
}

fn source(parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Literal(text) => text.clone(),
        Part::Variable(name) => format!("${{{name}}}"),
        Part::Default(name, text) => format!("${{{name}:-{text}}}"),
        Part::Name(name) => format!("{{{name}}}"),
    };
    parts.iter().map(part).collect()
}

fn expectation(
    parts: &[Part],
    variables: &HashMap<String, String>,
    names: &HashMap<String, Value>,
) -> String {
    let variable = |name: &char| variables.get(&name.to_string()).cloned().unwrap_or_default();
    let part = |part: &Part| match part {
        Part::Literal(text) => text.clone(),
        Part::Variable(name) => variable(name),
        Part::Default(name, text) => Some(variable(name)).filter(|it| !it.is_empty()).unwrap_or(text.clone()),
        Part::Name(name) => names.get(&name.to_string()).map_or(format!("{{{name}}}"), text_of),
    };
    parts.iter().map(part).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    /// Whatever the variables and parameters hold, the rest of the text is as it was.
    #[test]
    fn a_value_changes_nothing_but_its_own_place(
        parts in parts(),
        variables in prop::collection::hash_map("[A-C]", template_text(), 0..4),
        parameters in prop::collection::hash_map("[a-c]", value(), 0..4),
    ) {
        let mut names = Names::new();
        for (name, value) in &parameters {
            names.set_parameter(name.as_str(), value.clone());
        }
        let scope = Scope::new(&names, |name| variables.get(name).map(String::as_str));
        let text = source(&parts);
        let expect = expectation(&parts, &variables, &parameters);
        prop_assert_eq!(&scope.render_text(&text).unwrap(), &expect);

        // Inside of a value and of a list of arguments it is the same, beside a place that is filled in whole.
        let value = json!({"t": format!("-{text}"), "a": "{a}"});
        let whole = parameters.get("a").cloned().unwrap_or(json!("{a}"));
        prop_assert_eq!(scope.render_value(&value).unwrap(), json!({"t": format!("-{expect}"), "a": whole}));
        let spread = match &whole {
            Value::Null => Vec::new(),
            Value::Array(items) => items.iter().map(text_of).collect(),
            other => vec![text_of(other)],
        };
        let args = [vec![format!("-{expect}")], spread, vec![format!("{expect}-")]].concat();
        let rendered = scope.render_args(&[json!(format!("-{text}")), json!("{a}"), json!(format!("{text}-"))]);
        prop_assert_eq!(rendered.unwrap(), args);
    }

    /// Two calls that differ in one parameter differ in its places alone, for any template.
    #[test]
    fn any_template_is_the_same_around_a_value(text in template_text(), hostile in template_text()) {
        const MARK: &str = "\u{1}";
        prop_assume!(!text.contains(MARK));
        let render = |value: &str| {
            let mut names = Names::new();
            names.set_context(ContextName::ToolPath, "/tools/t");
            names.set_parameter("a", value);
            names.set_parameter("tool_path", value);
            Scope::new(&names, |name| (name == "A").then_some("${B} {b} {a}")).render_text(&text).unwrap()
        };
        prop_assert_eq!(render(&hostile), render(MARK).replace(MARK, &hostile));
    }

    #[test]
    fn texts_without_placeholders_stay(text in "[^{}]{0,40}", value in value()) {
        let mut names = Names::new();
        names.set_parameter("a", value);
        let scope = Scope::new(&names, |_| Some("x"));
        prop_assert_eq!(&scope.render_text(&text).unwrap(), &text);
        prop_assert_eq!(scope.render_value(&json!([&text])).unwrap(), json!([&text]));
        prop_assert_eq!(scope.render_args(&[json!(&text)]).unwrap(), [text]);
    }

    #[test]
    fn a_template_prints_as_it_was(text in prop_oneof![template_text(), any::<String>()]) {
        let template = Template::parse(&text);
        let printed = template.to_string();
        prop_assert_eq!(&printed, &text);
        prop_assert_eq!(Template::parse(&printed), template);
    }

    /// A text in which every name and variable is unknown changes only where variables are.
    #[test]
    fn nothing_known_changes_nothing(text in template_text()) {
        let names = Names::new();
        let rendered = Scope::new(&names, |_| None::<&str>).render_text(&text).unwrap();
        prop_assert_eq!(&rendered, &expand_variables(&text, |_| None::<&str>));
        if Template::parse(&text).variables().next().is_none() {
            prop_assert_eq!(rendered, text);
        }
    }

    #[test]
    fn unknown_names_are_names_of_the_template(value in value()) {
        let names = Names::new();
        let scope = Scope::new(&names, |_| Some("x"));
        prop_assert!(scope.unknown_names(&value).is_subset(&names_in(&value)));
    }
}
