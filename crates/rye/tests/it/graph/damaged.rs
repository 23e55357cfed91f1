//! Journals that are not what they were.

use std::path::PathBuf;

use rye_graph::driver::RunStatus;

use super::yard::Yard;

const BODY: &str = "  start: a
  nodes:
    a: {action: {item_id: demo/effect}, next: gate}
    gate: {type: gate, wait: manual, next: b}
    b: {type: return, output: done}
";

/// A run that waits, and its database with everything in it.
fn waiting(yard: &Yard) -> (String, PathBuf) {
    yard.graph("demo/g", "demo/*", BODY);
    assert_eq!(yard.rye(["graph", "run", "demo/g"]).output().status.code(), Some(4));
    let run = yard.last().header.id;
    let path = yard.runs().folder().join(format!("{run}.sqlite3"));
    (run, path)
}

#[test]
fn a_damaged_journal_is_reported_and_kept() {
    let yard = Yard::new();
    let (run, path) = waiting(&yard);
    let whole = std::fs::read(&path).unwrap();
    let find = |text: &str| whole.windows(text.len()).rposition(|part| part == text.as_bytes()).unwrap();
    let mut cases: Vec<(&str, Vec<u8>)> = vec![
        ("no database", b"this is something else, and long enough to look at".repeat(100)),
        ("cut off", whole[..whole.len() / 2].to_vec()),
    ];
    // A digit of a result, which the database itself does not look at.
    let mut changed = whole.clone();
    let place = find(r#""result":{"ok":true}"#) + 10;
    changed[place + 1..place + 3].copy_from_slice(b"KO");
    cases.push(("another result", changed));
    let mut changed = whole.clone();
    changed[4096..4196].fill(0xa5);
    cases.push(("a page that is none", changed));
    for (name, bytes) in cases {
        std::fs::write(&path, &bytes).unwrap();
        let output = yard.rye(["graph", "resume", &run]).output();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{name}: {errors}");
        assert!(errors.contains("damaged") && errors.contains("RECORDS_UNUSABLE"), "{name}: {errors}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name}: it was left as it is");
        assert!(yard.rye(["graph", "runs"]).output().status.success(), "{name}");
    }
    std::fs::write(&path, &whole).unwrap();
    assert!(yard.rye(["graph", "approve", &run]).output().status.success());
    assert_eq!(yard.rye(["graph", "resume", &run]).json()["output"], "done");
    assert_eq!(yard.lines("ran").len(), 1);
}

#[test]
fn a_run_does_not_go_on_with_another_graph() {
    let yard = Yard::new();
    let (run, _) = waiting(&yard);
    yard.graph("demo/g", "demo/*", &BODY.replace("output: done", "output: else"));
    let output = yard.rye(["graph", "resume", &run]).output();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("another graph"), "{errors}");
    yard.graph("demo/g", "demo/*", BODY);
    assert!(yard.rye(["graph", "approve", &run]).output().status.success());
    assert_eq!(yard.rye(["graph", "resume", &run]).json()["output"], "done");

    // What cannot go on can be ended.
    let (run, _) = waiting(&yard);
    yard.shop.space.remove("project/.ai/tools/demo/g.yaml");
    assert!(yard.rye(["graph", "cancel", &run]).output().status.success());
    assert_eq!(yard.last().status, RunStatus::Cancelled);
}
