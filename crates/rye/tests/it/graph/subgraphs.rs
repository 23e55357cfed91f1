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
    // Which graph a template names is known only when it runs.
    yard.graph("demo/two", "demo/*", &outer("'demo/${inputs.back || \"one\"}'"));
    yard.graph("demo/one", "demo/*", &outer("demo/two"));
    let answer = yard.rye(["graph", "run", "demo/one", "--params", r#"{"n": 5}"#]).json();
    assert_eq!(answer["status"], "failed", "{answer}");
    let message = answer["failure"]["message"].as_str().unwrap();
    assert!(message.contains("tool:demo/one -> tool:demo/two -> tool:demo/one"), "{message}");
    assert_eq!(yard.runs().list().unwrap().len(), 2, "the third is refused");
}

#[test]
fn a_circle_is_found_before_it_runs() {
    let yard = Yard::new();
    let write = |id: &str, inner: &str| {
        yard.shop.space.write(&format!("project/.ai/tools/{id}.yaml"), text("demo/*, three", &outer(inner)));
    };
    let problems = |id: &str| {
        let checked = yard.rye(["graph", "validate", id]).json();
        let problems = checked["problems"].as_array().unwrap().iter();
        let of_circles =
            problems.filter(|problem| !problem["message"].as_str().unwrap().starts_with("cannot run"));
        let shown = of_circles.map(|problem| {
            format!(
                "{}:{} {}",
                problem["line"],
                problem["field"].as_str().unwrap(),
                problem["message"].as_str().unwrap()
            )
        });
        shown.collect::<Vec<_>>()
    };
    write("demo/one", "demo/two");
    write("demo/two", "three");
    write("demo/three", "demo/one");
    write("demo/beside", "demo/one");
    let place = "9:config.nodes.a.action.item_id";
    let circle = |way: &str| [format!("{place} leads from graph to graph, in a circle: {way}")];
    let (one, two, three) = ("tool:demo/one", "tool:demo/two", "tool:demo/three");
    assert_eq!(problems("demo/one"), circle(&format!("{one} -> {two} -> {three} -> {one}")));
    assert_eq!(problems("demo/two"), circle(&format!("{two} -> {three} -> {one} -> {two}")));
    let beside = format!("tool:demo/beside -> {one} -> {two} -> {three} -> {one}");
    assert_eq!(problems("demo/beside"), circle(&beside));
    let refused = yard.rye(["sign", "demo/one"]).json();
    assert_eq!(refused["items"][0]["problems"].as_array().unwrap().len(), 1, "{refused}");
    // Graphs that name the same one are no circle.
    let body = "  start: a\n  nodes:\n    a: {action: {item_id: demo/two}, next: b}\n    \
        b: {action: {item_id: demo/three}, next: c}\n    c: {type: return, output: 1}\n";
    yard.shop.space.write("project/.ai/tools/demo/one.yaml", text("demo/*", body));
    write("demo/three", "demo/effect");
    assert_eq!(problems("demo/one"), [""; 0]);
}

#[test]
fn graphs_that_are_too_deep_are_found_before_they_run() {
    let yard = Yard::new();
    for number in 1..=9 {
        let inner = if number == 9 { "demo/effect".to_owned() } else { format!("demo/g{}", number + 1) };
        yard.shop
            .space
            .write(&format!("project/.ai/tools/demo/g{number}.yaml"), text("demo/*", &outer(&inner)));
    }
    let refused = yard.rye(["sign", "demo/g1"]).json();
    let message = refused["items"][0]["problems"][0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("leads from graph to graph, deeper than a run goes: tool:demo/g1 -> ")
            && message.ends_with("tool:demo/g9"),
        "{message}"
    );
    let signed = yard.rye(["sign", "demo/g2"]).json();
    assert_eq!(signed["items"][0]["result"], "line", "{signed}");
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
