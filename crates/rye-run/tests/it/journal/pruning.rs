//! Forgetting runs, with their output and nothing else.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use lillux::clock::Timestamp;
use rye_run::journal::{Journal, Retention, RunFilter, RunId, RunStart};

use super::{dead_process, ids, journal, start_at, success};

fn time(day: u32) -> Timestamp {
    format!("2026-03-{day:02}T10:00:00Z").parse().unwrap()
}

fn with_output(journal: &Journal, id: RunId) -> PathBuf {
    let folder = journal.output_folder(id);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("7-0.out"), "output").unwrap();
    folder
}

fn remaining(journal: &Journal) -> Vec<RunId> {
    let mut ids = ids(&journal.list(&RunFilter { limit: 100, ..RunFilter::default() }).unwrap());
    ids.reverse();
    ids
}

/// Runs of the first days of a month, all ended, with output.
fn days(journal: &Journal, count: u32) -> Vec<RunStart> {
    let runs: Vec<_> = (1..=count).map(|day| start_at(time(day), "my/tool")).collect();
    for run in &runs {
        journal.record(run, &success()).unwrap();
        with_output(journal, run.id);
    }
    runs
}

#[test]
fn what_is_neither_new_nor_among_the_newest_goes() {
    for (newest, since, kept) in [
        (100, None, &[0, 1, 2, 3, 4][..]),
        (2, None, &[3, 4]),
        (0, None, &[]),
        (0, Some(time(3)), &[2, 3, 4]),
        (4, Some(time(3)), &[1, 2, 3, 4]),
        (1, Some(time(30)), &[4]),
    ] {
        let (_folder, journal) = journal();
        let runs = days(&journal, 5);
        let pruned = journal.prune(&Retention { newest, since }, time(5)).unwrap();
        assert_eq!((pruned.runs, pruned.kept.len()), (5 - kept.len(), 0));
        let expect: Vec<_> = kept.iter().map(|&number: &usize| runs[number].id).collect();
        assert_eq!(remaining(&journal), expect);
        for run in &runs {
            assert_eq!(journal.output_folder(run.id).exists(), expect.contains(&run.id));
        }
    }
}

#[test]
fn what_goes_on_stays() {
    let (_folder, journal) = journal();
    let running = start_at(time(1), "my/tool");
    let lost = RunStart { supervisor: dead_process(), ..start_at(time(2), "my/tool") };
    journal.begin(&running).unwrap();
    journal.begin(&lost).unwrap();
    journal.prune(&Retention { newest: 0, since: None }, time(5)).unwrap();
    assert_eq!(remaining(&journal), [running.id]);
}

#[test]
fn runs_beyond_thousands_go_by_themselves() {
    let (_folder, journal) = journal();
    let most = Retention::BY_ITSELF.newest;
    let first = start_at(time(1), "my/tool");
    let output = with_output(&journal, first.id);
    let going_on = start_at(time(1), "my/slow");
    journal.begin(&going_on).unwrap();
    journal.record(&first, &success()).unwrap();
    for _ in 0..most + 1_500 {
        journal.record(&start_at(time(2), "my/tool"), &success()).unwrap();
    }
    let kept = ids(&journal.list(&RunFilter { limit: usize::MAX, ..RunFilter::default() }).unwrap());
    assert!((most..most + 1_500).contains(&kept.len()), "{} runs are kept", kept.len());
    assert_eq!(
        (kept.contains(&first.id), output.exists(), kept.contains(&going_on.id)),
        (false, false, true)
    );
}

#[test]
fn output_without_a_record_goes_when_it_is_old() {
    let (_folder, journal) = journal();
    let old = with_output(&journal, start_at(time(1), "my/tool").id);
    let young = with_output(&journal, start_at(time(20), "my/tool").id);
    let other = old.with_file_name("something else");
    std::fs::create_dir(&other).unwrap();
    let known = days(&journal, 1);
    journal.prune(&Retention { newest: 10, since: None }, time(21)).unwrap();
    assert_eq!((old.exists(), young.exists(), other.exists()), (false, true, true));
    assert!(journal.output_folder(known[0].id).exists());
}

#[test]
fn nothing_is_removed_through_a_link() {
    let (folder, journal) = journal();
    let elsewhere = folder.path().join("elsewhere");
    let runs = [start_at(time(1), "my/tool"), start_at(time(2), "my/tool")];
    for run in &runs {
        std::fs::create_dir_all(elsewhere.join(run.id.to_string())).unwrap();
    }
    symlink(&elsewhere, journal.folder().join("output")).unwrap();
    journal.record(&runs[0], &success()).unwrap();
    let pruned = journal.prune(&Retention { newest: 0, since: None }, time(21)).unwrap();
    assert_eq!((pruned.runs, std::fs::read_dir(&elsewhere).unwrap().count()), (1, 2));
}
