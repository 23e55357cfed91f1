//! Placeholders in texts and values.

use rye_template::{ContextName, Names, Scope};
use serde_json::{Value, json};

use super::counted;
use crate::Result;

pub(super) fn texts() -> Result<()> {
    let arguments: Vec<Value> = (0..50)
        .map(|number| {
            json!(format!("--n{number}={{name{}}} ${{LEVEL:-1}} {{tool_path}} {{not one}}", number % 7))
        })
        .collect();
    let names = names();
    let scope = Scope::new(&names, |name| (name == "LEVEL").then_some("3"));
    counted(&mut || Ok(scope.render_args(&arguments).map(drop)?))
}

pub(super) fn values() -> Result<()> {
    let members =
        (0..50).map(|number| (format!("k{number}"), json!({"all": "{tags}", "one": ["{name3}", 2, "${X}"]})));
    let value = Value::Object(members.collect());
    let names = names();
    let scope = Scope::new(&names, |name| (name == "X").then_some("y"));
    counted(&mut || Ok(scope.render_value(&value).map(drop)?))
}

fn names() -> Names<'static> {
    let mut names = Names::new();
    names.set_context(ContextName::ToolPath, "/tools/greet");
    names.set_parameter("tags", json!(["a", 2, {"b": null}]));
    for number in 0..7 {
        names.set_parameter(format!("name{number}"), json!(format!("value {number}")));
    }
    names
}
