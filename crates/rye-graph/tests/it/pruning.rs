//! Which runs are forgotten, and which never are.

use std::sync::Arc;

use lillux::CancelToken;
use rye_graph::driver::{
    Begin, Driver, GraphRetention, GraphRuns, Patience, Removal, RunHeader, RunStatus, StepCall, StepOutcome,
    StepRunner, WhyKept,
};
use rye_graph::{Graph, StartStep};
use serde_json::{Map, json};

const NONE_KEPT: GraphRetention = GraphRetention { newest: 0, since: None };

/// A folder with runs.
struct Runs {
    _folder: tempfile::TempDir,
    runs: GraphRuns,
}

/// Steps that give more than fits into a database.
struct Large;

impl StepRunner for Large {
    fn run(&self, _: &StepCall, _: &CancelToken) -> StepOutcome {
        StepOutcome::Gives { result: json!("x".repeat(100_000)), cached: false }
    }

    fn may_repeat(&self, _: &StartStep) -> bool {
        false
    }
}

impl Runs {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { runs: GraphRuns::new(folder.path().join("graphs")), _folder: folder }
    }

    /// A run that waits for somebody after its only step, if it is to wait, and else is over.
    fn run(&self, id: &str, key: Option<&str>, waits: bool) {
        let next = if waits { "gate" } else { "done" };
        let text = format!(
            "tool_type: graph\nexecutor_id: x\npermissions: {{execute: [demo/*]}}\nconfig:\n  start: a\n  nodes:\n    \
            a: {{action: {{item_id: demo/a}}, next: {next}}}\n    gate: {{type: gate, wait: manual, next: done}}\n    done: {{type: return}}\n"
        );
        let graph: Arc<Graph> = Graph::parse(&text).unwrap();
        let header = RunHeader {
            id: id.to_owned(),
            item: "tool:demo/graph".to_owned(),
            graph: graph.digest(),
            started: id.trim_start_matches(char::is_alphabetic).parse().unwrap_or(0),
            node: None,
            key: key.map(str::to_owned),
            ancestors: Vec::new(),
        };
        let loaded =
            self.runs.begin(&graph, &Begin { header, inputs: json!({}), state: Map::new() }, None).unwrap();
        let driver = Driver { runner: &Large, cancel: CancelToken::new().unwrap(), patience: Patience::Stop };
        driver.drive(loaded, &mut |_| {}).unwrap();
        let expect = if waits { RunStatus::Waiting } else { RunStatus::Completed };
        assert_eq!(self.runs.summary(id).unwrap().status, expect);
    }

    /// The names of everything that is there, apart from the file for version control.
    fn names(&self) -> Vec<String> {
        let entries = self.runs.folder().read_dir().unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != ".gitignore");
        names.sort_unstable();
        names
    }
}

#[test]
fn a_run_that_is_over_goes_with_all_that_it_has() {
    let runs = Runs::new();
    runs.run("r1", Some("gone/a#1"), false);
    assert_eq!(runs.names().len(), 4, "journal, lock, key and values: {:?}", runs.names());
    assert_eq!(runs.runs.remove("r1").unwrap(), Removal::Removed);
    assert_eq!(runs.names(), [""; 0]);
    assert!(runs.runs.remove("r1").is_err(), "there is none any more");
}

#[test]
fn the_newest_runs_are_kept_and_those_since_a_time() {
    let runs = Runs::new();
    for id in ["r1", "r2", "r3", "r4"] {
        runs.run(id, None, false);
    }
    let prune = |newest, since| runs.runs.prune(&GraphRetention { newest, since }).unwrap().removed;
    assert_eq!(prune(4, None), 0);
    assert_eq!((prune(1, Some(3)), runs.runs.ids().unwrap()), (2, vec!["r4".to_owned(), "r3".to_owned()]));
    assert_eq!((prune(1, None), runs.runs.ids().unwrap()), (1, vec!["r4".to_owned()]));
}

#[test]
fn what_is_not_over_is_kept() {
    let runs = Runs::new();
    runs.run("r1", None, true);
    assert_eq!(runs.runs.remove("r1").unwrap(), Removal::Kept(WhyKept::Unfinished));
    assert_eq!(runs.runs.prune(&NONE_KEPT).unwrap().removed, 0);
    assert_eq!(runs.runs.summary("r1").unwrap().status, RunStatus::Waiting);
}

#[test]
fn what_a_process_has_a_hand_on_is_kept() {
    let runs = Runs::new();
    runs.run("r1", None, false);
    let driven = runs.runs.open_to_drive("r1").unwrap();
    assert_eq!(runs.runs.remove("r1").unwrap(), Removal::Kept(WhyKept::Driven));
    drop(driven);
    assert_eq!(runs.runs.remove("r1").unwrap(), Removal::Removed);
}

#[test]
fn a_step_is_kept_for_as_long_as_its_run_may_ask_for_it() {
    let runs = Runs::new();
    runs.run("outer", None, true);
    runs.run("inner", Some("outer/a#1"), false);
    let kept = Removal::Kept(WhyKept::StepOf("outer".to_owned()));
    assert_eq!(runs.runs.remove("inner").unwrap(), kept);
    assert_eq!(runs.runs.find_by_key("outer/a#1").unwrap().as_deref(), Some("inner"));
    runs.runs.open_to_drive("outer").unwrap().abandon("enough").unwrap();
    assert_eq!(runs.runs.prune(&NONE_KEPT).unwrap().removed, 2);
    assert_eq!(runs.names(), [""; 0]);
}

#[test]
fn what_cannot_be_read_is_kept_and_what_never_began_is_not() {
    let runs = Runs::new();
    runs.run("r1", None, false);
    let damaged = runs.runs.folder().join("r2.sqlite3");
    std::fs::write(&damaged, "something else, which is long enough to be looked at".repeat(100)).unwrap();
    std::fs::write(runs.runs.folder().join("r3.sqlite3"), "").unwrap();
    let pruned = runs.runs.prune(&NONE_KEPT).unwrap();
    let failed: Vec<_> = pruned.failed.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!((pruned.removed, failed), (2, vec!["r2"]));
    assert!(damaged.is_file());
}

#[test]
fn a_removal_that_was_interrupted_is_ended() {
    let runs = Runs::new();
    runs.run("r1", None, false);
    // The first thing that a removal does, after which nobody finds the run.
    let path = runs.runs.folder().join("r1.sqlite3");
    std::fs::rename(&path, path.with_extension("gone")).unwrap();
    assert!(runs.runs.ids().unwrap().is_empty());
    runs.runs.prune(&NONE_KEPT).unwrap();
    assert_eq!(runs.names(), [""; 0]);
}
