//! A change on the disk is seen by the very next command.

use crate::library::{GIT, library, shell, yaml};

#[test]
fn a_tool_that_was_just_written_is_found() {
    let space = library();
    assert_eq!(space.found(["xylophone"]), [""; 0]);
    space.write("project/.ai/tools/new/folder/play.sh", shell("1.0.0", "Plays the xylophone"));
    assert_eq!(space.found(["xylophone"]), ["new/folder/play"]);
    assert_eq!(space.rye(["load", "play"]).json()["id"], "new/folder/play");
    space.write("home/.ai/directives/music.md", "# Music\n\nPlay a xylophone.\n");
    assert_eq!(space.found(["xylophone"]), ["music", "new/folder/play"]);
}

#[test]
fn an_edit_is_seen_at_once() {
    let space = library();
    let name = "project/.ai/tools/text/sort.sh";
    // Each text has the same length, and several are written within one tick of the clock.
    for round in 0..30 {
        let (old, new) = (format!("word{round:02}a"), format!("word{round:02}b"));
        space.write(name, shell("1.0.0", &old));
        assert_eq!(space.found([&*old]), ["text/sort"]);
        space.write(name, shell("1.0.0", &new));
        assert_eq!(space.found([&*new]), ["text/sort"]);
        assert_eq!(space.rye(["load", "text/sort"]).json()["metadata"]["description"], *new);
    }
}

#[test]
fn an_edit_that_hides_its_time_is_seen() {
    let space = library();
    let path = space.write("project/.ai/tools/text/sort.sh", shell("1.0.0", "before"));
    let old = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
    let touch = || std::fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
    touch();
    assert_eq!(space.found(["before"]), ["text/sort"]);
    std::fs::write(&path, shell("1.0.0", "beyond")).unwrap();
    touch();
    assert_eq!(space.found(["beyond"]), ["text/sort"]);
}

#[test]
fn a_file_that_becomes_a_tool_or_stops_to_be_one_is_noticed() {
    let space = library();
    let name = "project/.ai/tools/text/maybe.yaml";
    space.write(name, "some: data\n");
    assert_eq!(space.found(["maybe"]), [""; 0]);
    space.write(name, yaml("It is one"));
    assert_eq!(space.found(["maybe"]), ["text/maybe"]);
    space.write(name, "some: data\n");
    assert_eq!(space.found(["maybe"]), [""; 0]);
}

#[test]
fn what_was_hidden_comes_back() {
    let space = library();
    let path = |space: &crate::space::TestSpace| space.rye(["load", "vcs/git"]).json()["space"].clone();
    assert_eq!(path(&space), "project");
    space.remove("project/.ai/tools/vcs/git.py");
    assert_eq!(path(&space), "user");
    let found = space.rye(["search", "vcs/git"]).json();
    assert_eq!(
        (&found["hits"][0]["space"], &found["hits"][0]["shadowed_by"]),
        (&"user".into(), &serde_json::Value::Null)
    );
    space.write("project/.ai/tools/vcs/git.py", GIT);
    assert_eq!(path(&space), "project");
}

#[test]
fn what_is_deleted_or_renamed_is_gone() {
    let space = library();
    assert_eq!(space.found(["lines"]), ["text/cat", "text/sort"]);
    std::fs::rename(space.path("project/.ai/tools/text/cat.sh"), space.path("project/.ai/tools/text/dog.sh"))
        .unwrap();
    assert_eq!(space.found(["lines"]), ["text/dog", "text/sort"]);
    std::fs::rename(space.path("project/.ai/tools/text"), space.path("project/.ai/tools/lines")).unwrap();
    assert_eq!(space.found(["lines"]), ["lines/dog", "lines/sort"]);
    std::fs::remove_dir_all(space.path("project/.ai/tools")).unwrap();
    assert_eq!(space.found(["lines"]), [""; 0]);
}

#[test]
fn what_is_known_of_old_files_does_not_hide_a_change() {
    let space = library();
    space.write("project/.ai/tools/text/data.yaml", "some: data\n");
    // Only a file that was left alone for a while is not read again.
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    for _ in 0..2 {
        assert_eq!(space.found(["lines"]), ["text/cat", "text/sort"]);
    }
    space.write("project/.ai/tools/text/sort.sh", shell("1.10.0", "Sorts the words of a text"));
    assert_eq!(space.found(["lines"]), ["text/cat"]);
    assert_eq!(space.found(["words"]), ["text/sort"]);
    space.write("project/.ai/tools/text/data.yaml", yaml("Lines of data"));
    assert_eq!(space.found(["lines"]), ["text/cat", "text/data"]);
    space.write("project/.ai/tools/text/uniq.sh", shell("1.0.0", "Lines that are alike"));
    assert_eq!(space.found(["lines"]), ["text/cat", "text/data", "text/uniq"]);
    space.remove("project/.ai/tools/text/cat.sh");
    assert_eq!(space.found(["lines"]), ["text/data", "text/uniq"]);
    assert_eq!(space.found(["fetches"]), ["net/fetch"]);
}
