//! Several processes that write at once.

use rye_run::journal::{Journal, RunFilter, RunStatus};

use super::{start, success};
use crate::process;

const RUNS: usize = 100;

/// The body of a writer. Without orders it has nothing to do.
#[test]
#[ignore = "the other tests here run it, as processes of its own"]
fn writer() {
    let Some(folder) = process::orders() else { return };
    for number in 0..RUNS {
        // Some do as a program does that lives for one run.
        let journal = Journal::open(folder.as_ref()).unwrap();
        let run = start(&format!("my/{}-{number}", std::process::id()));
        journal.begin(&run).unwrap();
        journal.finish(run.id, &success()).unwrap();
    }
}

#[test]
fn nothing_is_lost_when_processes_write_at_once() {
    let space = tempfile::tempdir().unwrap();
    // Nobody has made the database, so they all try.
    let writers: Vec<_> = (0..4).map(|_| process::start("journal::writers::writer", space.path())).collect();
    let mut items = Vec::new();
    for writer in writers {
        let pid = writer.id();
        assert!(writer.wait_with_output().unwrap().status.success());
        items.extend((0..RUNS).map(|number| format!("tool:my/{pid}-{number}")));
    }
    let journal = Journal::open(space.path()).unwrap();
    let records = journal.list(&RunFilter { limit: 1000, ..RunFilter::default() }).unwrap();
    assert!(records.iter().all(|record| record.status() == RunStatus::Succeeded));
    let mut found: Vec<_> = records.iter().map(|record| record.start.item.to_string()).collect();
    found.sort();
    items.sort();
    assert_eq!(found, items);
}

#[test]
fn nothing_is_lost_when_threads_share_a_journal() {
    let (_space, journal) = super::journal();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..25 {
                    let run = start("my/tool");
                    journal.begin(&run).unwrap();
                    journal.finish(run.id, &success()).unwrap();
                }
            });
        }
    });
    let filter = RunFilter { status: Some(RunStatus::Succeeded), limit: 1000, ..RunFilter::default() };
    assert_eq!(journal.list(&filter).unwrap().len(), 200);
}
