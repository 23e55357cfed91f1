//! Items that hide others.

use insta::assert_snapshot;

use crate::library::library;

#[test]
fn search_shows_it_both_ways() {
    let space = library();
    assert_snapshot!(space.rye(["search", "--category", "vcs", "--sort", "id"]).show(), @"
    $ rye search --category vcs --sort id
    exit code: 0
    --- stdout
    tool  vcs/git  project  1.2.0  Runs git in the project.  unsigned, shadows user
    tool  vcs/git  user     0.9.0  Runs git for the user.    unsigned, shadowed by project
    1 to 2 of 2
    --- stderr
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
    let found = space.rye(["search", "--category", "vcs", "--sort", "id"]).json();
    let hits: Vec<_> = found["hits"].as_array().unwrap().iter().collect();
    let sight = |index: usize| (&hits[index]["shadows"], &hits[index]["shadowed_by"]);
    assert_eq!(sight(0), (&serde_json::json!(["user"]), &serde_json::Value::Null));
    assert_eq!(sight(1), (&serde_json::json!([]), &"project".into()));
}

#[test]
fn load_shows_it_both_ways() {
    let space = library();
    assert_snapshot!(space.rye(["load", "vcs/git"]).show(), @r#"
    $ rye load vcs/git
    exit code: 0
    --- stdout
    tool         vcs/git
    space        project
    path         [SPACE]/project/.ai/tools/vcs/git.py
    digest       f8012051[…]
    refused      the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    version      1.2.0
    type         python
    category     vcs
    description  Runs git in the project.
    executor     python_runtime
    shadows      user [SPACE]/home/.ai/tools/vcs/git.py

    """Runs git in the project.

    Every command of git is allowed, and its output is returned as text."""
    __version__ = "1.2.0"
    __tool_type__ = "python"
    __executor_id__ = "python_runtime"
    __category__ = "vcs"
    __tags__ = ["git", "commit"]

    CONFIG_SCHEMA = {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    }
    "#);
    assert_snapshot!(space.rye(["load", "vcs/git", "--from", "user"]).show(), @r#"
    $ rye load vcs/git --from user
    exit code: 0
    --- stdout
    tool         vcs/git
    space        user
    path         [SPACE]/home/.ai/tools/vcs/git.py
    digest       ac21e408[…]
    refused      it is not signed
    version      0.9.0
    type         python
    category     vcs
    description  Runs git for the user.
    executor     python_runtime
    shadowed by  project [SPACE]/project/.ai/tools/vcs/git.py

    """Runs git for the user.

    Every command of git is allowed, and its output is returned as text."""
    __version__ = "0.9.0"
    __tool_type__ = "python"
    __executor_id__ = "python_runtime"
    __category__ = "vcs"
    __tags__ = ["git", "commit"]

    CONFIG_SCHEMA = {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    }
    "#);
    let loaded = space.rye(["load", "vcs/git", "--from", "user"]).json();
    assert_eq!(loaded["shadowed_by"]["space"], "project");
}

#[test]
fn all_three_spaces_may_have_one() {
    let space = library();
    space.write("system/tools/vcs/git.py", crate::library::GIT);
    assert_snapshot!(space.rye(["search", "--category", "vcs", "--sort", "id"]).show(), @"
    $ rye search --category vcs --sort id
    exit code: 0
    --- stdout
    tool  vcs/git  project  1.2.0  Runs git in the project.  unsigned, shadows user, shadows system
    tool  vcs/git  user     0.9.0  Runs git for the user.    unsigned, shadowed by project, shadows system
    tool  vcs/git  system   1.2.0  Runs git in the project.  unsigned, shadowed by project
    1 to 3 of 3
    --- stderr
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
    let loaded = space.rye(["load", "git"]).json();
    let spaces: Vec<_> = loaded["shadows"].as_array().unwrap().iter().map(|copy| &copy["space"]).collect();
    assert_eq!(spaces, ["user", "system"]);
}

#[test]
fn another_extension_hides_it_too() {
    let space = library();
    space.remove("project/.ai/tools/vcs/git.py");
    space.write("project/.ai/tools/vcs/git.sh", crate::library::shell("3.0.0", "git"));
    let loaded = space.rye(["load", "vcs/git"]).json();
    assert_eq!((&loaded["space"], &loaded["shadows"][0]["space"]), (&"project".into(), &"user".into()));
}
