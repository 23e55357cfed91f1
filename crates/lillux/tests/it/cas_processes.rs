//! Many processes with one store, and writers that are killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use lillux::Digest;
use lillux::cas::{Durability, Section, Store, Verification};

/// What a writer process is told on its standard input: a word, and the folder of the store.
const SAME: &str = "same";
const ENDLESS: &str = "endless";

/// The body of a writer process. Without orders it has nothing to do.
#[test]
#[ignore = "the other tests here run it, as processes of its own"]
fn writer() {
    let mut orders = String::new();
    std::io::stdin().read_to_string(&mut orders).unwrap();
    let Some((task, root)) = orders.split_once(' ') else { return };
    let store = Store::open(root).unwrap().with_durability(Durability::Fast);
    match task {
        SAME => {
            for _ in 0..50 {
                store.put(&same_bytes()[..]).unwrap();
            }
        }
        ENDLESS => {
            std::io::stdout().write_all(b"\nwriting\n").unwrap();
            for round in 0_u64.. {
                let bytes = [round.to_ne_bytes(), u64::from(std::process::id()).to_ne_bytes()].concat();
                store.put(&bytes.repeat(20_000)[..]).unwrap();
                store.put_object(&serde_json::json!({"round": round, "text": "x".repeat(50_000)})).unwrap();
            }
        }
        _ => panic!("an unknown task"),
    }
}

fn same_bytes() -> Vec<u8> {
    b"the same in every process".repeat(10_000)
}

#[expect(clippy::disallowed_methods, reason = "the tests need processes that nothing contains")]
fn start_writer(task: &str, store: &Store) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["cas_processes::writer", "--exact", "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let root = store.root().to_str().unwrap();
    child.stdin.take().unwrap().write_all(format!("{task} {root}").as_bytes()).unwrap();
    child
}

#[test]
fn processes_can_put_the_same_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let writers: Vec<_> = (0..6).map(|_| start_writer(SAME, &store)).collect();
    for writer in writers {
        assert!(writer.wait_with_output().unwrap().status.success());
    }
    assert_eq!(store.verify_all().unwrap(), Verification { intact: 1, ..Verification::default() });
    let bytes = same_bytes();
    assert_eq!(store.read(Digest::of(&bytes), bytes.len()).unwrap(), bytes);
}

#[test]
fn a_killed_writer_leaves_nothing_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap().with_durability(Durability::Fast);
    let mut abandoned = 0;
    let mut intact = 0;
    for iteration in 0..250_u64 {
        let mut writer = start_writer(ENDLESS, &store);
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "writing"));
        // Spread over some rounds of the writer, the same in every run of the test.
        let spread = u64::from(Digest::of(&iteration.to_ne_bytes()).as_bytes()[0]);
        std::thread::sleep(Duration::from_micros(spread * 20));
        writer.kill().unwrap();
        writer.wait().unwrap();

        let verification = store.verify_all().unwrap();
        assert_eq!((&verification.damaged[..], &verification.strays[..]), (&[][..], &[][..]));
        intact += verification.intact;
        abandoned += verification.abandoned.len();
        assert_eq!(store.clean().unwrap().removed.len(), verification.abandoned.len());
        assert_eq!(std::fs::read_dir(folder.path().join("tmp")).unwrap().count(), 0);
        for section in Section::ALL {
            for digest in store.list(section).unwrap() {
                assert!(store.remove(section, digest.unwrap()).unwrap());
            }
        }
    }
    // Otherwise the writers were never hit at work, and the test has shown nothing.
    assert!(intact > 0 && abandoned > 0, "{intact} intact, {abandoned} abandoned");
}
