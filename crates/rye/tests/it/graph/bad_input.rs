//! Graphs that are none, and inputs that do not fit.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::yard::{Yard, text};

const UNSIGNED: &str =
    "#!/bin/bash\n# tool_type: script\n# executor_id: rye/core/runtimes/bash/bash\n# version: 1.0.0\ntrue\n";

/// The problems of a graph, each with its place.
fn problems(yard: &Yard, text: &str) -> Vec<String> {
    yard.shop.space.write("project/.ai/tools/demo/bad.yaml", text);
    let answer = yard.rye(["graph", "validate", "demo/bad"]).json();
    let problem = |problem: &Value| {
        let word = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
        format!("{}:{} {} {}", problem["line"], problem["column"], word("field"), word("message"))
    };
    answer["problems"].as_array().unwrap().iter().map(problem).collect()
}

#[test]
fn everything_that_is_wrong_has_its_place() {
    let yard = Yard::new();
    let check = |permissions: &str, body: &str, expect: &[&str]| {
        let found = problems(&yard, &text(permissions, body));
        assert_eq!(found.len(), expect.len(), "{found:?}");
        for (found, expect) in found.iter().zip(expect) {
            assert!(found.starts_with(expect), "{found}");
        }
    };
    yard.shop.space.write("project/.ai/tools/demo/unsigned.sh", UNSIGNED);
    check(
        "demo/*",
        "  start: a\n  nodes:\n    a: {action: {item_id: demo/unsigned}, next: b}\n    b: {type: return, output: 1}\n",
        &["9:17 config.nodes.a.action.item_id cannot run: tool:demo/unsigned"],
    );
    check(
        "demo/effect, nowhere/tool, rye/file/read",
        "  start: a\n  nodes:\n    a: {action: {item_id: nowhere/tool}, next: b}\n    \
        b: {action: {item_id: rye/file/read, params: {path: 7, lines: x}}, next: c}\n    c: {type: return, output: 1}\n",
        &[
            "9:17 config.nodes.a.action.item_id cannot find tool `nowhere/tool`: there is none in",
            "10:57 config.nodes.b.action.params.path must be a string, not an integer",
            "10:67 config.nodes.b.action.params.lines is unknown",
        ],
    );
}

#[test]
fn bad_files_and_inputs_are_refused() {
    let yard = Yard::new();
    let refused = |body: &str| {
        yard.shop.space.write("project/.ai/tools/demo/bad.yaml", text("demo/*", body));
        let output = yard.rye(["graph", "validate", "demo/bad"]).output();
        assert_eq!(output.status.code(), Some(1), "{body}\n{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(refused("  start: [\n").contains("bad.yaml:"));
    assert!(refused("  start: 7\n  nodes: []\n").contains("config.nodes"));
    assert!(
        refused("  start: a\n  nodes:\n    a: {type: return, output: 1, colour: red}\n").contains("colour")
    );
    let mut many = "  start: n0\n  nodes:\n".to_owned();
    for index in 0..100_000 {
        writeln!(many, "    n{index}: {{type: gate, next: n{}}}", index + 1).unwrap();
    }
    assert!(refused(&many).contains("bad.yaml"));
}

#[test]
fn a_run_fails_on_what_only_a_run_can_see() {
    let yard = Yard::new();
    let body = "  start: a\n  nodes:\n    a: {type: foreach, over: '${inputs.list}', as: i, action: {item_id: demo/effect}, next: b}\n    \
        b: {type: gate, next: [{to: c, when: {path: state.nothing.at.all, op: gt, value: 3}}, {to: d}]}\n    \
        c: {type: return, output: c}\n    d: {type: return, output: d}\n";
    yard.graph("demo/g", "demo/*", body);
    let run = |params: &Value| yard.rye(["graph", "run", "demo/g", "--params", &params.to_string()]).json();
    let answer = run(&json!({ "list": 7 }));
    assert_eq!(answer["failure"]["message"], "`over` gives a number, not a list", "{answer}");
    // A path that leads nowhere makes no condition true.
    assert_eq!(run(&json!({ "list": [] }))["output"], "d");
    let output = yard.rye(["graph", "run", "demo/g", "--params", "{"]).output();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let output = yard.rye(["graph", "run", "demo/effect"]).output();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("GRAPH_INVALID"), "{output:?}");
}

#[test]
fn what_is_wrong_with_a_graph_is_told_before_it_is_signed() {
    let yard = Yard::new();
    let body = "  start: a\n  nodes:\n    a: {action: {item_id: demo/broken}, next: c}\n    b: {action: {item_id: demo/nothing}, next: d}\n    d: {type: return, output: 1}\n";
    yard.shop.space.write("project/.ai/tools/demo/bad.yaml", text("demo/effect, demo/nothing", body));
    insta::assert_snapshot!(yard.rye(["sign", "demo/bad"]).show(), @"
    $ rye sign demo/bad
    exit code: 3
    --- stdout
    refused  project  tool:demo/bad  its graph cannot be walked: 3 problems
    [SPACE]/project/.ai/tools/demo/bad.yaml:9:17: error: `config.nodes.a.action.item_id` names `demo/broken`, which the graph may not execute; `permissions: {execute: [demo/broken]}` allows it
    [SPACE]/project/.ai/tools/demo/bad.yaml:9:47: error: `config.nodes.a.next` names `c`, and there is no such node; known: a, b, d
    [SPACE]/project/.ai/tools/demo/bad.yaml:10:17: error: `config.nodes.b.action.item_id` cannot find tool `demo/nothing`: there is none in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `<bundle>/tools`
    0 signed with the key [KEY], 0 unchanged, 1 refused
    ");
    let signing = yard.rye(["sign", "demo/bad"]).json();
    let checking = yard.rye(["graph", "validate", "demo/bad"]).json();
    assert_eq!(signing["items"][0]["problems"], checking["problems"]);
    assert_eq!(checking["problems"].as_array().unwrap().len(), 3);
}

#[test]
fn a_graph_is_signed_before_the_items_that_it_names() {
    let yard = Yard::new();
    let body = "  start: a\n  nodes:\n    a: {action: {item_id: demo/unsigned}, next: b}\n    b: {type: return, output: 1}\n";
    yard.shop.space.write("project/.ai/tools/demo/unsigned.sh", UNSIGNED);
    yard.graph("demo/g", "demo/*", body);
    let found = yard.rye(["graph", "validate", "demo/g"]).json();
    assert_eq!(found["valid"], false, "and cannot run before them: {found}");
}
