//! Many at once, and changes in between.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lillux::Digest;
use lillux::digest::Hasher;
use rye_item::{ItemKind, Space, SpaceSettings, Spaces};
use rye_trust::snapshot::{Extent, SnapshotErrorKind, SnapshotRequest, SnapshotStore, SnapshotTool};
use rye_trust::{Keyring, OwnSignatures};

use crate::world::{World, rules, take};

const GOOD: &[u8] = b"good = 1\n";

#[test]
fn a_file_that_is_swapped_all_the_time_never_brings_other_bytes() {
    let world = World::with_anchor();
    let (store, spaces, trust) = (world.store(), world.spaces(), world.trust());
    let root = spaces.get(Space::Project).unwrap();
    let stop = AtomicBool::new(false);
    let path = world.tools("pkg/lib/a.py");
    let draft = world.path("draft");
    let (mut taken, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // In place and by renaming in turn.
            for round in 0.. {
                let content: &[u8] = if round % 2 == 0 { b"evil = 1\n" } else { GOOD };
                if round % 4 < 2 {
                    std::fs::write(&draft, content).unwrap();
                    std::fs::rename(&draft, &path).unwrap();
                } else {
                    std::fs::write(&path, content).unwrap();
                }
                if stop.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        for round in 0..2_000 {
            let extent = Extent::Anchor { folder: "pkg", rules: &rules() };
            match take(&store, root, &trust, "pkg/tool.py", extent) {
                Ok(snapshot) => {
                    taken += 1;
                    assert_eq!(std::fs::read(snapshot.root().join("lib/a.py")).unwrap(), GOOD);
                }
                Err(error) => {
                    refused += 1;
                    let kind = error.kind();
                    assert!(matches!(kind, SnapshotErrorKind::DependencyUnverified { .. }), "{kind:?}");
                }
            }
            if round % 8 == 0 {
                store.collect(Duration::ZERO).unwrap();
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(taken > 0 && refused > 0, "{taken} taken, {refused} refused");
    check_all(&store);
}

#[test]
fn many_take_and_collect_at_once() {
    let world = World::with_anchor();
    let (store, spaces, trust) = (world.store(), world.spaces(), world.trust());
    let root = spaces.get(Space::Project).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (store, trust) = (&store, &trust);
            scope.spawn(move || {
                for round in 0..60 {
                    let rules = rules();
                    let extent = if (thread + round) % 3 == 0 {
                        Extent::Alone { requires: &[] }
                    } else {
                        Extent::Anchor { folder: "pkg", rules: &rules }
                    };
                    let snapshot = take(store, root, trust, "pkg/tool.py", extent).unwrap();
                    assert!(snapshot.tool().is_file());
                    if matches!(extent, Extent::Anchor { .. }) {
                        assert_eq!(std::fs::read(snapshot.root().join("lib/a.py")).unwrap(), GOOD);
                    }
                    if (thread + round) % 5 == 0 {
                        store.collect(Duration::ZERO).unwrap();
                    }
                    assert!(snapshot.tool().is_file(), "it was collected while in use");
                }
            });
        }
    });
    check_all(&store);
}

/// Run by [`a_killed_process_leaves_no_half_snapshot`] as a process of its own.
#[test]
#[ignore = "it is the other process of another test"]
fn taker() {
    let mut folder = String::new();
    std::io::stdin().read_to_string(&mut folder).unwrap();
    let folder = Path::new(&folder);
    let project = folder.join("project");
    let settings = SpaceSettings {
        start: project.clone(),
        project: Some(project.clone()),
        home: None,
        user_space: None,
        system_space: None,
    };
    let spaces = Spaces::open(&settings, rye_item::Bundle::new(&[])).unwrap();
    let root = spaces.get(Space::Project).unwrap();
    let store = SnapshotStore::at(&folder.join("cache")).unwrap();
    let keyring = Keyring::default();
    let trust = OwnSignatures::new(&keyring, std::collections::BTreeMap::new());
    println!("taking");
    for round in 0_u64.. {
        let text = format!("{} {round}\n", std::process::id()).repeat(10_000);
        std::fs::write(project.join(".ai/tools/big.py"), text).unwrap();
        let bytes = root.open_file(ItemKind::Tool, "big.py").unwrap().unwrap().read().unwrap();
        let tool = SnapshotTool { path: "big.py", bytes: &bytes, executable: false };
        let extent = Extent::Alone { requires: &[] };
        store
            .take(&SnapshotRequest { root, kind: ItemKind::Tool, tool, extent, links: &[], trust: &trust })
            .unwrap();
    }
}

#[expect(clippy::disallowed_methods, reason = "the test needs a process that nothing contains")]
fn start_taker(world: &World) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["races::taker", "--exact", "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(world.path("").to_str().unwrap().as_bytes()).unwrap();
    child
}

#[test]
fn a_killed_process_leaves_no_half_snapshot() {
    let world = World::new();
    let store = world.store();
    let mut abandoned = 0;
    for iteration in 0..60_u64 {
        let mut taker = start_taker(&world);
        let mut lines = BufReader::new(taker.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "taking"));
        std::thread::sleep(Duration::from_micros(2_000 + iteration * 137));
        taker.kill().unwrap();
        taker.wait().unwrap();
        check_all(&store);
        for entry in std::fs::read_dir(store.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().unwrap().to_str().unwrap().starts_with(".draft-") {
                let old = std::time::SystemTime::now() - Duration::from_hours(1);
                std::fs::File::open(&path).unwrap().set_modified(old).unwrap();
            }
        }
        abandoned += store.collect(Duration::ZERO).unwrap().drafts;
    }
    assert!(abandoned > 0, "nobody was killed in the middle");
}

/// Every snapshot in the store holds what its name says.
fn check_all(store: &SnapshotStore) {
    for entry in std::fs::read_dir(store.path()).unwrap() {
        let path = entry.unwrap().path();
        if let Ok(digest) = path.file_name().unwrap().to_str().unwrap().parse::<Digest>() {
            let mut files = Vec::new();
            list(&path.join("files"), "", &mut files);
            files.sort();
            let mut hasher = Hasher::default();
            hasher.update(b"rye:snapshot:v1\0");
            for (name, bytes) in files {
                hasher.update(&(name.len() as u64).to_le_bytes());
                hasher.update(name.as_bytes());
                hasher.update(Digest::of(&bytes).as_bytes());
                hasher.update(&[0]);
            }
            assert_eq!(hasher.finish(), digest, "{}", path.display());
        }
    }
}

fn list(folder: &Path, prefix: &str, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            list(&entry.path(), &format!("{name}/"), files);
        } else {
            files.push((name, std::fs::read(entry.path()).unwrap()));
        }
    }
}
