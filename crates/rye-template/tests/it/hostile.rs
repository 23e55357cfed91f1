//! Texts that would be slow, large or deep if anything were read twice.

use rye_template::{Names, RenderError, Scope, Template, expand_variables};
use serde_json::{Value, json};

const SIZE: usize = 2 * 1024 * 1024;

fn unset(_: &str) -> Option<&'static str> {
    None
}

/// A parser that goes back would need hours for these.
#[test]
fn megabytes_of_anything_are_read_once() {
    for (unit, expect_names) in [
        ("{", 0),
        ("}", 0),
        ("$", 0),
        ("${", 0),
        ("${A", 0),
        ("{a", 0),
        ("${A:-", 0),
        ("${A:-{", 0),
        ("${A:-{a}", SIZE / 8),
        ("{a}", SIZE / 3),
    ] {
        let text = unit.repeat(SIZE / unit.len());
        let template = Template::parse(&text);
        assert_eq!(template.names().count(), expect_names, "{unit}");
        assert_eq!(expand_variables(&text, unset), text, "{unit}");
    }
}

#[test]
fn defaults_in_defaults_do_not_use_the_stack() {
    let depth = SIZE / 6;
    let text = format!("{}x{}", "${A:-".repeat(depth), "}".repeat(depth));
    assert_eq!(expand_variables(&text, unset), "x");
    assert_eq!(expand_variables(&text, |_| Some("y")), "y");
}

#[test]
fn deep_templates_are_refused() {
    let names = Names::new();
    let scope = Scope::new(&names, unset);
    let nested = |levels: usize| (0..levels).fold(json!("x"), |inner, _| json!([inner]));
    assert_eq!(scope.render_value(&nested(128)), Ok(nested(128)));
    let too_deep = Err(RenderError::TooDeep { limit: 128 });
    assert_eq!(scope.render_value(&nested(129)), too_deep);
    assert_eq!(scope.render_args(&[nested(128)]).map(|_| Value::Null), too_deep);
}

#[test]
fn small_templates_cannot_make_large_texts() {
    let mut names = Names::new();
    names.set_parameter("large", "x".repeat(1024 * 1024));
    let scope = Scope::new(&names, unset);
    let refused = Err(RenderError::TooLong { limit: rye_template::MAX_RENDERED_BYTES });
    assert_eq!(scope.render_text(&"{large}".repeat(1000)), refused);
}
