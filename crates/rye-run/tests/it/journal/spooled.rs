//! Records that are appended to a file, and end up in the database.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use lillux::Digest;
use rye_run::journal::{
    Journal, OutputFile, RunEnd, RunFilter, RunId, RunStart, RunStatus, Spool, StreamRecord,
};

use super::{failure, ids, journal, start, success};

fn spool(journal: &Journal) -> Vec<u8> {
    fs::read(journal.folder().join("runs.spool")).unwrap_or_default()
}

fn append(folder: &Path, item: &str) -> Option<RunId> {
    let start = start(item);
    append_run(folder, &start, &success()).then_some(start.id)
}

fn append_run(folder: &Path, start: &RunStart, end: &RunEnd) -> bool {
    Spool::open(folder, start).is_some_and(|spool| spool.append(end).unwrap())
}

#[test]
fn what_is_appended_is_what_would_have_been_recorded() {
    let (_folder, journal) = journal();
    let folder = journal.folder().to_owned();
    let (recorded, appended) = (start("a/tool"), start("a/tool"));
    journal.record(&recorded, &failure()).unwrap();
    let end = failure();
    assert!(append_run(&folder, &appended, &end));
    assert_eq!(fs::metadata(folder.join("runs.spool")).unwrap().permissions().mode() & 0o777, 0o600);
    drop(journal);
    let journal = Journal::open(&folder).unwrap();
    let record = journal.get(appended.id).unwrap();
    assert_eq!(record.start, appended);
    assert_eq!(record.state, rye_run::journal::RunState::Ended(Box::new(end)));
    assert!(spool(&journal).is_empty());
    assert_eq!(journal.list(&RunFilter::default()).unwrap().len(), 2);
}

#[test]
fn a_new_folder_needs_the_database_first() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(append(folder.path(), "a/tool"), None);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    Journal::open(folder.path()).unwrap();
    assert!(append(folder.path(), "a/tool").is_some());
}

#[test]
fn what_is_not_our_database_is_left_to_whoever_can_tell_why() {
    let check = |name: &str, bytes: &[u8]| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("runs.sqlite3"), bytes).unwrap();
        assert_eq!(append(folder.path(), "a/tool"), None, "{name}");
        assert!(!folder.path().join("runs.spool").exists(), "{name}");
    };
    check("empty", b"");
    check("text", &[b'x'; 4096]);
    check("another program's", &[b"SQLite format 3\0".as_slice(), &[0; 4080]].concat());
}

#[test]
fn a_run_with_output_in_files_takes_the_database() {
    let (_folder, journal) = journal();
    let start = start("a/tool");
    let path = journal.output_folder(start.id).join("stdout");
    let file = Some(OutputFile { path, digest: Digest::of(b"") });
    let end = RunEnd { stdout: StreamRecord { bytes: 0, file }, ..success() };
    assert!(!append_run(journal.folder(), &start, &end));
}

#[test]
fn a_run_that_has_ended_stays_as_it_was() {
    let (_folder, journal) = journal();
    let start = start("a/tool");
    journal.record(&start, &failure()).unwrap();
    assert!(append_run(journal.folder(), &start, &success()));
    let journal = Journal::open(journal.folder()).unwrap();
    assert_eq!(journal.get(start.id).unwrap().status(), RunStatus::Failed);
}

/// The end of a run whose begin was written at the same moment.
#[test]
fn an_appended_end_completes_a_begin() {
    let (_folder, journal) = journal();
    let start = start("a/tool");
    journal.begin(&start).unwrap();
    assert_eq!(journal.get(start.id).unwrap().status(), RunStatus::Running);
    assert!(append_run(journal.folder(), &start, &success()));
    // Whoever has the database open need not open it again.
    assert_eq!(journal.get(start.id).unwrap().status(), RunStatus::Succeeded);
    let ended = journal.wait(start.id, None, &lillux::CancelToken::new().unwrap()).unwrap();
    assert_eq!(ended.status(), RunStatus::Succeeded);
}

/// Somebody may clear the folder while a program runs.
#[test]
fn nothing_is_appended_to_a_file_that_is_gone() {
    let (_folder, journal) = journal();
    let spool = Spool::open(journal.folder(), &start("a/tool")).unwrap();
    fs::remove_file(journal.folder().join("runs.spool")).unwrap();
    assert!(!spool.append(&success()).unwrap());
}

#[test]
fn a_line_that_is_cut_off_harms_no_other() {
    let (_folder, journal) = journal();
    let folder = journal.folder().to_owned();
    let first = append(&folder, "a/first").unwrap();
    let path = folder.join("runs.spool");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole, &whole[..whole.len() / 2]].concat()).unwrap();
    let last = append(&folder, "a/last").unwrap();
    let journal = Journal::open(&folder).unwrap();
    assert_eq!(ids(&journal.list(&RunFilter::default()).unwrap()), [last, first]);
    assert!(spool(&journal).is_empty());
    let damaged = fs::read(folder.join("runs.damaged")).unwrap();
    assert_eq!(damaged, [&whole[1..whole.len() / 2], b"\n"].concat());
}

#[test]
fn a_spool_that_somebody_else_has_made_does_no_harm() {
    let (_folder, journal) = journal();
    let folder = journal.folder().to_owned();
    let elsewhere = folder.join("elsewhere");
    fs::write(&elsewhere, "mine").unwrap();
    symlink(&elsewhere, folder.join("runs.spool")).unwrap();
    assert_eq!(append(&folder, "a/tool"), None);
    assert_eq!(fs::read(&elsewhere).unwrap(), b"mine");
    fs::remove_file(folder.join("runs.spool")).unwrap();
    let line = r#"{"id":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"item":"x","supervisor":"x","chain":"x","request":"x","status":"x","ended":0,"outcome":"x"}"#;
    fs::write(folder.join("runs.spool"), format!("{line}\n[]\n\0\n")).unwrap();
    let journal = Journal::open(&folder).unwrap();
    // It is as damaged as a row of a database that somebody else has made.
    assert!(journal.list(&RunFilter::default()).is_err());
}

#[test]
fn many_processes_worth_of_writers_lose_nothing() {
    let (_folder, journal) = journal();
    let folder = journal.folder().to_owned();
    let count = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|_| {
                let folder = &folder;
                scope.spawn(move || {
                    let mut appended = 0;
                    for _ in 0..60 {
                        match append(folder, "a/tool") {
                            Some(_) => appended += 1,
                            None => drop(Journal::open(folder).unwrap()),
                        }
                    }
                    appended
                })
            })
            .collect();
        for _ in 0..10 {
            Journal::open(&folder).unwrap();
        }
        writers.into_iter().map(|writer| writer.join().unwrap()).sum::<usize>()
    });
    let journal = Journal::open(&folder).unwrap();
    let filter = RunFilter { limit: usize::MAX, ..RunFilter::default() };
    assert_eq!(journal.list(&filter).unwrap().len(), count);
    assert!(spool(&journal).is_empty());
}
