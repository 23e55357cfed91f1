//! Writers that are killed.

use std::time::Duration;

use lillux::Digest;
use rusqlite::Connection;
use rye_run::journal::{Journal, RunFilter, RunStatus};

use super::{start, success};
use crate::process;

/// The body of a writer that goes on until it is killed. Without orders it has nothing to do.
#[test]
#[ignore = "the other tests here run it, as processes of its own"]
fn endless_writer() {
    let Some(folder) = process::orders() else { return };
    let journal = Journal::open(folder.as_ref()).unwrap();
    process::say("writing");
    loop {
        let run = start("my/tool");
        journal.begin(&run).unwrap();
        journal.finish(run.id, &success()).unwrap();
    }
}

/// The body of a supervisor that waits to be killed. Without orders it has nothing to do.
#[test]
#[ignore = "the other tests here run it, as processes of its own"]
fn supervisor() {
    let Some(folder) = process::orders() else { return };
    let journal = Journal::open(folder.as_ref()).unwrap();
    journal.begin(&start("my/tool")).unwrap();
    process::say("supervising");
    std::thread::sleep(Duration::from_mins(10));
}

#[test]
fn a_killed_writer_leaves_whole_records() {
    let space = tempfile::tempdir().unwrap();
    let mut before = 0;
    let mut lost = 0;
    for iteration in 0..40_u64 {
        let mut writer = process::start("journal::killed::endless_writer", space.path());
        process::wait_for(&mut writer, "writing");
        // Spread over some runs of the writer, the same in every run of the test.
        let spread = u64::from(Digest::of(&iteration.to_ne_bytes()).as_bytes()[0]);
        std::thread::sleep(Duration::from_micros(spread * 40));
        writer.kill().unwrap();
        writer.wait().unwrap();

        let journal = Journal::open(space.path()).unwrap();
        let records = journal.list(&RunFilter { limit: 1_000_000, ..RunFilter::default() }).unwrap();
        assert!(records.len() >= before);
        before = records.len();
        assert!(records.iter().all(|record| record.status() != RunStatus::Running));
        lost = records.iter().filter(|record| record.status() == RunStatus::Lost).count();
        assert!(lost as u64 <= iteration + 1, "each writer was killed in one run at most");
        journal.record(&start("my/own"), &success()).unwrap();
        before += 1;
    }
    let connection = Connection::open(space.path().join("runs.sqlite3")).unwrap();
    let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
    // Otherwise the writers were never hit at work, and the test has shown nothing.
    assert!(before > 80 && lost > 0, "{before} runs, {lost} lost");
}

#[test]
fn a_run_is_lost_when_its_supervisor_is_killed() {
    let space = tempfile::tempdir().unwrap();
    let mut supervisor = process::start("journal::killed::supervisor", space.path());
    process::wait_for(&mut supervisor, "supervising");
    let journal = Journal::open(space.path()).unwrap();
    let status = || journal.list(&RunFilter::default()).unwrap()[0].status();
    assert_eq!(status(), RunStatus::Running);
    supervisor.kill().unwrap();
    // It is a zombie until we collect it, and neither then nor later will it write anything.
    let run = journal.list(&RunFilter::default()).unwrap()[0].id();
    let cancel = lillux::CancelToken::new().unwrap();
    assert_eq!(journal.wait(run, None, &cancel).unwrap().status(), RunStatus::Lost);
    supervisor.wait().unwrap();
    assert_eq!(status(), RunStatus::Lost);
}
