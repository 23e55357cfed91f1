//! A process that lives long sees a change with the very next call, whatever kind of change it is.

use std::fs::{self, Permissions};
use std::io::{Seek as _, Write as _};
use std::os::unix::fs::{PermissionsExt, symlink};

use rye_engine::Lifetime;

use crate::tree::{Tree, everything, ids, tool};

/// Makes a change, and compares what an engine sees that was there before with what a fresh one does.
#[track_caller]
fn check(tree: &Tree, change: impl FnOnce(&Tree), query: &str, expect: &[&str]) {
    let engine = tree.engine(Lifetime::Long);
    // The second call is answered from memory.
    assert_eq!(everything(&engine), everything(&engine));
    change(tree);
    assert_eq!(ids(&engine, query), expect);
    assert_eq!(everything(&engine), everything(&tree.engine(Lifetime::Short)));
}

fn tree() -> Tree {
    let tree = Tree::new();
    tree.write("project/.ai/tools/music/play.sh", tool("Plays the oboe"));
    tree.write("home/.ai/tools/music/play.sh", tool("Plays the cello"));
    tree
}

fn rename(tree: &Tree, from: &str, to: &str) {
    fs::rename(tree.path(from), tree.path(to)).unwrap();
}

#[test]
fn files_come_and_go() {
    let new = |tree: &Tree| _ = tree.write("project/.ai/tools/music/sing.sh", tool("Sings to the oboe"));
    check(&tree(), new, "oboe", &["music/play", "music/sing"]);
    let gone = |tree: &Tree| fs::remove_file(tree.path("project/.ai/tools/music/play.sh")).unwrap();
    check(&tree(), gone, "plays kind:tool", &["music/play"]);
    let moved = |tree: &Tree| {
        rename(tree, "project/.ai/tools/music/play.sh", "project/.ai/tools/music/blow.sh");
    };
    check(&tree(), moved, "oboe", &["music/blow"]);
}

#[test]
fn files_change() {
    let path = "project/.ai/tools/music/play.sh";
    check(&tree(), |tree| _ = tree.write(path, tool("Plays the viol")), "viol", &["music/play"]);
    let in_place = |tree: &Tree| {
        let mut file = fs::File::options().write(true).open(tree.path(path)).unwrap();
        file.seek(std::io::SeekFrom::Start(tool("Plays the ").len() as u64 - 1)).unwrap();
        file.write_all(b"viol").unwrap();
    };
    check(&tree(), in_place, "viol", &["music/play"]);
    let replaced = |tree: &Tree| {
        tree.write("elsewhere", tool("Plays the viol"));
        rename(tree, "elsewhere", path);
    };
    check(&tree(), replaced, "viol", &["music/play"]);
    let emptied = |tree: &Tree| _ = tree.write(path, "");
    check(&tree(), emptied, "oboe", &[]);
}

#[test]
fn a_file_that_stays_open_for_writing_is_seen() {
    let tree = tree();
    let mut file =
        fs::File::options().append(true).open(tree.path("project/.ai/tools/music/play.sh")).unwrap();
    let engine = tree.engine(Lifetime::Long);
    for word in ["viol", "lute", "harp"] {
        writeln!(file, "# tags: [{word}]").unwrap();
        assert_eq!(everything(&engine), everything(&tree.engine(Lifetime::Short)), "{word}");
    }
}

#[test]
fn a_file_with_two_names_is_changed_through_the_other() {
    let tree = tree();
    fs::hard_link(tree.path("project/.ai/tools/music/play.sh"), tree.path("other name")).unwrap();
    check(&tree, |tree| _ = tree.write("other name", tool("Plays the viol")), "viol", &["music/play"]);
}

#[test]
fn folders_come_and_go() {
    let nested = |tree: &Tree| _ = tree.write("project/.ai/tools/a/b/c/d.sh", tool("Tunes the oboe"));
    check(&tree(), nested, "oboe", &["a/b/c/d", "music/play"]);
    let kind = |tree: &Tree| _ = tree.write("project/.ai/knowledge/oboe.md", "# Oboe\n\nA reed.\n");
    check(&tree(), kind, "oboe", &["music/play", "oboe"]);
    let moved = |tree: &Tree| rename(tree, "project/.ai/tools/music", "project/.ai/tools/sound");
    check(&tree(), moved, "oboe", &["sound/play"]);
    let gone = |tree: &Tree| fs::remove_dir_all(tree.path("project/.ai/tools")).unwrap();
    check(&tree(), gone, "oboe", &[]);
    let came = |tree: &Tree| {
        tree.write("elsewhere/deep/hum.sh", tool("Hums like an oboe"));
        rename(tree, "elsewhere", "project/.ai/tools/came");
    };
    check(&tree(), came, "oboe", &["came/deep/hum", "music/play"]);
}

#[test]
fn a_whole_space_is_exchanged() {
    let other = |tree: &Tree, name: &str| _ = tree.write(name, tool("Plays the viol"));
    let space = |tree: &Tree| {
        other(tree, "elsewhere/tools/music/play.sh");
        rename(tree, "project/.ai", "project/old");
        rename(tree, "elsewhere", "project/.ai");
    };
    check(&tree(), space, "viol", &["music/play"]);
    let project = |tree: &Tree| {
        other(tree, "elsewhere/.ai/tools/music/play.sh");
        rename(tree, "project", "old");
        rename(tree, "elsewhere", "project");
    };
    check(&tree(), project, "viol", &["music/play"]);
    let again = |tree: &Tree| {
        fs::remove_dir_all(tree.path("project/.ai")).unwrap();
        other(tree, "project/.ai/tools/music/play.sh");
    };
    check(&tree(), again, "viol", &["music/play"]);
    let without = |tree: &Tree| fs::remove_dir_all(tree.path("project/.ai")).unwrap();
    check(&tree(), without, "oboe", &[]);
}

#[test]
fn a_user_space_that_is_a_link_is_turned_elsewhere() {
    let tree = Tree::new();
    tree.write("one/tools/music/play.sh", tool("Plays the oboe"));
    tree.write("two/tools/music/play.sh", tool("Plays the viol"));
    symlink(tree.path("one"), tree.path("home/.ai")).unwrap();
    let turn = |tree: &Tree| {
        symlink(tree.path("two"), tree.path("link")).unwrap();
        rename(tree, "link", "home/.ai");
    };
    check(&tree, turn, "viol", &["music/play"]);
}

#[test]
fn rights_change() {
    let rights = |mode: u32| {
        move |tree: &Tree| {
            let path = tree.path("project/.ai/tools/music/play.sh");
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
    };
    check(&tree(), rights(0o755), "oboe", &["music/play"]);
    let expect: &[_] = if rustix::process::geteuid().is_root() { &["music/play"] } else { &[] };
    check(&tree(), rights(0o000), "oboe", expect);
}

#[test]
fn a_file_becomes_something_else() {
    let path = "project/.ai/tools/music/play.sh";
    let folder = |tree: &Tree| {
        fs::remove_file(tree.path(path)).unwrap();
        fs::create_dir(tree.path(path)).unwrap();
    };
    check(&tree(), folder, "oboe", &[]);
    let link = |tree: &Tree| {
        fs::remove_file(tree.path(path)).unwrap();
        symlink("/etc/passwd", tree.path(path)).unwrap();
    };
    check(&tree(), link, "oboe", &[]);
}

#[test]
fn an_extractor_comes_and_goes() {
    let tree = tree();
    tree.write("project/.ai/tools/music/sing.oboe", tool("Sings to the oboe"));
    let engine = tree.engine(Lifetime::Long);
    assert_eq!(ids(&engine, "oboe"), ["music/play"]);
    let extractor = "project/.ai/tools/rye/core/extractors/new.yaml";
    tree.write(
        extractor,
        "tool_type: extractor\nexecutor_id: null\nconfig: {extensions: [oboe], parser: text, rules: {tool_type: {type: regex, pattern: 'tool_type: (.+)'}}}\n",
    );
    assert!(ids(&engine, "").contains(&"music/sing".to_owned()), "{:?}", everything(&engine));
    assert_eq!(everything(&engine), everything(&tree.engine(Lifetime::Short)));
    fs::remove_file(tree.path(extractor)).unwrap();
    assert_eq!(ids(&engine, "oboe"), ["music/play"]);
    assert_eq!(everything(&engine), everything(&tree.engine(Lifetime::Short)));
}

#[test]
fn however_often_an_extractor_changes_no_more_is_watched() {
    let tree = tree();
    let engine = tree.engine(Lifetime::Long);
    let search_with = |number: u32| {
        let text = format!(
            "tool_type: extractor\nexecutor_id: null\nconfig: {{extensions: [oboe{number}], parser: text, rules: {{}}}}\n"
        );
        tree.write("project/.ai/tools/rye/core/extractors/new.yaml", text);
        assert_eq!(ids(&engine, "oboe"), ["music/play"]);
    };
    // The tests beside this one have watches of their own in this process. The kernel has 128 for each user.
    for number in 0..200 {
        search_with(number);
    }
    assert!(watches() < 100, "{} watches", watches());
}

/// How many queues of changes this process has.
fn watches() -> usize {
    let open = fs::read_dir("/proc/self/fd").unwrap().flatten();
    open.filter(|entry| fs::read_link(entry.path()).is_ok_and(|to| to.ends_with("anon_inode:inotify")))
        .count()
}
