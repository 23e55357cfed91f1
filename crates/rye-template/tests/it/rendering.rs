//! Each kind of value in each kind of place.

use rye_template::{ContextName, Names, RenderError, Scope, names_in};
use serde_json::{Value, json};

fn names() -> Names<'static> {
    let mut names = Names::new();
    names.set_context(ContextName::ProjectPath, "/project");
    for (name, value) in [
        ("text", json!("a b")),
        ("empty", json!("")),
        ("number", json!(1.5)),
        ("yes", json!(true)),
        ("nothing", Value::Null),
        ("list", json!(["x y", 1, null, {"k": []}])),
        ("none", json!([])),
        ("map", json!({"b": 1, "a": "{text}"})),
        ("hostile", json!("{text} ${HOME} ${UNSET:-{text}")),
        ("project_path", json!("/evil")),
    ] {
        names.set_parameter(name, value);
    }
    names
}

fn variables(name: &str) -> Option<&'static str> {
    match name {
        "HOME" => Some("/home/a"),
        "BRACES" => Some("{text}"),
        _ => None,
    }
}

#[test]
fn texts() {
    let names = names();
    let scope = Scope::new(&names, variables);
    let check = |text: &str, expect: &str| assert_eq!(scope.render_text(text).unwrap(), expect, "{text}");
    check("{text}", "a b");
    check("<{text}{empty}{number}{yes}{nothing}>", "<a b1.5true>");
    check("{list} {none}", r#"["x y",1,null,{"k":[]}] []"#);
    check("{map}", r#"{"b":1,"a":"{text}"}"#);
    check("{hostile}|{text}", "{text} ${HOME} ${UNSET:-{text}|a b");
    check("${BRACES}|${UNSET:-{text}}|${HOME:-{text}}", "{text}|a b|/home/a");
    check("{project_path}/{anchor_path}", "/project/{anchor_path}");
    check(
        "{unknown} {{text}} { text } {text:>3} {1} {} ${text}",
        "{unknown} {a b} { text } {text:>3} {1} {} ${text}",
    );
    check("awk '{print $1}' | jq '{a: .b}'", "awk '{print $1}' | jq '{a: .b}'");
}

#[test]
fn values_keep_their_types() {
    let names = names();
    let scope = Scope::new(&names, variables);
    let check =
        |value: Value, expect: Value| assert_eq!(scope.render_value(&value).unwrap(), expect, "{value}");
    check(json!("{number}"), json!(1.5));
    check(json!("{nothing}"), Value::Null);
    check(json!("{list}"), json!(["x y", 1, null, {"k": []}]));
    check(json!(["{list}", "{none}"]), json!([["x y", 1, null, {"k": []}], []]));
    check(json!({"{text}": ["{yes}", "is {yes}"], "n": 1}), json!({"{text}": [true, "is true"], "n": 1}));
    check(json!("{map}"), json!({"b": 1, "a": "{text}"}));
    check(json!("{unknown}"), json!("{unknown}"));
    check(json!("${UNSET:-{number}}"), json!("1.5"));
    check(json!("{project_path}"), json!("/project"));
}

#[test]
fn lists_spread_where_they_stand_alone_in_arguments() {
    let names = names();
    let scope = Scope::new(&names, variables);
    let check = |args: Value, expect: &[&str]| {
        assert_eq!(scope.render_args(args.as_array().unwrap()).unwrap(), expect, "{args}");
    };
    check(json!([]), &[]);
    check(json!(["-x", "{list}", "-y"]), &["-x", "x y", "1", "", r#"{"k":[]}"#, "-y"]);
    check(json!(["{none}", "{nothing}", "{empty}"]), &[""]);
    check(json!(["-n={nothing}", "l={none}"]), &["-n=", "l=[]"]);
    check(json!(["{map}", "{number}", "{yes}"]), &[r#"{"b":1,"a":"{text}"}"#, "1.5", "true"]);
    check(json!(["{unknown}", "{hostile}"]), &["{unknown}", "{text} ${HOME} ${UNSET:-{text}"]);
    check(json!([1, null, false, ["{text}"], "${UNSET}"]), &["1", "false", r#"["a b"]"#, ""]);
}

#[test]
fn what_has_no_value_is_known_before() {
    let names = names();
    let scope = Scope::new(&names, variables);
    let value =
        json!({"{key}": ["{text} {a}", {"x": "${HOME:-{b}} ${UNSET:-{c}}"}], "y": "{anchor_path} {nothing}"});
    assert_eq!(scope.unknown_names(&value).into_iter().collect::<Vec<_>>(), ["a", "anchor_path", "c"]);
    assert_eq!(
        names_in(&value).into_iter().collect::<Vec<_>>(),
        ["a", "anchor_path", "b", "c", "nothing", "text"]
    );
}

#[test]
fn results_are_bounded() {
    let names = names();
    let scope = Scope::new(&names, variables).with_limit(9);
    let too_long = RenderError::TooLong { limit: 9 };
    assert_eq!(scope.render_text("{text}{text}{text}"), Ok("a ba ba b".to_owned()));
    assert_eq!(scope.render_text("{text}{text}{text}."), Err(too_long.clone()));
    assert_eq!(scope.render_text("${HOME}.."), Ok("/home/a..".to_owned()));
    assert_eq!(scope.render_text("${HOME}..."), Err(too_long.clone()));
    assert_eq!(scope.render_value(&json!(["{text}", "${HOME}"])), Err(too_long.clone()));
    assert_eq!(scope.render_value(&json!({"a": "{list}"})), Err(too_long.clone()));
    assert_eq!(scope.render_args(&[json!("{list}")]), Err(too_long.clone()));
    assert_eq!(scope.render_args(&[json!("{text}"), json!("1234567")]), Err(too_long));
}
