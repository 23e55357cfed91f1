//! The example graphs and the schema.

use rye_graph::schema::GRAPH_SCHEMA;
use serde_json::{Value, json};

pub(crate) const EXAMPLES: [(&str, &str); 3] = [
    ("project_statistics", include_str!("../../../../examples/graphs/.ai/tools/project_statistics.yaml")),
    ("check_urls", include_str!("../../../../examples/graphs/.ai/tools/check_urls.yaml")),
    ("release_checklist", include_str!("../../../../examples/graphs/.ai/tools/release_checklist.yaml")),
];

fn value(text: &str) -> Value {
    rye_metadata::read_placed_yaml(text.as_bytes()).unwrap().to_value()
}

#[test]
fn the_examples_have_no_problem() {
    let schema = jsonschema::validator_for(&serde_json::from_str(GRAPH_SCHEMA).unwrap()).unwrap();
    for (name, text) in EXAMPLES {
        assert_eq!(rye_graph::read(text).problems, [], "{name}");
        let errors: Vec<_> = schema.iter_errors(&value(text)).map(|error| error.to_string()).collect();
        assert_eq!(errors, [""; 0], "{name}");
    }
}

/// What is wrong in shape is refused by both.
#[test]
fn the_schema_and_the_reader_refuse_the_same() {
    let schema = jsonschema::validator_for(&serde_json::from_str(GRAPH_SCHEMA).unwrap()).unwrap();
    let valid = json!({
        "tool_type": "graph", "executor_id": "rye/core/runtimes/state-graph/runtime",
        "permissions": {"execute": ["demo/*"]},
        "config": {"start": "a", "nodes": {
            "a": {"action": {"item_id": "demo/a"}, "next": [{"to": "b", "when": {"path": "state.x", "op": "eq", "value": null}}, {"to": "c"}], "assign": {"x": 1}},
            "b": {"type": "foreach", "over": "${state.x}", "action": {"item_id": "demo/b"}, "next": "c"},
            "c": {"type": "gate", "next": "d"},
            "d": {"type": "return"},
        }},
    });
    let accepted = |graph: &Value| {
        let problems = rye_graph::read(&graph.to_string()).problems;
        let read = problems.iter().all(|problem| problem.severity == rye_metadata::Severity::Warning);
        assert_eq!(schema.is_valid(graph), read, "{graph} {problems:?}");
        read
    };
    assert!(accepted(&valid));
    let check = |pointer: &str, key: &str, value: Value, expect: bool| {
        let mut graph = valid.clone();
        graph.pointer_mut(pointer).unwrap()[key] = value;
        assert_eq!(accepted(&graph), expect, "{pointer}/{key}");
    };
    check("", "config", json!([]), false);
    check("", "tool_type", json!("python"), false);
    check("", "extra", json!(1), false);
    check("/permissions", "write", json!([]), false);
    check("/config", "max_steps", json!(0), false);
    check("/config", "max_steps", json!(7), true);
    check("/config", "on_error", json!("ignore"), false);
    check("/config", "timeout", json!("5m"), true);
    check("/config", "timeout", json!("5 days"), false);
    check("/config", "hooks", json!({"after_step": [{"item_id": "demo/a"}]}), true);
    check("/config", "hooks", json!({"before_step": []}), false);
    check("/config/nodes", "continue", json!({"type": "return"}), false);
    check(
        "/config/nodes/a",
        "retry",
        json!({"max": 3, "backoff": 1.5, "max_backoff": "1m", "jitter": 0.5}),
        true,
    );
    check("/config/nodes/a", "retry", json!({"max": 101}), false);
    check("/config/nodes/a", "retry", json!({"backoff": 1}), false);
    check("/config/nodes/a", "over", json!([]), false);
    check("/config/nodes/a", "next", json!([]), false);
    check("/config/nodes/a", "next", json!(5), false);
    check("/config/nodes/a", "on_interrupt", json!("ask"), true);
    check("/config/nodes/a", "on_interrupt", json!("panic"), false);
    check("/config/nodes/a/action", "primary", json!("execute"), true);
    check("/config/nodes/a/action", "primary", json!("load"), false);
    check("/config/nodes/a/action", "params", json!([]), false);
    check("/config/nodes/a/next/0/when", "op", json!("exists"), false);
    check("/config/nodes/a/next/0/when", "op", json!("matches"), false);
    check(
        "/config/nodes/a/next/0",
        "when",
        json!({"all": [{"not": {"path": "state.x", "op": "empty"}}]}),
        true,
    );
    check("/config/nodes/a/next/0", "when", json!({"all": [], "any": []}), false);
    check("/config/nodes/b", "parallel", json!(0), false);
    check("/config/nodes/b", "as", json!("state"), false);
    check("/config/nodes/b", "over", json!({"a": 1}), false);
    check("/config/nodes/b", "over", json!("all of them"), false);
    check("/config/nodes/b", "collect", json!({"into": "all", "value": "${item}"}), true);
    check("/config/nodes/b", "collect", json!({"value": 1}), false);
    check("/config/nodes/c", "action", json!({"item_id": "demo/a"}), false);
    check("/config/nodes/c", "wait", json!("manual"), true);
    check("/config/nodes/c", "wait", json!("5s"), false);
    check("/config/nodes/c", "timeout", json!("5s"), false);
    check("/config/nodes/d", "next", json!("a"), false);
    check("/config/nodes/d", "output", json!({"x": ["${inputs}"]}), true);
}
