//! Copying an item to another space.

use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use crate::library::{GIT, library, shell, yaml};
use crate::space::TestSpace;

#[test]
fn to_the_project() {
    let space = library();
    let args = ["load", "net/fetch", "--from", "user", "--to", "project"];
    assert_snapshot!(space.rye(args).show(), @r#"
    $ rye load net/fetch --from user --to project
    exit code: 0
    --- stdout
    tool         net/fetch
    space        user
    path         [SPACE]/home/.ai/tools/net/fetch.yaml
    digest       25ffc37c[…]
    refused      it is not signed
    version      1.0.0
    type         http
    category     net
    description  Fetches a page of the web
    executor     http_client
    copied to    [SPACE]/project/.ai/tools/net/fetch.yaml

    version: "1.0.0"
    tool_type: http
    executor_id: http_client
    description: "Fetches a page of the web"
    tags: [web]
    "#);
    assert_eq!(space.read("project/.ai/tools/net/fetch.yaml"), yaml("Fetches a page of the web"));
    assert_eq!(space.rye(["load", "net/fetch"]).json()["space"], "project");
    let files: Vec<_> = std::fs::read_dir(space.path("project/.ai/tools/net")).unwrap().collect();
    assert_eq!(files.len(), 1, "{files:?}");
}

#[test]
fn to_the_user_space_which_is_made_for_it() {
    let space = TestSpace::new();
    space.write("project/.ai/tools/vcs/git.py", GIT);
    let report = space.rye(["load", "git", "--to", "user"]).json();
    assert_eq!(report["copied_to"], space.path("home/.ai/tools/vcs/git.py").to_str().unwrap());
    assert_eq!(space.read("home/.ai/tools/vcs/git.py"), GIT);
}

#[test]
fn other_kinds_go_to_their_own_folders() {
    let space = library();
    space.rye(["load", "review", "--kind", "directive", "--to", "user"]).json();
    space.rye(["load", "commits", "--kind", "knowledge", "--to", "user"]).json();
    assert_eq!(space.read("home/.ai/directives/review.md"), space.read("project/.ai/directives/review.md"));
    assert_eq!(
        space.read("home/.ai/knowledge/style/commits.md"),
        space.read("project/.ai/knowledge/style/commits.md")
    );
}

#[test]
fn from_the_program() {
    let space = TestSpace::with_bundle();
    let id = "rye/core/extractors/yaml";
    space.rye(["load", id, "--from", "system", "--to", "project"]).json();
    let source = space.rye(["load", id, "--from", "system", "--part", "source"]).output().stdout;
    let copy = format!("project/.ai/tools/{id}.yaml");
    assert_eq!(space.read(&copy).into_bytes(), source);
    let mode = std::fs::metadata(space.path(&copy)).unwrap().permissions().mode();
    assert_eq!(mode & 0o600, 0o600, "a copy is there to be changed");
    let loaded = space.rye(["load", id]).json();
    assert_eq!((&loaded["space"], &loaded["shadows"][0]["space"]), (&"project".into(), &"system".into()));
}

#[test]
fn nothing_is_overwritten_without_force() {
    let space = library();
    let args = ["load", "vcs/git", "--from", "user", "--to", "project"];
    assert_snapshot!(space.rye(args).show(), @"
    $ rye load vcs/git --from user --to project
    exit code: 3
    --- stderr
    error: cannot write `[SPACE]/project/.ai/tools/vcs/git.py`: File exists (os error 17) [ALREADY_EXISTS]
    hint: add `--force` to replace it
    ");
    assert_snapshot!(space.rye(args.into_iter().chain(["--json"])).show(), @r#"
    $ rye load vcs/git --from user --to project --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "ALREADY_EXISTS",
        "message": "cannot write `[SPACE]/project/.ai/tools/vcs/git.py`: File exists (os error 17)",
        "hint": "add `--force` to replace it"
      }
    }
    "#);
    assert_eq!(space.read("project/.ai/tools/vcs/git.py"), GIT);
    let output = space.rye(args.into_iter().chain(["--force"])).output();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(space.read("project/.ai/tools/vcs/git.py"), space.read("home/.ai/tools/vcs/git.py"));
    let files: Vec<_> = std::fs::read_dir(space.path("project/.ai/tools/vcs")).unwrap().collect();
    assert_eq!(files.len(), 1, "{files:?}");
}

#[test]
fn a_copy_does_not_make_an_id_ambiguous() {
    let space = library();
    space.remove("project/.ai/tools/vcs/git.py");
    space.write("project/.ai/tools/vcs/git.sh", shell("1.0.0", "The project's own"));
    let args = ["load", "vcs/git", "--from", "user", "--to", "project"];
    assert_snapshot!(space.rye(args).show(), @"
    $ rye load vcs/git --from user --to project
    exit code: 3
    --- stderr
    error: `[SPACE]/project/.ai/tools/vcs/git.sh` has that id already [ALREADY_EXISTS]
    hint: remove that file, or give it another name
    ");
    assert_snapshot!(space.rye(args.into_iter().chain(["--force"])).show(), @"
    $ rye load vcs/git --from user --to project --force
    exit code: 3
    --- stderr
    error: `[SPACE]/project/.ai/tools/vcs/git.sh` has that id already [ALREADY_EXISTS]
    hint: remove that file, or give it another name
    ");
    assert_eq!(space.rye(["load", "vcs/git"]).json()["space"], "project");
}

#[test]
fn never_to_the_system_space() {
    let space = library();
    assert_snapshot!(space.rye(["load", "vcs/git", "--to", "system"]).show(), @"
    $ rye load vcs/git --to system
    exit code: 2
    --- stderr
    error: invalid value 'system' for '--to <SPACE>'
      [possible values: project, user]

    For more information, try '--help'.
    ");
}

#[test]
fn force_alone_means_nothing() {
    let space = library();
    assert_snapshot!(space.rye(["load", "vcs/git", "--force"]).show(), @"
    $ rye load vcs/git --force
    exit code: 2
    --- stderr
    error: the following required arguments were not provided:
      --to <SPACE>

    Usage: rye load --to <SPACE> --force <ID>

    For more information, try '--help'.
    ");
}

#[test]
fn there_must_be_a_project() {
    let space = library();
    let args = ["load", "net/fetch", "--to", "project"];
    assert_snapshot!(space.rye(args).within("elsewhere").show(), @"
    $ rye load net/fetch --to project
    exit code: 3
    --- stderr
    error: `[SPACE]/elsewhere` is not in a project: no folder above it has `.ai` [SPACE_UNUSABLE]
    hint: run `rye init`, or name a project with `--project`
    ");
    assert_snapshot!(space.rye(args.into_iter().chain(["--json"])).within("elsewhere").show(), @r#"
    $ rye load net/fetch --to project --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "SPACE_UNUSABLE",
        "message": "`[SPACE]/elsewhere` is not in a project: no folder above it has `.ai`",
        "hint": "run `rye init`, or name a project with `--project`"
      }
    }
    "#);
}

#[test]
fn there_must_be_a_home() {
    let space = library();
    assert_snapshot!(space.rye(["load", "vcs/git", "--to", "user"]).unset("HOME").show(), @"
    $ HOME= rye load vcs/git --to user
    exit code: 3
    --- stderr
    error: there is no user space: neither HOME nor USER_SPACE is set [SPACE_UNUSABLE]
    hint: set HOME or USER_SPACE
    ");
    let output =
        space.rye(["load", "vcs/git", "--to", "user"]).unset("HOME").set("USER_SPACE", space.path("other"));
    assert_eq!(output.output().status.code(), Some(0));
    assert_eq!(space.read("other/.ai/tools/vcs/git.py"), GIT);
}

#[test]
fn a_copy_does_not_go_through_a_link() {
    let space = library();
    space.folder("project/.ai/tools");
    std::os::unix::fs::symlink(space.path("elsewhere"), space.path("project/.ai/tools/net")).unwrap();
    assert_snapshot!(space.rye(["load", "net/fetch", "--to", "project"]).show(), @"
    $ rye load net/fetch --to project
    exit code: 3
    --- stderr
    error: cannot find tool `net/fetch`: `[SPACE]/project/.ai/tools/net/fetch.json` is, or is reached through, a symbolic link; a space holds real files only [ITEM_UNREADABLE]
    hint: put a copy of the file there instead
    ");
    assert_eq!(std::fs::read_dir(space.path("elsewhere")).unwrap().count(), 0);
    // Nor does it follow one that has the very name, not even by force.
    space.remove("project/.ai/tools/net");
    space.folder("project/.ai/tools/net");
    let outside = space.write("elsewhere/file", "outside");
    std::os::unix::fs::symlink(&outside, space.path("project/.ai/tools/net/fetch.yaml")).unwrap();
    let args = ["load", "net/fetch", "--from", "user", "--to", "project"];
    assert_eq!(space.rye(args).output().status.code(), Some(3));
    space.rye(args.into_iter().chain(["--force"])).output();
    assert_eq!(space.read("elsewhere/file"), "outside");
}
