//! Folders and files that hold no journal.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use rye_run::journal::{Journal, JournalError, JournalErrorKind, RunFilter};

use super::{journal, start, success};

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Does something in a thread for which permissions count, even if we are root.
fn as_ordinary_user<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let mut sets = capabilities(None).unwrap();
            sets.effective -= CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
            set_capabilities(None, sets).unwrap();
            act()
        });
        thread.join().unwrap()
    })
}

fn is_not_writable(opened: &Result<Journal, JournalError>) -> bool {
    matches!(opened, Err(error) if matches!(error.kind(), JournalErrorKind::NotWritable(_)))
}

#[test]
fn a_folder_that_cannot_be_written_is_passed_over() {
    let space = tempfile::tempdir().unwrap();
    let project = space.path().join("project/.ai");
    let user = space.path().join("home/state");
    std::fs::create_dir_all(&project).unwrap();
    chmod(&project, 0o555);
    let folders = [project.join("state"), user.clone()];
    as_ordinary_user(|| {
        assert!(is_not_writable(&Journal::open(&folders[0])));
        let journal = Journal::open_first(&folders).unwrap();
        assert_eq!(journal.folder(), user.canonicalize().unwrap());
        journal.record(&start("my/tool"), &success()).unwrap();
        let none = Journal::open_first(&folders[..1]);
        assert!(is_not_writable(&none));
    });
    assert!(!folders[0].exists());
    let error = Journal::open_first(&[]).unwrap_err();
    assert!(matches!(error.kind(), JournalErrorKind::NoFolder));
}

#[test]
fn records_in_a_folder_that_can_no_longer_be_written_are_passed_over() {
    let (space, journal) = journal();
    journal.record(&start("my/tool"), &success()).unwrap();
    let state = journal.folder().to_owned();
    drop(journal);
    let folders = [state.clone(), space.path().join("other")];
    for (file_mode, folder_mode) in [(0o400, 0o700), (0o600, 0o500), (0o400, 0o500)] {
        for entry in std::fs::read_dir(&state).unwrap() {
            chmod(&entry.unwrap().path(), file_mode);
        }
        chmod(&state, folder_mode);
        as_ordinary_user(|| {
            let journal = Journal::open_first(&folders).unwrap();
            journal.record(&start("my/tool"), &success()).unwrap();
            // Without new files in the folder, the database may still be written as long as its log is there.
            let expect = if file_mode == 0o600 { &state } else { &folders[1] };
            assert_eq!(journal.folder(), expect, "{file_mode:o} {folder_mode:o}");
        });
        chmod(&state, 0o700);
    }
}

#[test]
fn a_damaged_database_is_kept() {
    let garbage: &[u8] = &b"this is not a database at all, but it is longer than a header ".repeat(100);
    for contents in [&b"short"[..], garbage] {
        let space = tempfile::tempdir().unwrap();
        let path = space.path().join("runs.sqlite3");
        std::fs::write(&path, contents).unwrap();
        let error = Journal::open(space.path()).unwrap_err();
        assert!(matches!(error.kind(), JournalErrorKind::Damaged(_)), "{error:?}");
        let other = space.path().join("other");
        let error = Journal::open_first(&[space.path().to_owned(), other.clone()]).unwrap_err();
        assert!(matches!(error.kind(), JournalErrorKind::Damaged(_)) && !other.exists(), "{error:?}");
        assert_eq!(std::fs::read(&path).unwrap(), contents);
    }
}

#[test]
fn damage_further_inside_is_an_error_and_not_a_crash() {
    let (_space, journal) = journal();
    for _ in 0..200 {
        journal.record(&start("my/tool"), &success()).unwrap();
    }
    let folder = journal.folder().to_owned();
    drop(journal);
    let path = folder.join("runs.sqlite3");
    Connection::open(&path).unwrap().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    for (at, byte) in bytes.iter_mut().enumerate().skip(4096) {
        *byte ^= u8::try_from(at % 251).unwrap();
    }
    std::fs::write(&path, &bytes).unwrap();
    let journal = Journal::open(&folder).unwrap();
    let error = journal.list(&RunFilter::default()).unwrap_err();
    assert!(matches!(error.kind(), JournalErrorKind::Damaged(_)), "{error:?}");
    assert!(journal.record(&start("my/tool"), &success()).is_err());
    drop(journal);
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_database_of_a_later_version_or_of_somebody_else_is_kept() {
    let check = |sql: &str, expect: fn(&JournalErrorKind) -> bool| {
        let space = tempfile::tempdir().unwrap();
        let path = space.path().join("runs.sqlite3");
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let before = std::fs::read(&path).unwrap();
        let error = Journal::open(space.path()).unwrap_err();
        assert!(expect(error.kind()), "{sql}: {error:?}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "{sql}");
    };
    let version = i64::from(u32::from_be_bytes(*b"RYE\x02"));
    check(&format!("PRAGMA user_version = {version}"), |kind| {
        matches!(kind, JournalErrorKind::Newer { found: 2, known: 1 })
    });
    check("PRAGMA user_version = 1", |kind| matches!(kind, JournalErrorKind::Foreign));
    check("CREATE TABLE bookmarks (url TEXT)", |kind| matches!(kind, JournalErrorKind::Foreign));
}

#[test]
fn only_a_regular_file_is_a_database() {
    let place = |make: fn(&Path)| {
        let space = tempfile::tempdir().unwrap();
        make(&space.path().join("runs.sqlite3"));
        let error = Journal::open(space.path()).unwrap_err();
        assert!(matches!(error.kind(), JournalErrorKind::NotAFile { .. }), "{error:?}");
        space
    };
    place(|path| std::fs::create_dir(path).unwrap());
    place(|path| {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    });
    let space = place(|path| symlink("elsewhere", path).unwrap());
    assert!(!space.path().join("elsewhere").exists());
}

#[test]
fn a_folder_may_be_reached_through_a_link() {
    let space = tempfile::tempdir().unwrap();
    std::fs::create_dir(space.path().join("real")).unwrap();
    symlink("real", space.path().join("link")).unwrap();
    let journal = Journal::open(&space.path().join("link/state")).unwrap();
    assert_eq!(journal.folder(), space.path().canonicalize().unwrap().join("real/state"));
}

#[test]
fn what_a_foreign_database_says_is_not_carried_out() {
    let (_space, journal) = journal();
    let run = start("my/tool");
    journal.record(&run, &success()).unwrap();
    let connection = Connection::open(journal.folder().join("runs.sqlite3")).unwrap();
    connection.execute_batch("CREATE TRIGGER gone AFTER INSERT ON runs BEGIN DELETE FROM runs; END").unwrap();
    journal.record(&start("my/tool"), &success()).unwrap();
    assert_eq!(journal.list(&RunFilter::default()).unwrap().len(), 2);

    let damage = |sql: &str| {
        connection.execute_batch(sql).unwrap();
        journal.get(run.id).unwrap_err()
    };
    let id = run.id.to_string();
    let outcome = |name: &str| {
        format!(
            r#"UPDATE runs SET outcome = json_set(outcome, '$.stdout.file', json('{{"name":"{name}","digest":"{}"}}'))"#,
            "0".repeat(64)
        )
    };
    for sql in [
        &outcome("../../../../etc/passwd"),
        &outcome("/etc/passwd"),
        "UPDATE runs SET outcome = 'x'",
        "UPDATE runs SET chain = '[{}]'",
        "UPDATE runs SET supervisor = '1'",
        "UPDATE runs SET item = 'tool:../x'",
    ] {
        let error = damage(sql);
        let expect = |kind: &JournalErrorKind| matches!(kind, JournalErrorKind::DamagedRecord { id: found, .. } if found.to_string() == id);
        assert!(expect(error.kind()), "{sql}: {error:?}");
    }
    let error = damage("UPDATE runs SET request = zeroblob(2000000) || ''");
    assert!(matches!(error.kind(), JournalErrorKind::Database(_)), "{error:?}");
}

#[test]
fn an_empty_file_becomes_a_database() {
    let space = tempfile::tempdir().unwrap();
    let path: PathBuf = space.path().join("runs.sqlite3");
    std::fs::write(&path, "").unwrap();
    let journal = Journal::open(space.path()).unwrap();
    journal.record(&start("my/tool"), &success()).unwrap();
}
