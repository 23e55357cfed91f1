//! Files of state graphs, and what their templates say.

use rye_graph::{Graph, Walker, draw};
use rye_template::graph::{Path, Roots, TextTemplate};

/// Whatever can be read can be drawn and walked, and a snapshot of the walk can be gone on with.
pub(crate) fn graph(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let read = rye_graph::read(&text);
    let Some(graph) = read.graph else {
        assert!(!read.problems.is_empty(), "what is refused has a reason");
        return;
    };
    for drawing in [draw::terminal(&graph, None), draw::mermaid(&graph, None), draw::svg(&graph, None)] {
        assert!(drawing.ends_with('\n'));
    }
    assert_eq!(Graph::parse(&text).map(|again| again.digest()).ok(), Some(graph.digest()));
    // A loop of gates runs until its limit, which may be a million.
    if graph.max_steps() > 10_000 {
        return;
    }
    let walker = Walker::new(graph.into(), serde_json::json!({}));
    let snapshot = serde_json::to_vec(walker.snapshot()).expect("a snapshot is JSON");
    let snapshot = serde_json::from_slice(&snapshot).expect("what was written can be read");
    let again = Walker::restore(walker.graph().clone(), snapshot).expect("it is of this graph");
    assert_eq!(again.snapshot(), walker.snapshot());
}

pub(crate) fn graph_template(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let state = serde_json::json!({"a": ["${state.b}"], "b": "never"});
    let roots = Roots::new().with("state", &state);
    if let Ok(template) = TextTemplate::parse(&text) {
        let rendered = template.render(&roots).map(|value| value.to_string());
        if let (Ok(rendered), false) =
            (rendered, text.contains('b') || text.contains("state}") || text.contains("never"))
        {
            assert!(!rendered.contains("never"), "{text} -> {rendered}");
        }
    }
    if let Ok(path) = Path::parse(&text) {
        assert_eq!(Path::parse(&path.to_string()).as_ref(), Ok(&path));
    }
}
