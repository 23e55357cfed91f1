//! What is wrong with graphs, as a person sees it.

use rye_graph::read;

const HEAD: &str = "tool_type: graph\nexecutor_id: x\npermissions: {execute: [demo/*]}\nconfig:\n";

fn check(config: &str, expect: &[&str]) {
    let problems: Vec<_> =
        read(&format!("{HEAD}{config}")).problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems, expect, "{config}");
}

#[test]
fn targets() {
    check(
        "  start: a\n  nodes:\n    a: {type: gate, next: [{to: bb}], on_error: cc}\n    b: {type: return}\n",
        &[
            "7:33: error: `config.nodes.a.next.0.to` names `bb`, and there is no such node; did you mean `b`?",
            "7:49: error: `config.nodes.a.on_error` names `cc`, and there is no such node; known: a, b",
        ],
    );
    check(
        "  start: x\n  nodes:\n    b: {type: return}\n",
        &["5:10: error: `config.start` names `x`, and there is no such node; known: b"],
    );
    check(
        "  nodes: {}\n",
        &["5:3: error: `config.start` is missing", "5:10: error: `config.nodes` has no node"],
    );
}

#[test]
fn ways() {
    check(
        "  start: a\n  nodes:\n    a: {type: gate, next: b}\n    b: {type: gate, next: a}\n    c: {type: return}\n",
        &[
            "7:5: error: `config.nodes.a` has no way out to a node of `type: return`: `a`, `b`",
            "9:5: warning: `config.nodes.c` is never come to from the start",
        ],
    );
    // Whether there is a way out has nothing to do with other mistakes.
    check(
        "  start: a\n  nodes:\n    a: {action: {item_id: other/tool}, next: b}\n    b: {type: gate, next: a}\n    c: {type: return}\n",
        &[
            "7:5: error: `config.nodes.a` has no way out to a node of `type: return`: `a`, `b`",
            "7:17: error: `config.nodes.a.action.item_id` names `other/tool`, which the graph may not execute; `permissions: {execute: [other/tool]}` allows it",
            "9:5: warning: `config.nodes.c` is never come to from the start",
        ],
    );
    check(
        "  start: a\n  nodes:\n    a: {type: gate, next: a}\n",
        &["error: `config.nodes` has no node of `type: return`, so that no run could end"],
    );
    check(
        "  start: a\n  nodes:\n    a: {type: gate}\n",
        &[
            "7:5: error: `config.nodes.a.next` is missing: a run ends at a node of `type: return`, and only there",
        ],
    );
}

#[test]
fn templates_and_state() {
    check(
        "  start: a\n  nodes:\n    a:\n      action: {item_id: demo/a, params: {x: '${stat.y}', y: '${state.z}', z: '${state.z || 1}'}}\n      assign: {zz: 1, w: '${a | b}'}\n      next: [{to: b, when: {path: state.q, op: exists}}, {to: b}]\n    b: {type: return}\n",
        &[
            "8:45: error: `config.nodes.a.action.params.x` has `stat.y`, and nothing is called `stat` here; did you mean `state`?",
            "8:61: error: `config.nodes.a.action.params.y` reads `state.z`, which no node assigns; did you mean `zz`?",
            "9:26: error: `config.nodes.a.assign.w` at character 5: expected `||` or the end, found `|`",
            "10:35: warning: `config.nodes.a.next.0.when.path` reads `state.q`, which no node assigns; known: zz",
        ],
    );
}

#[test]
fn conditions() {
    check(
        "  start: a\n  nodes:\n    a:\n      type: gate\n      next:\n        - {to: b, when: {path: inputs.x, op: matches, value: '('}}\n        - {to: b, when: {path: '${inputs.x}', op: equals, value: 1}}\n        - {to: b}\n    b: {type: return}\n",
        &[
            "10:62: error: `config.nodes.a.next.0.when.value` is not a regular expression: unclosed group",
            "11:32: error: `config.nodes.a.next.1.when.path` at character 1: expected a path such as `state.name`, or a value, found `$`; it stands without `${` and `}` here",
            "11:51: error: `config.nodes.a.next.1.when.op` has an unknown value `equals`; did you mean `eq`?",
        ],
    );
}

#[test]
fn fields_and_permissions() {
    check(
        "  start: a\n  max_step: 5\n  nodes:\n    a: {action: {item_id: other/tool, parms: {}}, parallel: 3, next: b}\n    b: {type: retrun}\n",
        &[
            "6:3: error: `config.max_step` is unknown; did you mean `max_steps`?",
            "8:17: error: `config.nodes.a.action.item_id` names `other/tool`, which the graph may not execute; `permissions: {execute: [other/tool]}` allows it",
            "8:39: error: `config.nodes.a.action.parms` is unknown; did you mean `params`?",
            "8:51: error: `config.nodes.a.parallel` is not for `type: action`, but for `type: foreach`",
            "9:15: error: `config.nodes.b.type` has an unknown value `retrun`; did you mean `return`?",
        ],
    );
    check(
        "  start: a\n  nodes:\n    a: {action: {item_id: other/tool}, next: b}\n    b: {type: return}\n",
        &[
            "7:17: error: `config.nodes.a.action.item_id` names `other/tool`, which the graph may not execute; `permissions: {execute: [other/tool]}` allows it",
        ],
    );
}

#[test]
fn hostile_files_are_refused_quickly() {
    let many = nodes(100_000, "{type: return}");
    let deep = format!("  start: {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    let wrong = nodes(5_000, "{typ: x}");
    for config in [
        format!("  start: n0\n  nodes:\n{many}"),
        deep,
        format!("  start: n0\n  nodes:\n{wrong}"),
        "- 1\n".to_owned(),
        "  x: \0\n".to_owned(),
    ] {
        let read = read(&format!("{HEAD}{config}"));
        assert!(read.graph.is_none());
        assert!((1..=101).contains(&read.problems.len()));
    }
}

fn nodes(count: usize, node: &str) -> String {
    let lines: Vec<_> = (0..count).map(|index| format!("    n{index}: {node}\n")).collect();
    lines.concat()
}

#[test]
fn a_file_that_cannot_be_read_has_one_problem() {
    check(
        "  start: [\n",
        &["5:10: error: `file` cannot be read: not valid YAML at 5:10: unclosed bracket '['"],
    );
    check(
        &format!("  start: n0\n  nodes:\n{}", nodes(20_000, "{type: return}")),
        &[
            "12503:5: error: `file` cannot be read: not valid YAML at 12503:5: there are more than 50000 values in it",
        ],
    );
}
