//! Tools inside the program.

use std::os::unix::fs::PermissionsExt;

use rye_item::{Bundle, BundleFile, Space};
use rye_trust::snapshot::{Extent, RequireError, SnapshotErrorKind};

use crate::world::{World, files, left_out, rules, take};

fn bundle() -> Bundle {
    static FILES: std::sync::OnceLock<Vec<BundleFile>> = std::sync::OnceLock::new();
    let file = |path, bytes: &'static [u8], executable| BundleFile {
        path,
        bytes,
        digest: *rye_item::Digest::of(bytes).as_bytes(),
        executable,
    };
    Bundle::new(FILES.get_or_init(|| {
        vec![
            file("tools/rye/__pycache__/x.py", b"excluded", false),
            file("tools/rye/lib/run.sh", b"#!/bin/sh\n", true),
            file("tools/rye/note.txt", b"note", false),
            file("tools/rye/tool.py", b"tool", false),
            file("tools/ryex/tool.py", b"another", false),
        ]
    }))
}

#[test]
fn everything_below_the_anchor_is_verified() {
    let world = World::new();
    let spaces = world.spaces_with(bundle());
    let root = spaces.get(Space::System).unwrap();
    let extent = Extent::Anchor { folder: "rye", rules: &rules() };
    for _ in 0..2 {
        let snapshot = take(&world.store(), root, &world.trust(), "rye/tool.py", extent).unwrap();
        assert_eq!(files(&snapshot), ["lib/run.sh", "note.txt", "tool.py"]);
        assert_eq!(left_out(&snapshot), [("__pycache__", rye_trust::LeftOutReason::Excluded)]);
        let mode = snapshot.root().join("lib/run.sh").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o555);
    }
}

#[test]
fn a_tool_gets_what_it_asks_for() {
    let world = World::new();
    let spaces = world.spaces_with(bundle());
    let root = spaces.get(Space::System).unwrap();
    let ask = |requires: &[&str]| {
        let requires: Vec<_> = requires.iter().map(|&pattern| pattern.to_owned()).collect();
        let extent = Extent::Alone { requires: &requires };
        take(&world.store(), root, &world.trust(), "rye/tool.py", extent)
    };
    assert_eq!(files(&ask(&[]).unwrap()), ["tool.py"]);
    assert_eq!(files(&ask(&["note.txt", "lib/*"]).unwrap()), ["lib/run.sh", "note.txt", "tool.py"]);
    let error = ask(&["none.txt"]).unwrap_err();
    let missing = RequireError::NothingFound { pattern: "none.txt".to_owned() };
    assert!(matches!(error.kind(), SnapshotErrorKind::Require(found) if *found == missing));
}
