//! Graphs and runs as a person sees them.

use super::yard::Yard;

const BODY: &str = "  start: list
  nodes:
    list: {type: foreach, over: [1, 2, 3], as: i, parallel: 2, action: {item_id: demo/effect}, next: broken}
    broken: {action: {item_id: demo/broken}, next: done}
    done: {type: return, output: done}
";

#[test]
fn a_run_is_shown_on_its_graph() {
    let yard = Yard::new();
    yard.graph("demo/g", "demo/*", BODY);
    let output = yard.rye(["graph", "run", "demo/g"]).output();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let run = yard.last().header.id;
    insta::assert_snapshot!(String::from_utf8(yard.rye(["graph", "show", "--run", &run]).output().stdout).unwrap(), @"
    ┌─────────────────────────┐
    │ ✓ list 3/3              │
    │ for each i: demo/effect │
    └───┬─────────────────────┘
        │
        ▼
    ┌─────────────────────────┐
    │ ✗ broken                │
    │ demo/broken             │
    └───┬─────────────────────┘
        │
        ▼
    ┌─────────────────────────┐
    │ - done                  │
    │ return                  │
    └─────────────────────────┘
    ");
    let svg = String::from_utf8(yard.rye(["graph", "show", "demo/g", "--svg"]).output().stdout).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    let mermaid = yard.rye(["graph", "show", "--run", &run, "--mermaid"]).output().stdout;
    assert!(String::from_utf8(mermaid).unwrap().starts_with("flowchart"));
    let listed = yard.rye(["graph", "runs"]).json();
    assert_eq!((&listed["runs"][0]["id"], &listed["runs"][0]["state"]), (&run.into(), &"failed".into()));
}

#[test]
fn a_terminal_has_a_line_for_each_node_and_a_bar_for_a_list() {
    let yard = Yard::new();
    yard.graph("demo/g", "demo/*", BODY);
    let seen = yard.shop.space.on_terminal("graph run demo/g", "");
    assert!(seen.contains("list") && seen.contains("/3"), "{seen:?}");
    assert!(seen.contains("list (3 elements, "), "a list that is done has a line: {seen:?}");
    assert!(seen.contains("failed:") && seen.contains("broken#1@1"), "{seen:?}");
    assert!(!seen.contains("done: list#1[0]@1"), "an element of a list has no line of its own: {seen:?}");
}
