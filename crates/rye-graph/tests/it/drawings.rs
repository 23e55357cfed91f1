//! Drawings as a person sees them.

use rye_graph::conformance::random_graph;
use rye_graph::draw::{mermaid, svg, terminal};
use rye_graph::{Applied, Event, Graph, Walker};
use serde_json::json;

use crate::examples::EXAMPLES;

const LOOP: &str = "
tool_type: graph
executor_id: x
permissions: {execute: [demo/*]}
config:
  start: poll
  nodes:
    poll:
      action: {item_id: demo/poll}
      next: [{to: each, when: {path: result.done, op: eq, value: true}}, {to: wait}]
      on_error: end
    wait: {action: {item_id: demo/wait}, next: poll}
    each: {type: foreach, over: '${result.list}', action: {item_id: demo/each}, next: end}
    end: {type: return}
";

#[test]
fn a_loop_in_a_terminal() {
    let graph = Graph::parse(LOOP).unwrap();
    insta::assert_snapshot!(terminal(&graph, None), @"
    ┌──────────────────────────┐
    │ poll                     │◀───────┐
    │ demo/poll                │        │
    └───┬──────────────────────┘        │
        ├─ otherwise ───────────────┐   │
        ├─ on error ────────────────┼─┐ │
        │ result.done = true        │ │ │
        ▼                           │ │ │
    ┌──────────────────────────┐    │ │ │
    │ each                     │    │ │ │
    │ for each item: demo/each │    │ │ │
    └───┬──────────────────────┘    │ │ │
        └─────────────────────────┐ │ │ │
                                  │ │ │ │
    ┌──────────────────────────┐  │ │ │ │
    │ wait                     │◀─┼─┘ │ │
    │ demo/wait                │  │   │ │
    └───┬──────────────────────┘  │   │ │
        └─────────────────────────┼───┼─┘
                                  │   │
    ┌──────────────────────────┐  │   │
    │ end                      │◀─┴───┘
    │ return                   │
    └──────────────────────────┘
    ");
}

#[test]
fn a_run_in_every_form() {
    let graph = Graph::parse(LOOP).unwrap();
    let mut walker = Walker::new(graph.clone(), json!({}));
    let step = "poll#1@1".parse().unwrap();
    let result = json!({"done": true, "list": [1, 2, 3]});
    assert_eq!(walker.apply(Event::StepSucceeded { step, result }), Applied::Taken);
    let step = "each#1[0]@1".parse().unwrap();
    assert_eq!(walker.apply(Event::StepSucceeded { step, result: json!(1) }), Applied::Taken);
    let view = walker.view();
    insta::assert_snapshot!(terminal(&graph, Some(&view)), @"
    ┌──────────────────────────┐
    │ ✓ poll                   │◀───────┐
    │ demo/poll                │        │
    └───┬──────────────────────┘        │
        ├─ otherwise ───────────────┐   │
        ├─ on error ────────────────┼─┐ │
        │ result.done = true        │ │ │
        ▼                           │ │ │
    ┌──────────────────────────┐    │ │ │
    │ ▶ each 1/3               │    │ │ │
    │ for each item: demo/each │    │ │ │
    └───┬──────────────────────┘    │ │ │
        └─────────────────────────┐ │ │ │
                                  │ │ │ │
    ┌──────────────────────────┐  │ │ │ │
    │ · wait                   │◀─┼─┘ │ │
    │ demo/wait                │  │   │ │
    └───┬──────────────────────┘  │   │ │
        └─────────────────────────┼───┼─┘
                                  │   │
    ┌──────────────────────────┐  │   │
    │ · end                    │◀─┴───┘
    │ return                   │
    └──────────────────────────┘
    ");
    insta::assert_snapshot!(mermaid(&graph, Some(&view)), @r#"
    flowchart TD
        n0["poll<br/>demo/poll"]
        n1["wait<br/>demo/wait"]
        n2[["each 1/3<br/>for each item: demo/each"]]
        n3(["end<br/>return"])
        n0 -->|"result.done = true"| n2
        n0 -->|"otherwise"| n1
        n0 -.->|"on error"| n3
        n1 --> n0
        n2 --> n3
        classDef pending fill:#ffffff,stroke:#8c959f
        classDef running fill:#ddf4ff,stroke:#0969da
        classDef done fill:#dafbe1,stroke:#1a7f37
        classDef failed fill:#ffebe9,stroke:#cf222e
        classDef waiting fill:#fff8c5,stroke:#9a6700
        classDef skipped fill:#f6f8fa,stroke:#d0d7de,color:#8c959f
        class n0 done
        class n1 pending
        class n2 running
        class n3 pending
    "#);
    let drawing = svg(&graph, Some(&view));
    assert!(drawing.contains("<rect class=\"box running\"") && drawing.contains("▶ each 1/3"), "{drawing}");
}

#[test]
fn the_release_checklist_in_a_terminal() {
    let graph = Graph::parse(EXAMPLES[2].1).unwrap();
    insta::assert_snapshot!(terminal(&graph, None), @"
    ┌───────────────────────┐
    │ repository            │
    │ rye/git/status        │
    └───┬───────────────────┘
        ├─ otherwise ────────────────────────┐
        │ result.clean = true                │
        ▼                                    │
    ┌───────────────────────┐                │
    │ tests                 │                │
    │ rye/shell/bash        │                │
    └───┬───────────────────┘                │
        ├─ on error ───────────────────────┐ │
        │                                  │ │
        ▼                                  │ │
    ┌───────────────────────┐              │ │
    │ changelog             │              │ │
    │ rye/file/grep         │              │ │
    └───┬───────────────────┘              │ │
        ├─ result.matches is empty ──────┐ │ │
        ├─ on error ───────────────────┐ │ │ │
        │ otherwise                    │ │ │ │
        ▼                              │ │ │ │
    ┌───────────────────────┐          │ │ │ │
    │ approval              │          │ │ │ │
    │ waits for approval    │          │ │ │ │
    └───┬───────────────────┘          │ │ │ │
        ├─ on error ─────────────────┐ │ │ │ │
        │                            │ │ │ │ │
        ▼                            │ │ │ │ │
    ┌───────────────────────┐        │ │ │ │ │
    │ tag                   │        │ │ │ │ │
    │ rye/shell/bash        │        │ │ │ │ │
    └───┬───────────────────┘        │ │ │ │ │
        │                            │ │ │ │ │
        ▼                            │ │ │ │ │
    ┌───────────────────────┐        │ │ │ │ │
    │ released              │        │ │ │ │ │
    │ return                │        │ │ │ │ │
    └───────────────────────┘        │ │ │ │ │
                                     │ │ │ │ │
    ┌───────────────────────┐        │ │ │ │ │
    │ refused               │◀───────┘ │ │ │ │
    │ return                │          │ │ │ │
    └───────────────────────┘          │ │ │ │
                                       │ │ │ │
    ┌───────────────────────┐          │ │ │ │
    │ unmentioned           │◀─────────┴─┘ │ │
    │ return                │              │ │
    └───────────────────────┘              │ │
                                           │ │
    ┌───────────────────────┐              │ │
    │ broken                │◀─────────────┘ │
    │ return                │                │
    └───────────────────────┘                │
                                             │
    ┌───────────────────────┐                │
    │ changed               │◀───────────────┘
    │ return                │
    └───────────────────────┘
    ");
}

#[test]
fn texts_of_a_graph_stay_texts() {
    let text = LOOP.replace(
        "result.done, op: eq, value: true",
        "'inputs[\"<b>\\u0022&|;`\"]', op: eq, value: '<script>\"'",
    );
    let graph = Graph::parse(&text).unwrap();
    let drawing = svg(&graph, None);
    assert!(!drawing.contains("<script") && !drawing.contains("<b>"), "{drawing}");
    let flow = mermaid(&graph, None);
    assert!(!flow.contains("<script") && !flow.contains("<b>"), "{flow}");
}

#[test]
fn every_random_graph_can_be_drawn() {
    for seed in 0..300 {
        let graph = Graph::parse(&random_graph(seed)).unwrap();
        let view = Walker::new(graph.clone(), json!({})).view();
        let drawing = terminal(&graph, Some(&view));
        for name in graph.nodes().keys() {
            assert!(drawing.contains(name.as_str()), "{name}\n{drawing}");
        }
        assert_eq!(svg(&graph, Some(&view)).matches("<rect class").count(), graph.nodes().len());
    }
}

#[test]
fn a_graph_with_too_many_ways_names_them() {
    use std::fmt::Write as _;
    let mut text = String::from("tool_type: graph\nexecutor_id: x\nconfig:\n  start: n0\n  nodes:\n");
    for index in 0..200 {
        let _ = writeln!(
            text,
            "    n{index}: {{type: gate, next: [{{to: end, when: {{path: inputs.x, op: exists}}}}, {{to: n{}}}]}}",
            (index + 1) % 200
        );
    }
    text.push_str("    end: {type: return}\n");
    let graph = Graph::parse(&text).unwrap();
    let drawing = terminal(&graph, None);
    assert!(drawing.contains("→ end"));
    assert!(drawing.lines().all(|line| line.chars().count() < 200));
}
