//! Files that are swapped between the look at them and their use.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rye_engine::Executed;
use rye_item::{Extensions, ItemKind, Space, Spaces};
use rye_trust::snapshot::{Extent, SnapshotRequest, SnapshotStore, SnapshotTool};
use rye_trust::{KeyFolder, OwnSignatures, SignatureForm, Strictness, Verifier, VerifyMemo};

use super::ground::{Ground, execute, python, request, shell};
use super::keys::hash_mark;

/// Swaps a file as fast as it can while something else is done: by a new file in its place, and by writing to the
/// file itself.
fn while_swapping(path: &Path, contents: [&[u8]; 2], act: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let draft = path.with_file_name(".draft");
            for number in 0_usize.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let bytes = contents[number % 2];
                if number % 8 < 6 {
                    fs::write(&draft, bytes).unwrap();
                    fs::rename(&draft, path).unwrap();
                } else {
                    fs::write(path, bytes).unwrap();
                }
            }
        });
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(act));
        stop.store(true, Ordering::Relaxed);
        done.unwrap();
    });
}

const RACES: usize = 10_000;
const PLANS: usize = 1_000;
const RUNS: usize = 300;

/// A tool and the same with other code, of which the first is signed.
fn signed_and_not() -> (Ground, Vec<u8>, Vec<u8>) {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/tool.sh", shell("echo fine"));
    ground.sign("tool");
    let good = ground.read("project/.ai/tools/tool.sh");
    let line = String::from_utf8(good.clone()).unwrap();
    let evil = line.replace("echo fine", &ground.touch());
    (ground, good, evil.into_bytes())
}

/// Reads, verifies and copies the tool, as every call does. Tells how often that was refused.
fn take(ground: &Ground, good: &[u8]) -> usize {
    let spaces = Spaces::open(&ground.settings().spaces, rye_bundle::bundle()).unwrap();
    let keyring = KeyFolder::at(&ground.path("home/.ai")).keyring().unwrap();
    let (memo, comment) = (VerifyMemo::default(), hash_mark());
    let verifier =
        Verifier { user: &keyring, project: Ok(&keyring), strictness: Strictness::Strict, memo: &memo };
    let store = SnapshotStore::at(&ground.path("cache")).unwrap();
    let trust = OwnSignatures::new(&keyring, BTreeMap::new());
    let root = spaces.get(Space::Project).unwrap();
    let mut extensions = Extensions::default();
    extensions.add(Space::Project, "sh");
    let mut refused = 0;
    for _ in 0..RACES {
        let located = root.locate_exactly(&request("tool").item, &extensions).unwrap().unwrap();
        let item = located.read().unwrap();
        let Ok(good_item) = verifier.verify(&item, SignatureForm::Line(&comment)) else {
            refused += 1;
            continue;
        };
        let bytes = good_item.item().bytes();
        let tool = SnapshotTool { path: "tool.sh", bytes, executable: false };
        let extent = Extent::Alone { requires: &[] };
        let snapshot = store
            .take(&SnapshotRequest { root, kind: ItemKind::Tool, tool, extent, links: &[], trust: &trust })
            .unwrap();
        assert!(fs::read(snapshot.tool()).unwrap() == good, "other bytes would have run");
    }
    refused
}

#[test]
fn a_swapped_tool_is_refused_or_copied_as_signed() {
    let (ground, good, evil) = signed_and_not();
    let tool = ground.path("project/.ai/tools/tool.sh");
    let mut refused = 0;
    while_swapping(&tool, [&good, &evil], || refused = take(&ground, &good));
    assert!(refused > 0 && refused < RACES, "{refused} of {RACES}");
}

/// The same with all that an engine does between a call and a process.
#[test]
fn a_swapped_tool_is_refused_or_planned_as_signed() {
    let (ground, good, evil) = signed_and_not();
    let engine = ground.engine();
    let tool = ground.path("project/.ai/tools/tool.sh");
    let mut planned = 0;
    while_swapping(&tool, [&good, &evil], || {
        for _ in 0..PLANS {
            let Ok(plan) = engine.dry_run(&request("tool")) else { continue };
            let copy = plan.copy.as_ref().unwrap();
            assert!(fs::read(&copy.tool).unwrap() == good, "other bytes would have run");
            planned += 1;
        }
    });
    assert!(planned > 0 && planned < PLANS, "{planned} of {PLANS}");
}

#[test]
fn a_swapped_tool_that_runs_says_what_was_signed() {
    let (ground, good, evil) = signed_and_not();
    let engine = ground.engine();
    let tool = ground.path("project/.ai/tools/tool.sh");
    let mut ran = 0;
    while_swapping(&tool, [&good, &evil], || {
        while ran < RUNS {
            let Ok(report) = execute(&engine, "tool", &[]) else { continue };
            let Executed::Run { outcome, .. } = report.result else { panic!("a text") };
            assert_eq!(outcome.output.bytes, b"fine\n");
            ran += 1;
        }
    });
    ground.assert_unmarked();
}

/// The same with a module that the manifest of an anchor lists.
#[test]
fn a_swapped_module_is_refused_or_runs_as_signed() {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/pkg/__init__.py", "");
    let good = b"def answer():\n    return 'fine'\n".to_vec();
    let lib = ground.write("project/.ai/tools/pkg/lib.py", &good);
    ground.write("project/.ai/tools/pkg/tool.py", python("import lib\nprint(lib.answer())"));
    ground.sign("pkg/tool");
    // Of the same length, so that nothing but the content tells them apart.
    let mut evil = format!("import os; os.mknod({:?})\n", ground.marker().display().to_string()).into_bytes();
    let mut good = good;
    let length = good.len().max(evil.len());
    good.resize(length, b'\n');
    evil.resize(length, b'\n');
    fs::write(&lib, &good).unwrap();
    ground.sign("pkg/tool");
    let engine = ground.engine();
    let mut planned = 0;
    while_swapping(&lib, [&good, &evil], || {
        for _ in 0..500 {
            let Ok(plan) = engine.dry_run(&request("pkg/tool")) else { continue };
            let copy = plan.copy.as_ref().unwrap();
            assert!(fs::read(copy.root.join("lib.py")).unwrap() == good, "other bytes would have run");
            planned += 1;
        }
        for _ in 0..50 {
            if let Ok(report) = execute(&engine, "pkg/tool", &[]) {
                let Executed::Run { outcome, .. } = report.result else { panic!("a text") };
                assert_eq!(outcome.output.bytes, b"fine\n");
            }
        }
    });
    ground.assert_unmarked();
    assert!(planned > 0);
}
