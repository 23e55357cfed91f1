//! `rye trust`.

use insta::assert_snapshot;

use crate::keys::bob;
use crate::library::shell;
use crate::space::TestSpace;

/// A project that brings something of everything.
fn project() -> TestSpace {
    let space = TestSpace::with_bundle();
    space.run(["keys", "generate", "--owner", "ada"]);
    space.write("project/.ai/keys/bob.pem", bob().public_key().to_pem().unwrap());
    space.write("project/.ai/keys/broken.pem", "no key");
    space.write("project/.env", "TOKEN=secret\nPATH=/evil\n");
    space.write("project/.ai/.env", "LEVEL=1\n");
    space.write("project/.venv/bin/python", "");
    space.write("project/.ai/tools/text/cat.sh", shell("1.0.0", "Prints"));
    space
}

#[test]
fn what_a_project_brings_is_shown_before_anything_is_decided() {
    let space = project();
    assert_snapshot!(space.rye(["trust"]).show(), @"
    $ rye trust
    exit code: 3
    --- stdout
    project       [SPACE]/project
    not trusted   nobody has decided to trust it
    key           [KEY] of bob, in .ai/keys/bob.pem
    not a key     .ai/keys/broken.pem: there is no public key in it: expected PEM, or TOML with `public_key`
    variables     .ai/.env: LEVEL
    variables     .env: TOKEN
    interpreters  .venv/bin: python
    items         1 not signed
    --- stderr
    error: nothing was decided, because there is no terminal to ask at [CONFIRMATION_NEEDED]
    hint: if you trust it, run `rye trust [SPACE]/project --yes`
    ");
    assert_snapshot!(space.rye(["trust", "--show"]).show(), @"
    $ rye trust --show
    exit code: 0
    --- stdout
    project       [SPACE]/project
    not trusted   nobody has decided to trust it
    key           [KEY] of bob, in .ai/keys/bob.pem
    not a key     .ai/keys/broken.pem: there is no public key in it: expected PEM, or TOML with `public_key`
    variables     .ai/.env: LEVEL
    variables     .env: TOKEN
    interpreters  .venv/bin: python
    items         1 not signed
    ");
    assert_snapshot!(space.rye(["trust", "--show", "--json"]).show(), @r#"
    $ rye trust --show --json
    exit code: 0
    --- stdout
    {
      "path": "[SPACE]/project",
      "trusted": false,
      "trusted_at": null,
      "reason": "nobody has decided to trust it",
      "new": null,
      "keys": [
        {
          "id": "[KEY]",
          "owner": "bob",
          "file": "[SPACE]/project/.ai/keys/bob.pem"
        }
      ],
      "unreadable_keys": [
        {
          "file": "[SPACE]/project/.ai/keys/broken.pem",
          "problem": "there is no public key in it: expected PEM, or TOML with `public_key`"
        }
      ],
      "variables": [
        {
          "file": "[SPACE]/project/.ai/.env",
          "names": [
            "LEVEL"
          ]
        },
        {
          "file": "[SPACE]/project/.env",
          "names": [
            "TOKEN"
          ]
        }
      ],
      "interpreters": [
        {
          "folder": ".venv/bin",
          "programs": [
            "python"
          ]
        }
      ],
      "signers": [
        {
          "signer": {
            "state": "nobody"
          },
          "owner": null,
          "items": 1
        }
      ]
    }
    "#);
    assert!(!space.path("home/.ai/trust").exists(), "nothing was decided");
}

#[test]
fn a_trusted_project_is_listed_until_it_is_revoked() {
    let space = project();
    assert_snapshot!(space.rye(["trust", "--list"]).show(), @"
    $ rye trust --list
    exit code: 1
    --- stderr
    note: no project is trusted
    ");
    assert_snapshot!(space.rye(["trust", "--yes"]).show(), @"
    $ rye trust --yes
    exit code: 0
    --- stdout
    project       [SPACE]/project
    trusted       since [TIME]
    key           [KEY] of bob, in .ai/keys/bob.pem
    not a key     .ai/keys/broken.pem: there is no public key in it: expected PEM, or TOML with `public_key`
    variables     .ai/.env: LEVEL
    variables     .env: TOKEN
    interpreters  .venv/bin: python
    items         1 not signed
    ");
    assert_snapshot!(space.rye(["trust"]).show(), @"
    $ rye trust
    exit code: 0
    --- stdout
    project       [SPACE]/project
    trusted       since [TIME]
    key           [KEY] of bob, in .ai/keys/bob.pem
    not a key     .ai/keys/broken.pem: there is no public key in it: expected PEM, or TOML with `public_key`
    variables     .ai/.env: LEVEL
    variables     .env: TOKEN
    interpreters  .venv/bin: python
    items         1 not signed
    ");
    assert_snapshot!(space.rye(["trust", "--list"]).show(), @"
    $ rye trust --list
    exit code: 0
    --- stdout
    [SPACE]/project  trusted since [TIME]  with the key [KEY], the interpreter folder `.venv/bin`, the variables LEVEL, TOKEN
    ");
    assert_snapshot!(space.rye(["trust", "--revoke"]).show(), @"
    $ rye trust --revoke
    exit code: 0
    --- stdout
    `[SPACE]/project` is not trusted any more
    ");
    assert_snapshot!(space.rye(["trust", "--revoke"]).show(), @"
    $ rye trust --revoke
    exit code: 1
    --- stdout
    `[SPACE]/project` was not trusted
    ");
    assert_eq!(space.rye(["trust", "--list"]).output().status.code(), Some(1));
}

#[test]
fn a_project_that_brings_more_is_asked_about_again() {
    let space = project();
    space.run(["trust", "--yes"]);
    space.write("project/.env", "TOKEN=other\nEXTRA=1\n");
    space.write("project/node_modules/.bin/thing", "");
    assert_snapshot!(space.rye(["trust"]).show(), @"
    $ rye trust
    exit code: 3
    --- stdout
    project       [SPACE]/project
    not trusted   since it was trusted on [TIME], it brings the interpreter folder `node_modules/.bin`, the variable EXTRA
    key           [KEY] of bob, in .ai/keys/bob.pem
    not a key     .ai/keys/broken.pem: there is no public key in it: expected PEM, or TOML with `public_key`
    variables     .ai/.env: LEVEL
    variables     .env: EXTRA, TOKEN
    interpreters  .venv/bin: python
    interpreters  node_modules/.bin: thing
    items         1 not signed
    --- stderr
    error: nothing was decided, because there is no terminal to ask at [CONFIRMATION_NEEDED]
    hint: if you trust it, run `rye trust [SPACE]/project --yes`
    ");
    assert_eq!(space.rye(["trust", "--show"]).json()["new"]["variables"], serde_json::json!(["EXTRA"]));
    space.run(["trust", "--yes"]);
    assert_eq!(space.rye(["trust", "--show"]).json()["trusted"], true);
    // Less than was shown needs no new decision.
    space.remove("project/.env");
    assert_eq!(space.rye(["trust", "--show"]).json()["trusted"], true);
}

#[test]
fn a_folder_that_was_moved_or_replaced_is_asked_about_again() {
    let space = project();
    space.run(["trust", "--yes"]);
    std::fs::rename(space.path("project"), space.path("moved")).unwrap();
    assert_eq!(space.rye(["trust", "--show"]).within("moved").json()["trusted"], false);
    space.folder("project/.ai");
    let replaced = space.rye(["trust", "--show"]).json();
    assert_eq!(replaced["trusted"], false);
    let reason = replaced["reason"].as_str().unwrap();
    assert!(reason.starts_with("it is another folder than the one that was trusted on"), "{reason}");
}

#[test]
fn a_folder_that_is_gone_can_be_revoked() {
    let space = project();
    space.run(["trust", "--yes"]);
    std::os::unix::fs::symlink(space.path(""), space.path("elsewhere/link")).unwrap();
    std::fs::remove_dir_all(space.path("project")).unwrap();
    assert_snapshot!(space.rye(["trust", "--list"]).within("elsewhere").show(), @"
    $ rye trust --list
    exit code: 0
    --- stdout
    [SPACE]/project  trusted since [TIME]  with the key [KEY], the interpreter folder `.venv/bin`, the variables LEVEL, TOKEN  the folder is gone
    ");
    let revoked = space.rye(["trust", "--revoke", "link/project"]).within("elsewhere").json();
    assert_eq!(revoked["was_trusted"], true);
}

#[test]
fn a_folder_is_named_as_with_project() {
    let space = project();
    let shown = space.rye(["trust", "../project", "--show"]).within("elsewhere").json();
    assert_eq!(shown["trusted"], false);
    assert_snapshot!(space.rye(["trust", "--yes"]).within("elsewhere").show(), @"
    $ rye trust --yes
    exit code: 3
    --- stderr
    error: `[SPACE]/elsewhere` is not in a project: no folder above it has `.ai` [SPACE_UNUSABLE]
    hint: run `rye init`, or name a project with `--project`
    ");
    assert_snapshot!(space.rye(["trust", "nowhere"]).within("elsewhere").show(), @"
    $ rye trust nowhere
    exit code: 3
    --- stderr
    error: cannot use the project space at `[SPACE]/elsewhere/nowhere`: there is no such folder [SPACE_UNUSABLE]
    hint: run `mkdir -p [SPACE]/elsewhere/nowhere`, or name another folder with `--project`
    ");
}

#[test]
fn search_and_load_say_that_a_project_is_not_trusted() {
    let space = project();
    assert_snapshot!(space.rye(["search", "cat", "--space", "project"]).show(), @"
    $ rye search cat --space project
    exit code: 0
    --- stdout
    tool  text/cat  project  1.0.0  Prints  unsigned
    1 to 1 of 1
    --- stderr
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
    assert_eq!(space.rye(["load", "text/cat"]).json()["signer"]["code"], "PROJECT_UNTRUSTED");
    space.run(["trust", "--yes"]);
    let found = space.rye(["search", "cat", "--space", "project"]).json();
    assert_eq!((&found["total"], found.get("notes")), (&1.into(), None));
    assert_eq!(space.rye(["load", "text/cat"]).json()["signer"]["code"], "UNSIGNED");
}

#[test]
fn a_person_is_asked_on_a_terminal() {
    for (answer, trusted) in [("y\n", true), ("n\n", false), ("\n", false), ("\u{4}", false)] {
        let space = project();
        let shown = space.on_terminal("trust", answer);
        assert!(
            shown.contains("TOKEN") && shown.contains("trust this project with all of that? [y/N]"),
            "{shown}"
        );
        assert_eq!(space.rye(["trust", "--show"]).json()["trusted"], trusted, "{answer:?}: {shown}");
    }
}
