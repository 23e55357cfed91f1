use rye_item::{ItemKind, ItemRef, LocateErrorKind, Space};

use crate::{World, extensions, symlink, tool, with_sources};

impl World {
    /// What an id is, as `from` sees it: the space, the whole id and the content; or why it is nothing.
    fn look(&self, item: &ItemRef, from: Space) -> String {
        match self.spaces().locate(item, from, &extensions()) {
            Ok(located) => {
                let (space, id) = (located.space, located.item.id);
                let bytes = located.file.read().unwrap();
                format!("{space} {id} {}", String::from_utf8_lossy(bytes.as_slice()))
            }
            Err(error) => self.filter(&with_sources(&error)),
        }
    }

    #[track_caller]
    fn check(&self, id: &str, expect: &str) {
        assert_eq!(self.look(&tool(id), Space::Project), expect, "{id}");
    }
}

#[test]
fn the_first_space_wins_and_what_is_deleted_is_gone_at_once() {
    let world = World::new();
    world.check("rye/core/git", "system rye/core/git system git");
    world.write("home/.ai/tools/rye/core/git.py", "user git");
    world.check("rye/core/git", "user rye/core/git user git");
    world.write("home/project/.ai/tools/rye/core/git.yaml", "project git");
    world.check("rye/core/git", "project rye/core/git project git");
    world.write("home/project/.ai/tools/rye/core/git.yaml", "changed");
    world.check("rye/core/git", "project rye/core/git changed");

    let spaces = world.spaces();
    let located = spaces.locate(&tool("rye/core/git"), Space::Project, &extensions()).unwrap();
    let hidden: Vec<_> =
        spaces.shadowed(&located, &extensions()).unwrap().iter().map(|item| item.space).collect();
    assert_eq!(hidden, [Space::User, Space::System]);

    std::fs::remove_file(world.path("home/project/.ai/tools/rye/core/git.yaml")).unwrap();
    world.check("rye/core/git", "user rye/core/git user git");
    std::fs::remove_file(world.path("home/.ai/tools/rye/core/git.py")).unwrap();
    world.check("rye/core/git", "system rye/core/git system git");
}

#[test]
fn a_space_sees_only_itself_and_what_comes_after() {
    let world = World::new();
    world.write("home/project/.ai/tools/x.py", "project");
    world.write("home/.ai/tools/x.py", "user");
    let item = tool("x");
    assert_eq!(world.look(&item, Space::User), "user x user");
    assert_eq!(world.look(&item, Space::System), "cannot find tool `x`: there is none in `<bundle>/tools`");
}

#[test]
fn a_bare_name_is_a_path_first_and_then_a_file_anywhere() {
    let world = World::new();
    world.check("git", "system rye/core/git system git");
    world.write("home/project/.ai/tools/deep/er/git.sh", "deep");
    world.check("git", "project deep/er/git deep");
    world.write("home/project/.ai/tools/git.py", "direct");
    world.check("git", "project git direct");
    world.write("home/project/.ai/tools/one/twin.py", "");
    world.write("home/project/.ai/tools/two/twin.sh", "");
    world.check(
        "twin",
        "cannot find tool `twin`: several files of the project space answer to that: \
         `~/home/project/.ai/tools/one/twin.py`, `~/home/project/.ai/tools/two/twin.sh`",
    );
}

#[test]
fn two_files_for_one_id_are_an_error_that_names_both() {
    let world = World::new();
    world.write("home/project/.ai/tools/a/x.py", "");
    world.write("home/project/.ai/tools/a/x.lua", "");
    world.check(
        "a/x",
        "cannot find tool `a/x`: several files of the project space answer to that: \
         `~/home/project/.ai/tools/a/x.py`, `~/home/project/.ai/tools/a/x.lua`",
    );
}

#[test]
fn an_extension_of_the_project_counts_only_there() {
    let world = World::new();
    world.write("home/.ai/tools/x.lua", "");
    world.check(
        "x",
        "cannot find tool `x`: there is none in `~/home/project/.ai/tools`, `~/home/.ai/tools`, `<bundle>/tools`",
    );
    world.write("home/project/.ai/tools/x.lua", "lua");
    world.check("x", "project x lua");
}

#[test]
fn kinds_have_folders_of_their_own() {
    let world = World::new();
    world.write("home/project/.ai/directives/go.md", "directive");
    world.write("home/project/.ai/tools/go.md", "beside tools, Markdown is documentation");
    let item = |kind| ItemRef::new(kind, tool("go").id);
    assert_eq!(world.look(&item(ItemKind::Directive), Space::Project), "project go directive");
    assert!(
        world.look(&item(ItemKind::Tool), Space::Project).starts_with("cannot find tool `go`: there is none")
    );
    assert!(world.look(&item(ItemKind::Knowledge), Space::Project).starts_with("cannot find knowledge `go`"));
}

#[test]
fn nothing_is_reached_through_a_link() {
    let world = World::new();
    world.write("outside/evil.py", "evil");
    world.write("home/project/.ai/tools/real.py", "real");
    symlink(world.path("outside/evil.py"), world.path("home/project/.ai/tools/file.py"));
    symlink(world.path("outside"), world.path("home/project/.ai/tools/folder"));
    symlink("real.py", world.path("home/project/.ai/tools/inside.py"));
    let link = |path: &str| {
        format!(
            "`~/home/project/.ai/tools/{path}` is, or is reached through, a symbolic link; a space holds real files only"
        )
    };
    world.check("file", &format!("cannot find tool `file`: {}", link("file.py")));
    world.check("folder/evil", &format!("cannot find tool `folder/evil`: {}", link("folder/evil.py")));
    world.check("inside", &format!("cannot find tool `inside`: {}", link("inside.py")));
    // A bare name does not find what is behind a linked folder either.
    assert!(world.look(&tool("evil"), Space::Project).contains("there is none"));
}

#[test]
fn pipes_and_devices_are_refused_without_waiting() {
    let world = World::new();
    world.write("home/project/.ai/tools/a.py", "");
    let path = world.path("home/project/.ai/tools/pipe.py");
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let _socket =
        std::os::unix::net::UnixListener::bind(world.path("home/project/.ai/tools/socket.py")).unwrap();
    std::fs::create_dir(world.path("home/project/.ai/tools/folder.py")).unwrap();
    for name in ["pipe", "socket", "folder"] {
        world.check(
            name,
            &format!("cannot find tool `{name}`: `~/home/project/.ai/tools/{name}.py` is not a regular file"),
        );
    }
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let world = World::new();
    world.write("home/project/.ai/tools/big.py", "");
    let path = world.path("home/project/.ai/tools/big.py");
    std::fs::File::options().write(true).open(path).unwrap().set_len(50_000_000).unwrap();
    let located = world.spaces().locate(&tool("big"), Space::Project, &extensions()).unwrap();
    assert_eq!(
        world.filter(&with_sources(&located.file.read().unwrap_err())),
        "cannot read `~/home/project/.ai/tools/big.py`: it has 50000000 bytes, and an item has at most 8388608"
    );
}

#[test]
fn what_was_opened_stays_what_it_was() {
    let world = World::new();
    world.write("home/project/.ai/tools/x.py", "before");
    let located = world.spaces().locate(&tool("x"), Space::Project, &extensions()).unwrap();
    std::fs::remove_file(world.path("home/project/.ai/tools/x.py")).unwrap();
    world.write("home/project/.ai/tools/x.py", "after");
    assert_eq!(located.file.read().unwrap().as_slice(), b"before");
}

#[test]
fn all_of_a_file_is_read_although_it_was_longer_or_shorter_when_it_was_opened() {
    let world = World::new();
    for (before, after) in [("", "more"), ("some", "some more"), ("some more", "some"), ("some", "")] {
        world.write("home/project/.ai/tools/x.py", before);
        let located = world.spaces().locate(&tool("x"), Space::Project, &extensions()).unwrap();
        world.write("home/project/.ai/tools/x.py", after);
        assert_eq!(located.file.read().unwrap().as_slice(), after.as_bytes(), "{before:?}");
    }
}

/// What is remembered about a folder must not hide a second file of the same id, nor another folder or a link in its place.
#[test]
fn a_second_file_is_noticed_however_often_the_first_was_found() {
    let world = World::new();
    world.write("home/project/.ai/tools/a/b.py", "");
    for folder in ["swapped", "linked"] {
        world.write(&format!("home/project/.ai/tools/{folder}/b.py"), "");
    }
    let (spaces, extensions) = (world.spaces(), extensions());
    // Only a folder that is left alone for a while is remembered.
    std::thread::sleep(std::time::Duration::from_secs(4));
    let locate = || spaces.locate(&tool("a/b"), Space::Project, &extensions);
    let other = |folder: &str| {
        let found = spaces.locate(&tool(&format!("{folder}/b")), Space::Project, &extensions);
        found.map_err(|error| world.filter(&with_sources(&error))).map(|located| located.extension)
    };
    for _ in 0..3 {
        assert_eq!(locate().unwrap().extension, "py");
        assert_eq!((other("swapped"), other("linked")), (Ok("py".to_owned()), Ok("py".to_owned())));
    }
    let path = |folder: &str| world.path(&format!("home/project/.ai/tools/{folder}"));
    std::fs::rename(path("swapped"), path("away")).unwrap();
    world.write("home/project/.ai/tools/swapped/b.yaml", "");
    assert_eq!(other("swapped"), Ok("yaml".to_owned()));
    std::fs::rename(path("linked"), path("beside")).unwrap();
    symlink("beside", path("linked"));
    assert!(other("linked").unwrap_err().contains("symbolic link"), "{:?}", other("linked"));
    world.write("home/project/.ai/tools/a/b.yaml", "");
    assert!(matches!(locate().unwrap_err().kind(), LocateErrorKind::Ambiguous { .. }));
    std::fs::remove_file(world.path("home/project/.ai/tools/a/b.py")).unwrap();
    assert_eq!(locate().unwrap().extension, "yaml");
    std::fs::remove_file(world.path("home/project/.ai/tools/a/b.yaml")).unwrap();
    assert!(matches!(locate().unwrap_err().kind(), LocateErrorKind::NotFound { .. }));
}
