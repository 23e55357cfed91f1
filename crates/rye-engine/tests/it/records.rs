//! The records of runs: when they are written, where, and what happens if they cannot be.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use lillux::CancelToken;
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use rye_engine::{
    Cancellation, Engine, EngineError, ErrorCode, ExecuteReport, ExecuteRequest, Executed, Lifetime,
    PendingRecord,
};
use rye_item::ItemRef;
use rye_run::journal::{RunFilter, RunId, RunRecord, RunStatus};

use crate::tree::Tree;

fn execute(engine: &Engine, tool: &ItemRef) -> (ExecuteReport, PendingRecord) {
    engine.execute(&ExecuteRequest::new(tool.clone()), None, &mut |_| {}).unwrap()
}

fn is_success(report: &ExecuteReport) -> bool {
    matches!(&report.result, Executed::Run { outcome, .. } if outcome.is_success())
}

fn runs(engine: &Engine) -> Vec<RunRecord> {
    engine.runs(&RunFilter::default()).unwrap()
}

/// Looks again and again until there is something to see.
fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_record_is_written_after_the_answer() {
    let tree = Tree::new();
    let tool = tree.signed_tool("say", "", "echo hello");
    let engine = tree.engine_with_cache(Lifetime::Long);
    let (report, record) = execute(&engine, &tool);
    assert!(is_success(&report) && runs(&engine).is_empty());
    record.write().unwrap();
    let [run] = &runs(&engine)[..] else { panic!() };
    assert_eq!((run.id(), run.status(), &run.start.item), (report.run_id, RunStatus::Succeeded, &tool));
    assert_eq!(run.start.chain.len(), 3);
    assert!(tree.path("project/.ai/state/.gitignore").is_file());
    // A record that nobody writes is not lost.
    drop(execute(&engine, &tool));
    assert_eq!(runs(&engine).len(), 2);
}

#[test]
fn a_long_run_is_seen_while_it_runs_and_can_be_cancelled_from_elsewhere() {
    let tree = Tree::new();
    let tool = tree.signed_tool("sleep", "", "trap '' TERM\nsetsid sleep 3607 &\nwhile :; do sleep 1; done");
    let engine = tree.engine_with_cache(Lifetime::Long);
    let elsewhere = tree.engine_with_cache(Lifetime::Short);
    std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let (report, record) = execute(&engine, &tool);
            record.write().unwrap();
            report
        });
        let run = eventually("it runs", || runs(&elsewhere).pop());
        assert_eq!(run.status(), RunStatus::Running);
        let Cancellation::Ended(ended) = elsewhere.cancel_run(run.id()).unwrap() else { panic!() };
        assert_eq!(ended.status(), RunStatus::Cancelled);
        assert!(!is_success(&running.join().unwrap()));
        assert!(matches!(elsewhere.cancel_run(run.id()), Ok(Cancellation::WasOver(_))));
        assert!(!tree.path("project/.ai/state/output").join(run.id().to_string()).exists());
    });
    // The engine is as good as before.
    let other = tree.signed_tool("say", "", "echo hello");
    assert!(is_success(&execute(&engine, &other).0));
}

#[test]
fn a_run_that_the_caller_cancels_is_recorded_as_cancelled() {
    let tree = Tree::new();
    let tool = tree.signed_tool("sleep", "", "exec sleep 3607");
    let engine = tree.engine_with_cache(Lifetime::Long);
    let cancel = CancelToken::new().unwrap();
    let request = ExecuteRequest::new(tool);
    let mut stop = |_: rye_run::runner::RunEvent<'_>| cancel.cancel();
    let (_, record) = engine.execute(&request, Some(&cancel), &mut stop).unwrap();
    record.write().unwrap();
    assert_eq!(runs(&engine)[0].status(), RunStatus::Cancelled);
}

#[test]
fn many_runs_at_once_are_all_recorded() {
    let tree = Tree::new();
    let tool = tree.signed_tool("nap", "", "sleep 0.1");
    let engine = tree.engine_with_cache(Lifetime::Long);
    std::thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| {
                let (report, record) = execute(&engine, &tool);
                assert!(is_success(&report));
                record.write().unwrap();
            });
        }
    });
    let runs = runs(&engine);
    assert_eq!(runs.len(), 32);
    assert!(runs.iter().all(|run| run.status() == RunStatus::Succeeded));
}

#[test]
fn damaged_records_do_not_disturb_a_run() {
    let tree = Tree::new();
    let tool = tree.signed_tool("nap", "", "sleep 0.1");
    let damaged =
        tree.write("project/.ai/state/runs.sqlite3", "this is not a database, but a text of some length");
    let engine = tree.engine_with_cache(Lifetime::Long);
    let (report, record) = execute(&engine, &tool);
    assert!(is_success(&report));
    assert!(record.write().is_err());
    assert!(std::fs::read_to_string(damaged).unwrap().starts_with("this is not"));
    let error = engine.start_async(&ExecuteRequest::new(tool)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::RecordsUnusable);
}

#[test]
fn records_of_a_read_only_project_are_kept_for_the_user() {
    let tree = Tree::new();
    let tool = tree.signed_tool("nap", "", "sleep 0.1; head -c 20000000 /dev/zero");
    std::fs::set_permissions(tree.path("project/.ai"), std::fs::Permissions::from_mode(0o555)).unwrap();
    let run = as_ordinary_user(|| {
        let engine = tree.engine_with_cache(Lifetime::Short);
        let (report, record) = execute(&engine, &tool);
        assert!(is_success(&report));
        record.write().unwrap();
        engine.find_run(report.run_id).unwrap()
    });
    let user = tree.path("state").canonicalize().unwrap();
    assert!(!tree.path("project/.ai/state").exists());
    assert!(run.1.starts_with(&user), "{run:?}");
    let rye_run::journal::RunState::Ended(end) = run.0.state else { panic!() };
    let file = end.stdout.file.unwrap().path;
    assert!(file.starts_with(user) && file.metadata().unwrap().len() == 20_000_000);
}

#[test]
fn a_run_is_found_by_the_beginning_of_its_id() {
    let tree = Tree::new();
    let tool = tree.signed_tool("say", "", "echo hello");
    let engine = tree.engine_with_cache(Lifetime::Long);
    let ids: Vec<RunId> = (0..2).map(|_| execute(&engine, &tool).0.run_id).collect();
    let (one, other) = (ids[0].to_string(), ids[1].to_string());
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    assert_eq!(engine.resolve_run(&one[..=same].parse().unwrap()).unwrap(), ids[0]);
    assert_eq!(engine.resolve_run(&other.parse().unwrap()).unwrap(), ids[1]);
    let error = engine.resolve_run(&one[..same].parse().unwrap()).unwrap_err();
    assert!(matches!(&error, EngineError::RunAmbiguous { runs, .. } if *runs == ids), "{error:?}");
    let error = engine.resolve_run(&"7zz".parse().unwrap()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::RunNotFound);
}

/// Does something in a thread for which permissions count, even if we are root.
fn as_ordinary_user<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let mut sets = capabilities(None).unwrap();
            let above = CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
            sets.effective -= above;
            sets.permitted -= above;
            set_capabilities(None, sets).unwrap();
            act()
        });
        thread.join().unwrap()
    })
}
