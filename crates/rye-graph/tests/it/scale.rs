//! Large graphs, lists and states. Times are compared with each other, never with a clock.

use rye_graph::conformance::{Outcome, Player};
use rye_graph::{Applied, Event, Finish, Graph, Walker};
use serde_json::{Value, json};

const HEAD: &str = "tool_type: graph\nexecutor_id: x\npermissions: {execute: [demo/*]}\nconfig:\n";

fn loop_graph(max_steps: u32) -> String {
    format!(
        "{HEAD}  start: a\n  max_steps: {max_steps}\n  nodes:\n    a: {{action: {{item_id: demo/a}}, assign: {{n: '${{result}}'}}, next: [{{to: end, when: {{path: state.n, op: eq, value: true}}}}, {{to: a}}]}}\n    end: {{type: return}}\n"
    )
}

fn walk(mut walker: Walker) -> u32 {
    let mut steps = 0;
    loop {
        let commands = walker.commands();
        if walker.finish().is_some() {
            return steps;
        }
        for command in commands {
            if let rye_graph::Command::StartStep(start) = command {
                steps += 1;
                let event = Event::StepSucceeded { step: start.step, result: json!(steps) };
                assert_eq!(walker.apply(event), Applied::Taken);
            }
        }
    }
}

#[test]
fn ten_thousand_steps_with_a_large_state() {
    let graph = Graph::parse(&loop_graph(10_000)).unwrap();
    let mut state = serde_json::Map::new();
    state.insert("large".to_owned(), json!("x".repeat(50_000_000)));
    let mut walker = Walker::new(graph.clone(), Value::Object(state));
    // Nothing of this touches the fifty megabytes: copying them each time would take minutes.
    assert_eq!(walker.apply(Event::Pause), Applied::Taken);
    assert_eq!(walker.apply(Event::Resume), Applied::Taken);
    assert_eq!(walk(walker), 10_000);
}

#[test]
fn ten_thousand_elements() {
    let text = format!(
        "{HEAD}  start: a\n  nodes:\n    a: {{type: foreach, over: '${{inputs.list}}', parallel: 50, collect: all, action: {{item_id: demo/a, params: {{n: '${{item}}'}}}}, next: end}}\n    end: {{type: return, output: '${{state.all[-1].n}}'}}\n"
    );
    let list: Vec<u32> = (0..10_000).collect();
    let walker = Walker::new(Graph::parse(&text).unwrap(), json!({"list": list}));
    let trace =
        Player::new(|_: &_, params: &Value| Outcome::Gives(params.clone())).play(walker, |walker| walker);
    assert_eq!(trace.len(), 10_001);
    assert_eq!(trace.last().unwrap(), "finish {\"status\":\"completed\",\"output\":9999}");
}

#[test]
fn a_state_that_grows_without_end_is_refused() {
    let text = format!(
        "{HEAD}  start: a\n  nodes:\n    a: {{type: gate, assign: {{s: '${{state.s || 1}}${{state.s || 2}}'}}, next: [{{to: end, when: {{path: inputs.x, op: exists}}}}, {{to: a}}]}}\n    end: {{type: return}}\n"
    );
    let walker = Walker::new(Graph::parse(&text).unwrap(), json!({}));
    let Some(Finish::Failed { failure }) = walker.finish() else { panic!("it goes on") };
    assert_eq!(failure.message, "the state becomes larger than 67108864 bytes");
    let deep = text.replace("'${state.s || 1}${state.s || 2}'", "['${state.s || 1}']");
    let walker = Walker::new(Graph::parse(&deep).unwrap(), json!({}));
    let Some(Finish::Failed { failure }) = walker.finish() else { panic!("it goes on") };
    assert_eq!(failure.message, "`assign.s`: the value is nested more than 100 levels deep");
}

#[test]
fn two_thousand_nodes_are_read_and_checked() {
    use std::fmt::Write as _;
    let mut text = format!("{HEAD}  start: n0\n  max_steps: 5000\n  nodes:\n");
    for index in 0..2_000 {
        let _ = writeln!(
            text,
            "    n{index}: {{action: {{item_id: demo/a, params: {{x: '${{state.x || 1}}'}}}}, assign: {{x: '${{result}}'}}, next: n{}}}",
            index + 1
        );
    }
    text.push_str("    n2000: {type: return, output: '${state.x}'}\n");
    let read = rye_graph::read(&text);
    assert_eq!(read.problems, []);
    assert_eq!(walk(Walker::new(read.graph.unwrap().into(), json!({}))), 2_000);
}
