//! What `rye load` refuses, and why.

use std::os::unix::fs::symlink;

use insta::assert_snapshot;

use crate::library::{GIT, library, shell, yaml};

#[test]
fn what_is_not_there() {
    let space = library();
    assert_snapshot!(space.rye(["load", "vcs/gti"]).show(), @"
    $ rye load vcs/gti
    exit code: 3
    --- stderr
    error: cannot find tool `vcs/gti`: there is none in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `[SPACE]/system/tools` [ITEM_NOT_FOUND]
    hint: did you mean `vcs/git`?
    ");
    assert_snapshot!(space.rye(["load", "vcs/gti", "--json"]).show(), @r#"
    $ rye load vcs/gti --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "ITEM_NOT_FOUND",
        "message": "cannot find tool `vcs/gti`: there is none in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `[SPACE]/system/tools`",
        "hint": "did you mean `vcs/git`?"
      }
    }
    "#);
    assert_snapshot!(space.rye(["load", "entirely/unlike"]).show(), @"
    $ rye load entirely/unlike
    exit code: 3
    --- stderr
    error: cannot find tool `entirely/unlike`: there is none in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `[SPACE]/system/tools` [ITEM_NOT_FOUND]
    hint: run `rye search unlike` to look for it
    ");
    assert_snapshot!(space.rye(["load", "review"]).show(), @"
    $ rye load review
    exit code: 3
    --- stderr
    error: cannot find tool `review`: there is none in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `[SPACE]/system/tools` [ITEM_NOT_FOUND]
    hint: run `rye search review` to look for it
    ");
}

#[test]
fn what_is_not_certain() {
    let space = library();
    space.write("project/.ai/tools/vcs/git.sh", shell("1.0.0", "git again"));
    assert_snapshot!(space.rye(["load", "vcs/git"]).show(), @"
    $ rye load vcs/git
    exit code: 3
    --- stderr
    error: cannot find tool `vcs/git`: several files of the project space answer to that: `[SPACE]/project/.ai/tools/vcs/git.py`, `[SPACE]/project/.ai/tools/vcs/git.sh` [ITEM_AMBIGUOUS]
    hint: rename or remove all of them but one
    ");
    assert_snapshot!(space.rye(["load", "vcs/git", "--json"]).show(), @r#"
    $ rye load vcs/git --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "ITEM_AMBIGUOUS",
        "message": "cannot find tool `vcs/git`: several files of the project space answer to that: `[SPACE]/project/.ai/tools/vcs/git.py`, `[SPACE]/project/.ai/tools/vcs/git.sh`",
        "hint": "rename or remove all of them but one"
      }
    }
    "#);
    space.write("project/.ai/tools/other/cat.yaml", yaml("Another cat"));
    assert_snapshot!(space.rye(["load", "cat"]).show(), @"
    $ rye load cat
    exit code: 3
    --- stderr
    error: cannot find tool `cat`: several files of the project space answer to that: `[SPACE]/project/.ai/tools/other/cat.yaml`, `[SPACE]/project/.ai/tools/text/cat.sh` [ITEM_AMBIGUOUS]
    hint: name it by its whole path, or rename one of them
    ");
    assert_eq!(space.rye(["load", "other/cat"]).json()["id"], "other/cat");
}

#[test]
fn what_is_no_id() {
    let space = library();
    space.write("project/.ai/secret.py", GIT);
    space.write("project/.ai/tools-evil/secret.py", GIT);
    space.write("base-evil/.ai/tools/secret.py", GIT);
    space.write("project/.ai/tools/.hidden.py", GIT);
    let absolute = space.path("project/.ai/secret");
    for id in [
        "..",
        "../secret",
        "vcs/../../secret",
        "../tools-evil/secret",
        "../../../base-evil/.ai/tools/secret",
        "./vcs/git",
        "vcs//git",
        "vcs/git/",
        "/etc/passwd",
        absolute.to_str().unwrap(),
        ".hidden",
        "vcs\\git",
        "vcs/git\n",
        "",
        "vcs/*",
    ] {
        let output = space.rye(["load", "--", id]).output();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.contains("[INVALID_ID]")), (Some(3), true), "{id}: {error}");
        assert!(output.stdout.is_empty(), "{id}");
    }
    assert_snapshot!(space.rye(["load", "../secret"]).show(), @"
    $ rye load ../secret
    exit code: 3
    --- stderr
    error: `../secret` cannot be the id of an item: `..` would leave the folder [INVALID_ID]
    hint: an id looks like `demo/greet`; run `rye search` to see which there are
    ");
    assert_snapshot!(space.rye(["load", "/etc/passwd", "--json"]).show(), @r#"
    $ rye load /etc/passwd --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "INVALID_ID",
        "message": "`/etc/passwd` cannot be the id of an item: it has an empty part: ids are relative paths, as `my/tools/name`",
        "hint": "an id looks like `demo/greet`; run `rye search` to see which there are"
      }
    }
    "#);
    assert_snapshot!(space.rye(["load", "vcs/git\u{1b}[31m"]).show(), @r"
    $ rye load 'vcs/git[31m'
    exit code: 3
    --- stderr
    error: `vcs/git\u{1b}[31m` cannot be the id of an item: `\u{1b}` is not allowed; use letters, digits, `_`, `.`, `+`, `-`, and `/` between the parts [INVALID_ID]
    hint: an id looks like `demo/greet`; run `rye search` to see which there are
    ");
    assert_snapshot!(space.rye(["load", "secret"]).show(), @"
    $ rye load secret
    exit code: 3
    --- stderr
    error: cannot find tool `secret`: there is none in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `[SPACE]/system/tools` [ITEM_NOT_FOUND]
    hint: run `rye search secret` to look for it
    ");
}

#[test]
fn an_id_has_no_extension() {
    assert_snapshot!(library().rye(["load", "vcs/git.py"]).show(), @"
    $ rye load vcs/git.py
    exit code: 3
    --- stderr
    error: cannot find tool `vcs/git.py`: there is none in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `[SPACE]/system/tools` [ITEM_NOT_FOUND]
    hint: did you mean `vcs/git`?
    ");
}

#[test]
fn a_link() {
    let space = library();
    let outside = space.write("elsewhere/outside.py", GIT);
    symlink(&outside, space.path("project/.ai/tools/vcs/linked.py")).unwrap();
    symlink(space.path("project/.ai/tools/vcs"), space.path("project/.ai/tools/alias")).unwrap();
    assert_snapshot!(space.rye(["load", "vcs/linked"]).show(), @"
    $ rye load vcs/linked
    exit code: 3
    --- stderr
    error: cannot find tool `vcs/linked`: `[SPACE]/project/.ai/tools/vcs/linked.py` is, or is reached through, a symbolic link; a space holds real files only [ITEM_UNREADABLE]
    hint: put a copy of the file there instead
    ");
    assert_snapshot!(space.rye(["load", "vcs/linked", "--json"]).show(), @r#"
    $ rye load vcs/linked --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "ITEM_UNREADABLE",
        "message": "cannot find tool `vcs/linked`: `[SPACE]/project/.ai/tools/vcs/linked.py` is, or is reached through, a symbolic link; a space holds real files only",
        "hint": "put a copy of the file there instead"
      }
    }
    "#);
    assert_snapshot!(space.rye(["load", "alias/git"]).show(), @"
    $ rye load alias/git
    exit code: 3
    --- stderr
    error: cannot find tool `alias/git`: `[SPACE]/project/.ai/tools/alias/git.json` is, or is reached through, a symbolic link; a space holds real files only [ITEM_UNREADABLE]
    hint: put a copy of the file there instead
    ");
    assert_eq!(space.found(["--category", "vcs", "--space", "project"]), ["vcs/git"]);
}

#[test]
fn a_folder_and_a_file_that_is_too_large() {
    let space = library();
    space.folder("project/.ai/tools/vcs/folder.py");
    assert_snapshot!(space.rye(["load", "vcs/folder"]).show(), @"
    $ rye load vcs/folder
    exit code: 3
    --- stderr
    error: cannot find tool `vcs/folder`: `[SPACE]/project/.ai/tools/vcs/folder.py` is not a regular file [ITEM_UNREADABLE]
    hint: run `ls -ld [SPACE]/project/.ai/tools/vcs/folder.py`, and put a plain file there
    ");
    let large = std::fs::File::create(space.path("project/.ai/tools/vcs/large.py")).unwrap();
    large.set_len(9 << 20).unwrap();
    assert_snapshot!(space.rye(["load", "vcs/large"]).show(), @"
    $ rye load vcs/large
    exit code: 3
    --- stderr
    error: cannot read `[SPACE]/project/.ai/tools/vcs/large.py`: it has 9437184 bytes, and an item has at most 8388608 [ITEM_UNREADABLE]
    hint: put a plain file there that is smaller and that you can read
    ");
}
