//! A tool without an anchor gets what it asks for.

use lillux::Digest;
use rye_trust::snapshot::{Found, RequireError, SnapshotErrorKind};
use rye_trust::{LeftOutReason, Manifest};

use crate::world::{World, files, settle};

fn world() -> World {
    let world = World::new();
    for name in ["tool.py", "a.py", "b.py", "lib/c.py"] {
        world.write(&format!("my/{name}"), format!("# {name}\n"));
        world.sign(&format!("my/{name}"));
    }
    world.write("my/plain.py", "");
    world.write("my/data.json", "{}");
    let manifest =
        Manifest::with_entries(None, &[("data.json".to_owned(), Digest::of(b"{}"))]).unwrap().manifest;
    world.store_manifest("my", manifest);
    world
}

#[track_caller]
fn refusal(world: &World, requires: &[&str]) -> RequireError {
    match world.take_alone("my/tool.py", requires).unwrap_err().kind() {
        SnapshotErrorKind::Require(error) => error.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tool_that_asks_for_nothing_is_alone() {
    let world = world();
    let snapshot = world.take_alone("my/tool.py", &[]).unwrap();
    assert_eq!(files(&snapshot), ["tool.py"]);
    assert!(snapshot.left_out().is_empty());
    assert_eq!(world.take_alone("my/tool.py", &[]).unwrap().digest(), snapshot.digest());
    world.write("top.py", "");
    assert_eq!(files(&world.take_alone("top.py", &[]).unwrap()), ["top.py"]);
}

#[test]
fn names_and_patterns_bring_verified_files() {
    let world = world();
    for _ in 0..2 {
        for (requires, expect) in [
            (&["a.py"][..], &["a.py", "tool.py"][..]),
            (&["./a.py", "a.py", "tool.py"], &["a.py", "tool.py"]),
            (&["data.json", "lib/*.py"], &["data.json", "lib/c.py", "tool.py"]),
            (&["[ab].py", "lib/**"], &["a.py", "b.py", "lib/c.py", "tool.py"]),
        ] {
            assert_eq!(files(&world.take_alone("my/tool.py", requires).unwrap()), expect, "{requires:?}");
        }
        settle();
    }
}

#[test]
fn what_is_asked_for_has_to_be_there_and_verified() {
    let world = world();
    let nothing = |pattern: &str| RequireError::NothingFound { pattern: pattern.to_owned() };
    for _ in 0..2 {
        assert_eq!(refusal(&world, &["none.py"]), nothing("none.py"));
        assert_eq!(refusal(&world, &["no/such.py"]), nothing("no/such.py"));
        assert_eq!(refusal(&world, &["*.rb"]), nothing("*.rb"));
        let unverified = |pattern: &str| RequireError::Unverified {
            pattern: pattern.to_owned(),
            path: "plain.py".to_owned(),
            item_path: "my/plain.py".to_owned(),
        };
        assert_eq!(refusal(&world, &["plain.py"]), unverified("plain.py"));
        assert_eq!(refusal(&world, &["*.py"]), unverified("*.py"));
        for outside in ["../other.py", "/etc/passwd", "lib/../../x"] {
            assert!(matches!(refusal(&world, &[outside]), RequireError::Invalid { .. }));
        }
    }
    std::os::unix::fs::symlink("a.py", world.tools("my/link.py")).unwrap();
    let unusable = RequireError::Unusable { path: "link.py".to_owned(), reason: LeftOutReason::Link };
    assert_eq!(refusal(&world, &["link.py"]), unusable);
    assert!(matches!(refusal(&world, &["lib"]), RequireError::Unusable { .. }));
}

#[test]
fn a_listed_file_that_was_changed_stops_the_tool_that_asks_for_it() {
    let world = world();
    world.take_alone("my/tool.py", &["data.json"]).unwrap();
    world.write("my/data.json", "[]");
    let error = world.take_alone("my/tool.py", &["*.json"]).unwrap_err();
    let SnapshotErrorKind::DependencyUnverified { files: changed, .. } = error.kind() else {
        panic!("{error:?}")
    };
    assert_eq!(changed[0].found, Found::Changed(Digest::of(b"[]")));
    // Who does not ask for it has nothing to do with it.
    assert_eq!(files(&world.take_alone("my/tool.py", &["a.py"]).unwrap()), ["a.py", "tool.py"]);
}

#[test]
fn a_pattern_takes_no_links() {
    let world = world();
    std::os::unix::fs::symlink("c.py", world.tools("my/lib/link.py")).unwrap();
    let snapshot = world.take_alone("my/tool.py", &["lib/*.py"]).unwrap();
    assert_eq!(files(&snapshot), ["lib/c.py", "tool.py"]);
    assert_eq!(crate::world::left_out(&snapshot), [("lib/link.py", LeftOutReason::Link)]);
}
