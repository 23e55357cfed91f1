//! Runs that nobody needs any more.

use super::yard::Yard;

const BODY: &str = "  start: a
  nodes:
    a: {type: gate, next: [{to: gate, when: {path: inputs.wait, op: exists}}, {to: b}]}
    gate: {type: gate, wait: manual, next: b}
    b: {type: return, output: done}
";

#[test]
fn runs_that_are_over_can_be_removed() {
    let yard = Yard::new();
    yard.graph("demo/g", "", BODY);
    assert_eq!(
        yard.rye(["graph", "run", "demo/g", "--params", r#"{"wait": 1}"#]).output().status.code(),
        Some(4)
    );
    let waiting = yard.last().header.id;
    for _ in 0..3 {
        assert!(yard.rye(["graph", "run", "demo/g"]).output().status.success());
    }
    let over = yard.last().header.id;
    let removed = yard.rye(["graph", "remove", &over]).json();
    assert_eq!(removed["removed"], over.as_str());
    let refused = |run: &str| {
        let output = yard.rye(["graph", "remove", run]).output();
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let gone = refused(&over);
    assert!(gone.contains("RUN_NOT_FOUND") && gone.contains("`rye graph runs`"), "{gone}");
    let kept = refused(&waiting);
    assert!(kept.contains("is kept: it is not over") && kept.contains("`rye graph cancel "), "{kept}");
    assert_eq!(yard.rye(["graph", "prune"]).json()["removed"], 0, "there are few");
    assert_eq!(yard.rye(["graph", "prune", "--older-than", "1"]).json()["removed"], 0, "and none is old");
    assert_eq!(yard.rye(["graph", "prune", "--keep", "1"]).json()["removed"], 1);
    assert_eq!(yard.rye(["graph", "prune", "--keep", "0"]).json()["removed"], 1);
    assert_eq!(yard.runs().ids().unwrap(), [waiting]);
}

#[test]
fn of_many_runs_the_oldest_go_by_themselves() {
    let yard = Yard::new();
    yard.graph("demo/g", "", BODY);
    assert!(yard.rye(["graph", "run", "demo/g"]).output().status.success());
    let first = yard.last().header.id;
    // Together with the next run, as many as are kept, all of them newer than that one.
    let (folder, from) = (yard.runs().folder().to_owned(), format!("{first}.sqlite3"));
    for number in 0..999 {
        std::fs::copy(folder.join(&from), folder.join(format!("zz{number:04}.sqlite3"))).unwrap();
    }
    assert!(yard.rye(["graph", "run", "demo/g"]).output().status.success());
    assert!(!folder.join(&from).exists(), "the oldest is gone");
    assert_eq!(yard.runs().ids().unwrap().len(), 1_000);
}
