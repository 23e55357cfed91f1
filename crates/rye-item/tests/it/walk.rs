use rye_item::{ItemKind, Space, WalkEntry};

use crate::{World, extensions, symlink};

fn ids(world: &World, space: Space, kind: ItemKind) -> Vec<String> {
    let spaces = world.spaces();
    let mut ids = Vec::new();
    let problems = spaces.get(space).unwrap().walk(kind, "", &extensions(), &mut |entry: &WalkEntry<'_>| {
        entry.open().unwrap().read().unwrap();
        assert_eq!(entry.facts().unwrap().is_some(), space != Space::System);
        ids.push(format!("{}.{}", entry.id, entry.extension));
    });
    assert!(problems.is_empty(), "{problems:?}");
    ids.sort();
    ids
}

#[test]
fn items_are_found_and_everything_else_is_passed_over() {
    let world = World::new();
    for file in [
        "a.py",
        "b/c.yaml",
        "b/c/d.lua",
        "b/README.md",
        "x.txt",
        ".hidden.py",
        "b/.venv/y.py",
        "no ext",
        "noext",
    ] {
        world.write(&format!("home/project/.ai/tools/{file}"), "");
    }
    world.write("home/project/.ai/tools/node_modules/m.py", "");
    world.write("home/project/.ai/tools/b/__pycache__/c.py", "");
    world.write("home/project/.ai/tools/ünicode.py", "");
    world.write("home/project/.ai/directives/go.md", "");
    world.write("outside/evil.py", "");
    symlink(world.path("outside"), world.path("home/project/.ai/tools/link"));
    symlink(world.path("home/project/.ai/tools"), world.path("home/project/.ai/tools/b/loop"));
    symlink(world.path("outside/evil.py"), world.path("home/project/.ai/tools/evil.py"));
    assert_eq!(ids(&world, Space::Project, ItemKind::Tool), ["a.py", "b/c.yaml", "b/c/d.lua"]);
    assert_eq!(ids(&world, Space::Project, ItemKind::Directive), ["go.md"]);
    assert_eq!(ids(&world, Space::Project, ItemKind::Knowledge), Vec::<String>::new());
    assert_eq!(ids(&world, Space::System, ItemKind::Tool), ["rye/core/git.py", "rye/core/run.sh"]);
    assert_eq!(ids(&world, Space::System, ItemKind::Knowledge), ["help/start.md"]);
}

#[test]
fn a_deep_tree_is_walked_on_a_small_stack() {
    let world = World::new();
    let deep = "a/".repeat(200);
    world.write(&format!("home/project/.ai/tools/{deep}x.py"), "");
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    let found = thread.spawn(move || ids(&world, Space::Project, ItemKind::Tool)).unwrap().join().unwrap();
    assert_eq!(found, [format!("{deep}x.py")]);
}

#[test]
fn a_folder_that_cannot_be_listed_is_reported_and_the_rest_is_found() {
    // Root may list everything, so a folder that is a link stands for one that cannot be entered.
    let world = World::new();
    world.write("elsewhere/x.py", "");
    world.write("home/project/.ai/tools/a.py", "");
    std::fs::rename(world.path("home/project/.ai/tools"), world.path("tools")).unwrap();
    symlink(world.path("tools"), world.path("home/project/.ai/tools"));
    let spaces = world.spaces();
    let root = spaces.get(Space::Project).unwrap();
    let problems = root
        .walk(ItemKind::Tool, "", &extensions(), &mut |entry: &WalkEntry<'_>| panic!("found {}", entry.id));
    let problems: Vec<_> =
        problems.iter().map(|problem| world.filter(&crate::with_sources(problem))).collect();
    assert_eq!(problems, ["cannot list `~/home/project/.ai/tools/`: it is a symbolic link"]);
}
