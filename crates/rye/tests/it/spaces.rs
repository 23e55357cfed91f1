//! Where the spaces are.

use insta::assert_snapshot;

use crate::library::{GIT, library, yaml};
use crate::space::TestSpace;

#[test]
fn the_project_is_the_nearest_folder_above_that_has_one() {
    let space = library();
    space.folder("project/src/deep/below");
    assert_eq!(space.rye(["load", "git"]).within("project/src/deep/below").json()["space"], "project");
    space.write("project/src/.ai/tools/inner.yaml", yaml("Of the inner project"));
    let inner =
        space.rye(["search", "--space", "project", "--detail", "names"]).within("project/src/deep/below");
    assert_eq!(String::from_utf8(inner.output().stdout).unwrap(), "inner\n");
    assert_eq!(space.rye(["load", "git"]).within("project/src").json()["space"], "user");
}

#[test]
fn the_home_folder_is_no_project() {
    let space = library();
    space.folder("home/work");
    for folder in ["home", "home/work"] {
        assert_eq!(space.rye(["load", "git"]).within(folder).json()["space"], "user");
        let found = space.rye(["search", "git", "--space", "project"]).within(folder);
        assert_eq!(found.output().status.code(), Some(1));
    }
}

#[test]
fn a_project_can_be_named() {
    let space = library();
    for project in ["../project", space.path("project").to_str().unwrap()] {
        let call = space.rye(["load", "git", "--project", project]).within("elsewhere");
        assert_eq!(call.json()["space"], "project");
    }
    let call = space.rye(["--project", "../elsewhere", "load", "git"]);
    assert_eq!(call.json()["space"], "user", "a named project may have no space");
    assert_snapshot!(space.rye(["load", "git", "--project", "nowhere"]).show(), @"
    $ rye load git --project nowhere
    exit code: 3
    --- stderr
    error: cannot use the project space at `[SPACE]/project/nowhere`: there is no such folder [SPACE_UNUSABLE]
    hint: run `mkdir -p [SPACE]/project/nowhere`, or name another folder with `--project`
    ");
    assert_snapshot!(space.rye(["search", "git", "--project", "nowhere", "--json"]).show(), @r#"
    $ rye search git --project nowhere --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "SPACE_UNUSABLE",
        "message": "cannot use the project space at `[SPACE]/project/nowhere`: there is no such folder",
        "hint": "run `mkdir -p [SPACE]/project/nowhere`, or name another folder with `--project`"
      }
    }
    "#);
}

#[test]
fn a_home_folder_that_is_named_as_project_hides_nothing_of_its_own() {
    let space = library();
    let loaded = space.rye(["load", "net/fetch", "--project", "../home"]).json();
    assert_eq!((&loaded["space"], &loaded["shadows"]), (&"user".into(), &serde_json::json!([])));
}

#[test]
fn the_user_space_can_be_moved() {
    let space = library();
    space.write("other/.ai/tools/mine.yaml", yaml("Mine"));
    for path in ["other", "other/.ai"] {
        let call = space.rye(["load", "mine"]).set("USER_SPACE", space.path(path));
        assert_eq!(call.json()["path"], space.path("other/.ai/tools/mine.yaml").to_str().unwrap());
        let call = space.rye(["load", "net/fetch"]).set("USER_SPACE", space.path(path));
        assert_eq!(call.output().status.code(), Some(3));
    }
    let call = space.rye(["load", "mine"]).set("USER_SPACE", "../other").within("project");
    assert_eq!(call.json()["space"], "user", "it may be a relative path");
    let call = space.rye(["load", "net/fetch"]).set("USER_SPACE", "");
    assert_eq!(call.json()["space"], "user", "an empty variable is as good as none");
}

#[test]
fn the_system_space_can_be_replaced() {
    let space = library();
    space.write("system/tools/base/echo.yaml", yaml("Of the system"));
    let loaded = space.rye(["load", "base/echo"]).json();
    assert_eq!((&loaded["space"], &loaded["signer"]["code"]), (&"system".into(), &"UNSIGNED".into()));
    assert_snapshot!(space.rye(["search", "x"]).set("RYE_SYSTEM_SPACE", "nowhere").show(), @"
    $ RYE_SYSTEM_SPACE=nowhere rye search x
    exit code: 3
    --- stderr
    error: cannot use the system space at `[SPACE]/project/nowhere`: there is no such folder [SPACE_UNUSABLE]
    hint: run `unset RYE_SYSTEM_SPACE`
    ");
}

#[test]
fn a_project_space_that_is_a_link_is_refused() {
    let space = library();
    space.folder("linked");
    std::os::unix::fs::symlink(space.path("project/.ai"), space.path("linked/.ai")).unwrap();
    assert_snapshot!(space.rye(["search", "git"]).within("linked").show(), @"
    $ rye search git
    exit code: 3
    --- stderr
    error: cannot use the project space at `[SPACE]/linked/.ai`: a project's `.ai` must be a folder, not a symbolic link [SPACE_UNUSABLE]
    hint: run `rm [SPACE]/linked/.ai`, then `rye init`; what it leads to stays
    ");
    assert_snapshot!(space.rye(["load", "git", "--json"]).within("linked").show(), @r#"
    $ rye load git --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "SPACE_UNUSABLE",
        "message": "cannot use the project space at `[SPACE]/linked/.ai`: a project's `.ai` must be a folder, not a symbolic link",
        "hint": "run `rm [SPACE]/linked/.ai`, then `rye init`; what it leads to stays"
      }
    }
    "#);
}

#[test]
fn a_user_space_may_be_a_link() {
    let space = TestSpace::new();
    space.write("dotfiles/ai/tools/vcs/git.py", GIT);
    std::os::unix::fs::symlink(space.path("dotfiles/ai"), space.path("home/.ai")).unwrap();
    assert_eq!(space.rye(["load", "git"]).json()["space"], "user");
    assert_eq!(space.found(["vcs"]), ["vcs/git"]);
}

#[test]
fn a_file_called_like_a_space_is_none() {
    let space = TestSpace::new();
    space.write("file/.ai", "not a folder");
    assert_eq!(space.rye(["search", "python"]).within("file").output().status.code(), Some(0));
}
