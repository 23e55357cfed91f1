//! What drivers rely on: pausing, cancelling, restoring, single nodes, events that come too late.

use rye_graph::{
    Answer, Applied, Command, Event, Finish, Graph, NodeStatus, RestoreError, StepFailure, StepId, Walker,
    conformance::line,
};
use serde_json::{Value, json};
use std::sync::Arc;

const GRAPH: &str = "
tool_type: graph
executor_id: x
permissions: {execute: [demo/*]}
config:
  start: a
  nodes:
    a: {action: {item_id: demo/a, params: {v: '${inputs.v || state.v}'}}, assign: {v: '${result}'}, timeout: 5s, retry: {max: 1, backoff: 1s}, next: each, on_error: end}
    each: {type: foreach, over: [1, 2, 3], parallel: 2, collect: all, action: {item_id: demo/each, params: {n: '${item}'}}, next: gate}
    gate: {type: gate, wait: manual, message: 'sure?', next: end}
    end: {type: return, output: '${state.all || null}'}
";

fn graph() -> Arc<Graph> {
    Graph::parse(GRAPH).unwrap()
}

fn step(name: &str) -> StepId {
    name.parse().unwrap()
}

fn gives(name: &str, result: Value) -> Event {
    Event::StepSucceeded { step: step(name), result }
}

fn lines(walker: &mut Walker) -> Vec<String> {
    walker.commands().iter().filter_map(line).collect()
}

#[test]
fn a_paused_run_starts_nothing() {
    let mut walker = Walker::new(graph(), json!({"v": 1}));
    walker.commands();
    assert_eq!(walker.apply(Event::Pause), Applied::Taken);
    assert_eq!(walker.apply(Event::Pause), Applied::Ignored);
    assert_eq!(walker.apply(gives("a#1@1", json!(5))), Applied::Taken);
    assert_eq!(lines(&mut walker), [""; 0]);
    assert_eq!(walker.snapshot().state(), &json!({"v": 5}));
    assert_eq!(walker.apply(Event::Resume), Applied::Taken);
    assert_eq!(
        lines(&mut walker),
        ["start each#1[0]@1 demo/each {\"n\":1}", "start each#1[1]@1 demo/each {\"n\":2}"]
    );
}

#[test]
fn cancelling_gives_up_everything_that_is_open() {
    let mut walker = Walker::new(graph(), json!({"v": 1}));
    assert_eq!(walker.apply(gives("a#1@1", json!(5))), Applied::Taken);
    walker.commands();
    assert_eq!(walker.apply(Event::Cancel { reason: "enough".to_owned() }), Applied::Taken);
    assert_eq!(
        lines(&mut walker),
        [
            "cancel each#1[0]@1",
            "cancel each#1[1]@1",
            "finish {\"status\":\"cancelled\",\"reason\":\"enough\"}"
        ]
    );
    assert_eq!(walker.apply(gives("each#1[0]@1", json!(5))), Applied::Ignored);
    assert_eq!(
        (walker.view().status("each"), walker.view().status("gate")),
        (NodeStatus::Failed, NodeStatus::Skipped)
    );
}

#[test]
fn what_comes_too_late_changes_nothing() {
    let mut walker = Walker::new(graph(), json!({"v": 1}));
    walker.commands();
    let failure = StepFailure { code: "TOOL_FAILED".to_owned(), message: "no".to_owned(), retryable: true };
    assert_eq!(walker.apply(Event::StepFailed { step: step("a#1@1"), failure }), Applied::Taken);
    let before = walker.snapshot().clone();
    for name in ["a#1@1", "a#1@2", "a#2@1", "a#1[0]@2", "each#1[0]@1", "hook:error#1[0]@1", "nobody#1@1"] {
        assert_eq!(walker.apply(gives(name, json!(1))), Applied::Ignored, "{name}");
        assert_eq!(walker.apply(Event::StepInterrupted { step: step(name) }), Applied::Ignored, "{name}");
        let answer = Answer::Approve { by: None, comment: None };
        assert_eq!(walker.apply(Event::Answered { step: step(name), answer }), Applied::Ignored, "{name}");
    }
    assert_eq!(walker.snapshot(), &before);
    assert_eq!(walker.open_steps(), []);
    let Some(Command::StartTimer { timer, .. }) = walker.open_timers().pop() else { panic!("no timer") };
    assert_eq!(walker.apply(Event::TimerFired { timer }), Applied::Taken);
    assert_eq!(walker.open_steps(), [step("a#1@2")]);
}

#[test]
fn after_a_restart_the_open_steps_can_be_started_again() {
    let mut walker = Walker::new(graph(), json!({"v": [1.1, 0.3]}));
    let Some(Command::StartStep(first)) = walker.commands().into_iter().next() else { panic!("no step") };
    let text = serde_json::to_string(walker.snapshot()).unwrap();
    let mut walker = Walker::restore(graph(), serde_json::from_str(&text).unwrap()).unwrap();
    assert_eq!(lines(&mut walker), [""; 0]);
    assert_eq!(walker.start_of(&walker.open_steps()[0]), Some(first));
    assert_eq!(walker.open_timers().len(), 1);
    assert_eq!(walker.apply(Event::StepInterrupted { step: step("a#1@1") }), Applied::Taken);
    assert_eq!(lines(&mut walker), ["ask a#1@1 interrupted"]);
    assert_eq!(walker.view().status("a"), NodeStatus::Waiting);
    assert_eq!(walker.questions().len(), 1);

    let other = Graph::parse(&GRAPH.replace("sure?", "really?")).unwrap();
    assert_eq!(Walker::restore(other, walker.snapshot().clone()).unwrap_err(), RestoreError::OtherGraph);
}

#[test]
fn a_single_node_runs_with_a_given_state() {
    let Value::Object(state) = json!({"v": 7}) else { unreachable!() };
    let mut walker = Walker::for_single_node(graph(), "a", json!({}), state).unwrap();
    assert_eq!(lines(&mut walker)[0], "start a#1@1 demo/a {\"v\":7}");
    assert_eq!(walker.apply(gives("a#1@1", json!("x"))), Applied::Taken);
    let output = json!({"result": "x", "assigned": {"v": "x"}, "next": "each"});
    assert_eq!(walker.finish(), Some(&Finish::Completed { output }));
    assert!(Walker::for_single_node(graph(), "nobody", json!({}), serde_json::Map::new()).is_none());
}

#[test]
fn a_snapshot_that_does_not_fit_is_refused() {
    let walker = Walker::new(graph(), json!({"v": 1}));
    let text = serde_json::to_string(walker.snapshot()).unwrap();
    let check = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        let snapshot = serde_json::from_str(&text.replace(from, to)).unwrap();
        assert!(Walker::restore(graph(), snapshot).is_err(), "{to}");
    };
    check("\"version\":1", "\"version\":2");
    check("{\"single\":{\"node\":\"a\"", "{\"single\":{\"node\":\"end\"");
    check("{\"single\":{\"node\":\"a\"", "{\"single\":{\"node\":\"nobody\"");
    check("\"state\":{}", "\"state\":[]");
}
