//! Records in a real database.

mod cannot;
mod killed;
mod pruning;
mod spooled;
mod writers;

use std::path::Path;
use std::time::Duration;

use lillux::clock::{Clock, FakeClock, SystemClock, Timestamp};
use lillux::process::ProcessHandle;
use lillux::{CancelToken, Capture, Digest, Spooled};
use rye_item::Space;
use rye_run::journal::{
    ChainEntry, Ending, Journal, JournalErrorKind, RequestSummary, ResultPreview, RunEnd, RunFilter, RunId,
    RunRecord, RunStart, RunState, RunStatus, StreamRecord,
};

use crate::tool;

fn journal() -> (tempfile::TempDir, Journal) {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::open(&folder.path().join(".ai/state")).unwrap();
    (folder, journal)
}

fn start(item: &str) -> RunStart {
    start_at(SystemClock.now(), item)
}

fn start_at(time: Timestamp, item: &str) -> RunStart {
    let entry = |id, space, signer: Option<&str>| ChainEntry {
        item: tool(id),
        space,
        digest: Digest::of(b"a file"),
        signer: signer.map(str::to_owned),
    };
    RunStart {
        id: RunId::generate(&FakeClock::at(time)),
        item: tool(item),
        supervisor: ProcessHandle::current().unwrap(),
        chain: vec![
            entry(item, Space::Project, Some("0123456789abcdef0123456789abcdef")),
            entry("rye/core/primitives/execute", Space::System, None),
        ],
        request: RequestSummary::of(r#"{"name":"World","token":"***"}"#),
    }
}

fn end(ending: Ending) -> RunEnd {
    let micros = SystemClock.now().unix_micros();
    RunEnd {
        ended: Timestamp::from_unix_micros(micros).unwrap(),
        duration: Duration::from_micros(1_234_567),
        ending,
        stdout: StreamRecord { bytes: 42, file: None },
        stderr: StreamRecord::default(),
        preview: Some(ResultPreview::of("{\"text\":\"Hello\"}")),
    }
}

fn success() -> RunEnd {
    end(Ending::Succeeded { exit_code: Some(0) })
}

fn failure() -> RunEnd {
    end(Ending::Failed { exit_code: Some(3), error: "TOOL_FAILED".to_owned() })
}

/// A process that is gone.
fn dead_process() -> ProcessHandle {
    let current = ProcessHandle::current().unwrap();
    ProcessHandle { start_ticks: current.start_ticks + 1, ..current }
}

fn ids(records: &[RunRecord]) -> Vec<RunId> {
    records.iter().map(RunRecord::id).collect()
}

fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_record_comes_back_as_it_was_written() {
    let (folder, journal) = journal();
    let (begun, ended, whole) = (start("my/begun"), start("my/ended"), start("my/whole"));
    journal.begin(&begun).unwrap();
    journal.begin(&ended).unwrap();
    let mut with_file = failure();
    let path = journal.output_folder(ended.id).join("7-0.out");
    let spool = Some(Spooled { path, digest: Digest::of(b"long") });
    with_file.stdout = StreamRecord::from(&Capture { bytes: Vec::new(), total: 20_000_000, spool });
    journal.finish(ended.id, &with_file).unwrap();
    journal.record(&whole, &success()).unwrap();
    // Another process sees the same.
    let other = Journal::open(&folder.path().join(".ai/state")).unwrap();
    for journal in [journal, other] {
        let record = journal.get(begun.id).unwrap();
        assert_eq!(record, RunRecord { start: begun.clone(), state: RunState::Running });
        let record = journal.get(ended.id).unwrap();
        assert_eq!(
            record,
            RunRecord { start: ended.clone(), state: RunState::Ended(Box::new(with_file.clone())) }
        );
        assert_eq!(record.status(), RunStatus::Failed);
        assert_eq!(journal.get(whole.id).unwrap().status(), RunStatus::Succeeded);
        let unknown = RunId::generate(&SystemClock);
        let error = journal.get(unknown).unwrap_err();
        assert!(matches!(error.kind(), JournalErrorKind::RunNotFound { id } if *id == unknown));
    }
}

#[test]
fn the_first_end_counts() {
    let (_folder, journal) = journal();
    let run = start("my/tool");
    let not_begun = journal.finish(run.id, &success()).unwrap_err();
    assert!(matches!(not_begun.kind(), JournalErrorKind::RunNotFound { .. }));
    journal.begin(&run).unwrap();
    assert!(matches!(journal.begin(&run).unwrap_err().kind(), JournalErrorKind::RunExists { .. }));
    journal.finish(run.id, &end(Ending::Cancelled)).unwrap();
    for again in [journal.finish(run.id, &success()), journal.record(&run, &success())] {
        assert!(matches!(again.unwrap_err().kind(), JournalErrorKind::AlreadyEnded { .. }));
    }
    assert_eq!(journal.get(run.id).unwrap().status(), RunStatus::Cancelled);
    let other = start("my/tool");
    journal.begin(&other).unwrap();
    journal.record(&other, &end(Ending::TimedOut)).unwrap();
    assert_eq!(journal.get(other.id).unwrap().status(), RunStatus::TimedOut);
}

#[test]
fn output_elsewhere_is_not_recorded() {
    let (_folder, journal) = journal();
    let run = start("my/tool");
    let mut end = success();
    let spool = Some(Spooled { path: "/etc/passwd".into(), digest: Digest::of(b"") });
    end.stderr = StreamRecord::from(&Capture { bytes: Vec::new(), total: 1, spool });
    let error = journal.record(&run, &end).unwrap_err();
    assert!(matches!(error.kind(), JournalErrorKind::ForeignOutput { .. }));
}

#[test]
fn lists_are_newest_first_and_filtered() {
    let (_folder, journal) = journal();
    let runs: Vec<_> =
        (0..6).map(|number| start(if number % 2 == 0 { "my/even" } else { "my/odd" })).collect();
    for run in [&runs[3], &runs[0], &runs[1], &runs[2]] {
        journal.record(run, &if run.id == runs[1].id { failure() } else { success() }).unwrap();
    }
    journal.begin(&runs[4]).unwrap();
    journal.begin(&RunStart { supervisor: dead_process(), ..runs[5].clone() }).unwrap();

    let check = |filter: RunFilter, expect: &[usize]| {
        let expect: Vec<_> = expect.iter().map(|&number| runs[number].id).collect();
        assert_eq!(ids(&journal.list(&filter).unwrap()), expect, "{filter:?}");
    };
    let all = RunFilter::default;
    let with = |status| RunFilter { status: Some(status), ..all() };
    check(all(), &[5, 4, 3, 2, 1, 0]);
    check(RunFilter { limit: 2, ..all() }, &[5, 4]);
    check(RunFilter { limit: 0, ..all() }, &[]);
    check(RunFilter { limit: 2, before: Some(runs[4].id), ..all() }, &[3, 2]);
    check(RunFilter { item: Some(tool("my/even")), ..all() }, &[4, 2, 0]);
    check(RunFilter { item: Some(tool("my/even")), ..with(RunStatus::Succeeded) }, &[2, 0]);
    check(RunFilter { limit: 1, ..with(RunStatus::Running) }, &[4]);
    check(with(RunStatus::Lost), &[5]);
    check(with(RunStatus::Failed), &[1]);
    check(with(RunStatus::TimedOut), &[]);
}

#[test]
fn a_run_without_its_supervisor_is_lost() {
    let (_folder, journal) = journal();
    let run = RunStart { supervisor: dead_process(), ..start("my/tool") };
    journal.begin(&run).unwrap();
    assert_eq!(journal.get(run.id).unwrap().status(), RunStatus::Lost);
    let waited = journal.wait(run.id, None, &CancelToken::new().unwrap()).unwrap();
    assert_eq!(waited.status(), RunStatus::Lost);
    // Whoever ended the supervisor may still say so.
    journal.finish(run.id, &end(Ending::Cancelled)).unwrap();
    assert_eq!(journal.get(run.id).unwrap().status(), RunStatus::Cancelled);
}

#[test]
fn waiting_ends_with_the_run_with_its_time_or_when_nobody_waits() {
    let (folder, journal) = journal();
    let run = start("my/tool");
    journal.begin(&run).unwrap();
    let cancel = CancelToken::new().unwrap();
    let over = journal.wait(run.id, Some(Duration::ZERO), &cancel).unwrap();
    assert_eq!(over.status(), RunStatus::Running);
    let over = journal.wait(run.id, Some(Duration::from_millis(20)), &cancel).unwrap();
    assert_eq!(over.status(), RunStatus::Running);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| journal.wait(run.id, None, &cancel).unwrap());
        let other = Journal::open(&folder.path().join(".ai/state")).unwrap();
        other.finish(run.id, &success()).unwrap();
        assert_eq!(waiting.join().unwrap().status(), RunStatus::Succeeded);
    });
    let other = start("my/tool");
    journal.begin(&other).unwrap();
    cancel.cancel();
    assert_eq!(journal.wait(other.id, None, &cancel).unwrap().status(), RunStatus::Running);
}

#[test]
fn records_are_for_the_owner_and_stay_out_of_a_projects_history() {
    let (_folder, journal) = journal();
    journal.record(&start("my/tool"), &success()).unwrap();
    assert_eq!(mode(journal.folder()), 0o700);
    for name in ["runs.sqlite3", "runs.sqlite3-wal", "runs.sqlite3-shm"] {
        assert_eq!(mode(&journal.folder().join(name)), 0o600, "{name}");
    }
    assert_eq!(std::fs::read_to_string(journal.folder().join(".gitignore")).unwrap(), "*\n");
}

#[test]
fn many_runs_leave_a_short_log() {
    let (_folder, journal) = journal();
    let log = journal.folder().join("runs.sqlite3-wal");
    let mut lengths = Vec::new();
    for _ in 0..300 {
        let run = start("my/tool");
        journal.begin(&run).unwrap();
        journal.finish(run.id, &success()).unwrap();
        lengths.push(log.metadata().unwrap().len());
    }
    assert!(lengths.iter().all(|&length| length < 1_200_000), "{lengths:?}");
    let emptied = lengths.windows(2).filter(|pair| pair[1] < pair[0]).count();
    assert!((1..10).contains(&emptied), "rarely, but not never: {lengths:?}");
    let all = journal.list(&RunFilter { limit: 1000, ..RunFilter::default() }).unwrap();
    assert_eq!(all.len(), 300);
}
