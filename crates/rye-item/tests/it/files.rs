use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rye_item::{FileEntry, FileRules, FilesErrorKind, ItemKind, PassedOver, Space, VisitFiles};

use crate::{World, symlink};

#[derive(Default)]
struct Seen {
    lines: Vec<String>,
    limit: Option<usize>,
}

impl Seen {
    fn add(&mut self, line: String) -> ControlFlow<()> {
        self.lines.push(line);
        if self.limit == Some(self.lines.len()) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl VisitFiles for Seen {
    fn file(&mut self, entry: &FileEntry<'_>) -> ControlFlow<()> {
        let file = entry.open().unwrap();
        let status = file.status();
        assert_eq!(status.facts, entry.facts().unwrap());
        assert_eq!(status.facts.is_none(), entry.embedded().is_some());
        let bytes = file.read().unwrap();
        assert!(status.facts.is_none_or(|facts| facts.size == bytes.as_slice().len() as u64));
        let executable = if status.executable { " *" } else { "" };
        self.add(format!("{}{executable}", entry.path))
    }

    fn passed_over(&mut self, path: &str, why: PassedOver) -> ControlFlow<()> {
        self.add(format!("{path}: {why:?}"))
    }
}

fn list(world: &World, space: Space, folder: &str, recursive: bool, exclude: &[&str]) -> Vec<String> {
    let exclude_dirs: Vec<_> = exclude.iter().map(|&name| name.to_owned()).collect();
    let rules = FileRules { recursive, exclude_dirs: &exclude_dirs };
    let mut seen = Seen::default();
    let spaces = world.spaces();
    spaces.get(space).unwrap().files(ItemKind::Tool, folder, rules, &mut seen).unwrap();
    seen.lines.sort();
    seen.lines
}

fn names(world: &World, space: Space, folder: &str, paths: &[&str]) -> Vec<String> {
    let paths: Vec<_> = paths.iter().map(|&path| path.to_owned()).collect();
    let mut seen = Seen::default();
    world.spaces().get(space).unwrap().named_files(ItemKind::Tool, folder, &paths, &mut seen);
    seen.lines
}

fn world() -> World {
    let world = World::new();
    let tools = |below: &str| world.path("home/project/.ai/tools").join(below);
    for file in ["a.py", "pkg/b.txt", "pkg/.hidden", "pkg/sub/c", "pkg/sub/deep/d", "pkg/skip/e", "pkg/ü f"]
    {
        world.write(&format!("home/project/.ai/tools/{file}"), file);
    }
    world.write("outside/evil.py", "");
    symlink(world.path("outside"), tools("pkg/folder"));
    symlink("..", tools("pkg/sub/loop"));
    symlink("b.txt", tools("pkg/link"));
    mknodat(CWD, tools("pkg/pipe"), FileType::Fifo, Mode::RUSR, 0).unwrap();
    world.write("home/project/.ai/tools/pkg/new\nline", "");
    std::fs::write(tools("pkg").join(std::ffi::OsStr::from_bytes(b"\xff")), "").unwrap();
    world
}

#[test]
fn every_file_is_seen_and_everything_else_is_named() {
    let world = world();
    assert_eq!(
        list(&world, Space::Project, "pkg", true, &["skip"]),
        [
            ".hidden",
            "b.txt",
            "folder: Link",
            "link: Link",
            "new\nline: ControlCharacters",
            "pipe: Special",
            "skip: Excluded",
            "sub/c",
            "sub/deep/d",
            "sub/loop: Link",
            "ü f",
            "\u{fffd}: NotUnicode",
        ]
    );
    assert_eq!(list(&world, Space::Project, "pkg/sub", false, &[]), ["c", "deep: Excluded", "loop: Link"]);
    assert_eq!(list(&world, Space::Project, "none", true, &[]), Vec::<String>::new());
    let all = list(&world, Space::Project, "", true, &["pkg"]);
    assert_eq!(all, ["a.py", "pkg: Excluded"]);
}

#[test]
fn a_folder_behind_a_link_is_not_walked() {
    let world = world();
    let spaces = world.spaces();
    let rules = FileRules { recursive: true, exclude_dirs: &[] };
    let error = spaces
        .get(Space::Project)
        .unwrap()
        .files(ItemKind::Tool, "pkg/folder", rules, &mut Seen::default())
        .unwrap_err();
    assert!(matches!(error.kind(), FilesErrorKind::Io(_)));
}

#[test]
fn the_bundle_is_walked_in_the_same_way() {
    let world = World::new();
    let all = list(&world, Space::System, "rye", true, &["node_modules"]);
    assert_eq!(all, ["core/git.py", "core/run.sh *", "lib/node_modules: Excluded"]);
    assert_eq!(list(&world, Space::System, "rye/core", false, &[]), ["git.py", "run.sh *"]);
    assert_eq!(list(&world, Space::System, "rye", false, &[]), ["core: Excluded", "lib: Excluded"]);
    let named = names(&world, Space::System, "rye", &["core/git.py", "core"]);
    assert_eq!(named, ["core/git.py", "core: Missing"]);
}

#[test]
fn files_are_found_by_name() {
    let world = world();
    let paths =
        ["b.txt", "sub/c", "link", "folder/evil.py", "pipe", "sub", "none", "no/ne", "../a.py", "b.txt/x"];
    assert_eq!(
        names(&world, Space::Project, "pkg", &paths),
        [
            "b.txt",
            "sub/c",
            "link: Link",
            "folder/evil.py: Link",
            "pipe: Special",
            "sub: Special",
            "none: Missing",
            "no/ne: Missing",
            "../a.py: Missing",
            "b.txt/x: Missing",
        ]
    );
}

#[test]
fn a_visitor_can_end_the_walk() {
    let world = world();
    let mut seen = Seen { limit: Some(2), ..Seen::default() };
    let spaces = world.spaces();
    let rules = FileRules { recursive: true, exclude_dirs: &[] };
    spaces.get(Space::Project).unwrap().files(ItemKind::Tool, "pkg/sub", rules, &mut seen).unwrap();
    assert_eq!(seen.lines.len(), 2);
}

#[test]
fn folders_that_are_too_deep_are_named() {
    let world = World::new();
    let deep = "a/".repeat(70);
    world.write(&format!("home/project/.ai/tools/{deep}x"), "");
    let seen = list(&world, Space::Project, "", true, &[]);
    assert_eq!(seen, [format!("{}a: TooDeep", "a/".repeat(rye_item::MAX_DEPTH))]);
}

#[test]
fn rules_tell_what_a_walk_reaches() {
    let exclude_dirs = ["skip".to_owned()];
    let rules = FileRules { recursive: true, exclude_dirs: &exclude_dirs };
    for (path, expect) in
        [("a", true), ("skip", true), ("b/skip", true), ("skip/a", false), ("a/skip/b", false)]
    {
        assert_eq!(rules.reaches(path), expect, "{path}");
    }
    assert!(!FileRules { recursive: false, ..rules }.reaches("a/b"));
}
