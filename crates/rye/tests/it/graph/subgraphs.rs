//! Graphs whose steps are graphs.

use std::process::Stdio;

use rye_graph::driver::{ListedRun, RunStatus};
use serde_json::json;

use super::yard::{Yard, text};
use crate::workshop::eventually;

fn outer(inner: &str) -> String {
    format!(
        "  start: a\n  nodes:\n    a: {{action: {{item_id: {inner}, params: {{n: '${{inputs.n}}'}}}}, assign: {{x: '${{result}}'}}, next: b}}\n    \
        b: {{type: return, output: {{inner: '${{state.x}}'}}}}\n"
    )
}

#[test]
fn a_node_may_execute_a_graph() {
    let yard = Yard::new();
    let inner = "  start: a\n  nodes:\n    a: {action: {item_id: demo/effect}, next: b}\n    b: {type: return, output: {n: '${inputs.n}'}}\n";
    yard.graph("demo/inner", "demo/effect", inner);
    yard.graph("demo/outer", "demo/*", &outer("demo/inner"));
    let answer = yard.rye(["graph", "run", "demo/outer", "--params", r#"{"n": 5}"#]).json();
    assert_eq!(answer["output"], json!({ "inner": { "n": 5 } }), "{answer}");
    assert_eq!(yard.runs().list().unwrap().len(), 2);

    // The graph within may execute nothing that the one around it may not.
    yard.graph("demo/narrow", "demo/inner", &outer("demo/inner"));
    let answer = yard.rye(["graph", "run", "demo/narrow", "--params", r#"{"n": 5}"#]).json();
    assert_eq!(answer["status"], "failed", "{answer}");
    assert!(answer["failure"]["message"].as_str().unwrap().contains("no permission"), "{answer}");
    assert_eq!(yard.lines("effects").len(), 1);
}

#[test]
fn graphs_do_not_call_each_other_for_ever() {
    let yard = Yard::new();
    // Each of them can be signed once both are there.
    yard.shop.space.write("project/.ai/tools/demo/two.yaml", text("demo/*", &outer("demo/one")));
    yard.graph("demo/one", "demo/*", &outer("demo/two"));
    yard.graph("demo/two", "demo/*", &outer("demo/one"));
    let answer = yard.rye(["graph", "run", "demo/one", "--params", r#"{"n": 5}"#]).json();
    assert_eq!(answer["status"], "failed", "{answer}");
    let message = answer["failure"]["message"].as_str().unwrap();
    assert!(message.contains("tool:demo/one -> tool:demo/two -> tool:demo/one"), "{message}");
    assert_eq!(yard.runs().list().unwrap().len(), 2, "the third is refused");
}

#[test]
fn a_graph_within_a_graph_goes_on_where_it_was() {
    let yard = Yard::new();
    let inner = "  start: a\n  nodes:\n    a: {action: {item_id: demo/effect}, next: gate}\n    \
        gate: {type: gate, wait: manual, next: b}\n    b: {type: return, output: {n: '${inputs.n}'}}\n";
    yard.graph("demo/inner", "demo/effect", inner);
    yard.graph("demo/outer", "demo/*", &outer("demo/inner"));
    let waits = || {
        let runs = yard.runs().list().unwrap();
        let waiting = |status: &RunStatus| *status == RunStatus::Waiting;
        runs.into_iter().find_map(|ListedRun { id, summary: run }| {
            run.ok().filter(|run| waiting(&run.status) && run.driven).map(|_| id)
        })
    };
    let mut child = yard.rye(["graph", "run", "demo/outer", "--params", r#"{"n": 5}"#]).command();
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let within = eventually("the inner run waits", waits);
    child.kill().unwrap();
    child.wait().unwrap();
    let around = yard.runs().list().unwrap().into_iter().map(|run| run.id).find(|id| *id != within).unwrap();
    let mut command = yard.rye(["graph", "resume", &around]).command();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(eventually("it waits again", waits), within, "it is the same run");
    assert!(yard.rye(["graph", "approve", &within]).output().status.success());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap(),
        json!({ "inner": { "n": 5 } })
    );
    assert_eq!(yard.lines("ran").len(), 1, "what was done within is not done again");
}
