use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use lillux::CancelToken;
use lillux::watch::{Depth, Until, WatchEvent, WatchRequest, watch};
use rye_item::{FileFacts, ItemKind, ReplaceErrorKind, Replacements, Space, SpaceRoot};

use crate::World;

const TOOLS: &str = "home/project/.ai/tools";

fn read(world: &World, below: &str) -> String {
    std::fs::read_to_string(world.path(below)).unwrap()
}

/// A tool as somebody finds it who is about to replace it.
fn facts(root: &SpaceRoot, below: &str) -> Option<FileFacts> {
    root.open_file(ItemKind::Tool, below).unwrap().unwrap().status().facts
}

#[test]
fn many_files_are_replaced_together() {
    let world = World::new();
    for number in 0..200 {
        world.write(&format!("{TOOLS}/a/{number}.py"), "old");
    }
    let script = world.path(&format!("{TOOLS}/a/7.py"));
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o750)).unwrap();
    let spaces = world.spaces();
    let root = spaces.get(Space::Project).unwrap();
    let (mut all, mut others) = (Replacements::default(), Replacements::default());
    for number in 0..200 {
        let half = if number < 100 { &mut all } else { &mut others };
        let below = format!("a/{number}.py");
        half.add(root, ItemKind::Tool, &below, facts(root, &below), format!("new {number}").as_bytes())
            .unwrap();
    }
    all.append(others);
    assert_eq!(all.len(), 200);
    // Somebody is faster.
    world.write(&format!("{TOOLS}/a/150.py"), "changed");
    let errors = all.commit().unwrap_err();
    let [error] = errors.as_slice() else { panic!("{errors:?}") };
    assert_eq!(error.path(), world.path(&format!("{TOOLS}/a/150.py")));
    assert!(matches!(error.kind(), ReplaceErrorKind::Changed), "{error:?}");
    for number in 0..200 {
        let expected = if number == 150 { "changed".to_owned() } else { format!("new {number}") };
        assert_eq!(read(&world, &format!("{TOOLS}/a/{number}.py")), expected);
    }
    assert_eq!(script.metadata().unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(std::fs::read_dir(world.path(&format!("{TOOLS}/a"))).unwrap().count(), 200);
}

#[test]
fn folders_of_the_same_name_in_two_spaces_are_two() {
    let world = World::new();
    world.write(&format!("{TOOLS}/a/b.py"), "old");
    world.write("home/.ai/tools/a/b.py", "old");
    let spaces = world.spaces();
    let mut both = Replacements::default();
    for (space, text) in [(Space::Project, "project"), (Space::User, "user")] {
        let root = spaces.get(space).unwrap();
        both.add(root, ItemKind::Tool, "a/b.py", facts(root, "a/b.py"), text.as_bytes()).unwrap();
    }
    both.commit().unwrap();
    assert_eq!(read(&world, &format!("{TOOLS}/a/b.py")), "project");
    assert_eq!(read(&world, "home/.ai/tools/a/b.py"), "user");
}

#[test]
fn what_was_changed_since_it_was_read_is_kept() {
    let world = World::new();
    world.write(&format!("{TOOLS}/a/b.py"), "old");
    let spaces = world.spaces();
    let root = spaces.get(Space::Project).unwrap();
    let was = facts(root, "a/b.py");
    world.write(&format!("{TOOLS}/a/b.py"), "of somebody else");
    for (below, was) in [("a/b.py", was), ("a/b.py", None), ("a/c.py", was)] {
        let error = Replacements::default().add(root, ItemKind::Tool, below, was, b"mine").unwrap_err();
        assert!(matches!(error.kind(), ReplaceErrorKind::Changed), "{error:?}");
    }
    assert_eq!(read(&world, &format!("{TOOLS}/a/b.py")), "of somebody else");
    assert_eq!(std::fs::read_dir(world.path(&format!("{TOOLS}/a"))).unwrap().count(), 1);
}

/// An editor that believes what it is told last must not take the file for removed.
#[test]
fn who_watches_hears_last_that_the_file_is_there() {
    let world = World::new();
    world.write(&format!("{TOOLS}/a/b.py"), "old");
    let spaces = world.spaces();
    let root = spaces.get(Space::Project).unwrap();
    let request = WatchRequest {
        paths: vec![world.path(&format!("{TOOLS}/a"))],
        depth: Depth::Shallow,
        timeout: Some(Duration::from_secs(30)),
        until: Until::Forever,
    };
    let (file, cancel) = (world.path(&format!("{TOOLS}/a/b.py")), CancelToken::new().unwrap());
    let mut told = Vec::new();
    let watched = watch(&request, &cancel, &mut |event| match event {
        WatchEvent::Ready => {
            let mut one = Replacements::default();
            one.add(root, ItemKind::Tool, "a/b.py", facts(root, "a/b.py"), b"new").unwrap();
            one.commit().unwrap();
        }
        // The old one, under the name of the draft.
        WatchEvent::Removed(path) if path != file => cancel.cancel(),
        WatchEvent::Renamed { from, to } => told.push((from == file, to == file)),
        _ => {}
    });
    watched.unwrap();
    assert_eq!(told, [(true, false), (false, true)]);
}
