//! `rye verify`, and what to do about each thing that it finds.

use insta::assert_snapshot;
use lillux::keys::SigningKey;

use crate::keys::bob;
use crate::sign::tool;
use crate::space::TestSpace;

#[test]
fn everything_with_every_reason() {
    let space = TestSpace::with_key();
    space.write("project/.ai/tools/my/good.sh", tool("1.0.0"));
    space.write("project/.ai/tools/my/changed.sh", tool("1.0.0"));
    space.write("project/.ai/knowledge/my/style.md", "# Style\n");
    space.run(["sign", "my/**"]);
    space.write("project/.ai/tools/my/unsigned.sh", tool("1.0.0"));
    let signed = space.read("project/.ai/tools/my/changed.sh");
    space.write("project/.ai/tools/my/changed.sh", signed.replace("done", "undone"));
    space.write("project/.ai/tools/my/moved.sh", &signed);
    space.write("project/.ai/tools/my/twice.sh", tool("1.0.0"));
    space.write("project/.ai/tools/my/twice.py", crate::sign::PYTHON);
    space.write("project/.ai/directives/my/review.md", "# Review\n");
    space.write("home/.ai/tools/mine.sh", tool("1.0.0").replace("bash/bash", "bash/none"));
    std::os::unix::fs::symlink("good.sh", space.path("project/.ai/tools/my/link.sh")).unwrap();
    assert_snapshot!(space.rye(["verify", "--all"]).show(), @"
    $ rye verify --all
    exit code: 3
    --- stdout
    project  tool:my/changed      nobody                                                              tool:my/changed (`[SPACE]/project/.ai/tools/my/changed.sh`) is refused: it was changed after it was signed by ada on [TIME]
    project  tool:my/good         ada (key [KEY]) on [TIME]  runs
    project  tool:my/moved        nobody                                                              tool:my/moved (`[SPACE]/project/.ai/tools/my/moved.sh`) is refused: the signature does not fit: the signature was changed, or the file was signed under another id
    project  tool:my/twice        nobody                                                              cannot find tool `my/twice`: several files of the project space answer to that: `[SPACE]/project/.ai/tools/my/twice.py`, `[SPACE]/project/.ai/tools/my/twice.sh`
    project  tool:my/unsigned     nobody                                                              tool:my/unsigned (`[SPACE]/project/.ai/tools/my/unsigned.sh`) is refused: it is not signed
    project  directive:my/review  nobody                                                              directive:my/review (`[SPACE]/project/.ai/directives/my/review.md`) is refused: it is not signed
    project  knowledge:my/style   ada (key [KEY]) on [TIME]  runs
    user     tool:mine            nobody                                                              tool:mine (`[SPACE]/home/.ai/tools/mine.sh`) is refused: it is not signed
                                                                                                      tool:mine (user) is executed by `rye/core/runtimes/bash/none`, which is not in `[SPACE]/home/.ai/tools`, `<bundle>/tools`
    2 would run, 6 would not
    --- stderr
    hint: look at `[SPACE]/project/.ai/tools/my/changed.sh`, and if that is what shall run, run `rye sign my/changed`
    hint: look at `[SPACE]/project/.ai/tools/my/moved.sh`, and if that is what shall run, run `rye sign my/moved`
    hint: run `rye sign my/unsigned`
    hint: run `rye sign my/review --kind directive`
    hint: run `rye sign mine --space user`
    ");
    assert_snapshot!(space.rye(["verify", "my/good"]).show(), @"
    $ rye verify my/good
    exit code: 0
    --- stdout
    project  tool:my/good  ada (key [KEY]) on [TIME]  runs
    1 would run, 0 would not
    ");
    assert_snapshot!(space.rye(["verify", "my/style", "--kind", "knowledge", "--json"]).show(), @r#"
    $ rye verify my/style --kind knowledge --json
    exit code: 0
    --- stdout
    {
      "good": true,
      "items": [
        {
          "kind": "knowledge",
          "id": "my/style",
          "space": "project",
          "signer": {
            "state": "key",
            "key": "[KEY]",
            "owner": "ada",
            "signed_at": "[TIME]"
          },
          "runs": true,
          "issues": []
        }
      ]
    }
    "#);
    assert_snapshot!(space.rye(["verify", "my/unsigned", "--json"]).show(), @r#"
    $ rye verify my/unsigned --json
    exit code: 3
    --- stdout
    {
      "good": false,
      "items": [
        {
          "kind": "tool",
          "id": "my/unsigned",
          "space": "project",
          "signer": null,
          "runs": false,
          "issues": [
            {
              "code": "UNSIGNED",
              "message": "tool:my/unsigned (`[SPACE]/project/.ai/tools/my/unsigned.sh`) is refused: it is not signed",
              "hint": "run `rye sign my/unsigned`"
            }
          ]
        }
      ]
    }
    "#);
    assert_snapshot!(space.rye(["verify", "my/review", "--kind", "directive"]).show(), @"
    $ rye verify my/review --kind directive
    exit code: 3
    --- stdout
    project  directive:my/review  nobody  directive:my/review (`[SPACE]/project/.ai/directives/my/review.md`) is refused: it is not signed
    0 would run, 1 would not
    --- stderr
    hint: run `rye sign my/review --kind directive`
    ");
    assert_eq!(space.rye(["verify"]).output().status.code(), Some(2));
    assert_eq!(space.rye(["verify", "none/*"]).output().status.code(), Some(3));
    let all = space.rye(["verify", "rye/**"]).set("PATH", crate::runtimes::language::path()).json();
    assert_eq!(all["good"], true, "{all}");
}

#[test]
fn keys_that_do_not_count() {
    let space = TestSpace::with_key();
    space.write("project/.ai/tools/say.sh", tool("1.0.0"));
    space.run(["sign", "say"]);
    let own = space.rye(["keys", "show"]).json()["id"].as_str().unwrap().to_owned();
    assert_eq!(space.rye(["verify", "say"]).json()["good"], true);
    space.run(["keys", "revoke", &own, "--reason", "lost", "--yes"]);
    assert_snapshot!(space.rye(["verify", "say"]).show(), @"
    $ rye verify say
    exit code: 3
    --- stdout
    project  tool:say  nobody  tool:say (`[SPACE]/project/.ai/tools/say.sh`) is refused: the key [KEY] was revoked on [TIME]: lost
    0 would run, 1 would not
    --- stderr
    hint: look at `[SPACE]/project/.ai/tools/say.sh`, and if that is what shall run, run `rye sign say`
    ");
    // Somebody else's key counts once the project that ships it is trusted.
    let space = TestSpace::with_key();
    space.write("project/.ai/tools/say.sh", tool("1.0.0"));
    sign_as(&space, &bob());
    assert_snapshot!(space.rye(["verify", "say"]).show(), @"
    $ rye verify say
    exit code: 3
    --- stdout
    project  tool:say  nobody  tool:say (`[SPACE]/project/.ai/tools/say.sh`) is refused: the key [KEY] is not trusted
    0 would run, 1 would not
    --- stderr
    hint: if you know whose key that is, run `rye keys trust FILE` with its public key; or look at `[SPACE]/project/.ai/tools/say.sh`, and run `rye sign say`
    ");
    space.write("project/.ai/keys/bob.pem", bob().public_key().to_pem().unwrap());
    assert_snapshot!(space.rye(["verify", "say"]).show(), @"
    $ rye verify say
    exit code: 3
    --- stdout
    project  tool:say  nobody  tool:say (`[SPACE]/project/.ai/tools/say.sh`) is refused: the project `[SPACE]/project` is not trusted: since it was trusted on [TIME], it brings the key [KEY]
    0 would run, 1 would not
    --- stderr
    hint: run `rye trust [SPACE]/project`, which shows what it brings
    ");
    space.run(["trust", "--yes"]);
    assert_snapshot!(space.rye(["verify", "say"]).show(), @"
    $ rye verify say
    exit code: 0
    --- stdout
    project  tool:say  bob (key [KEY]) on [TIME]  runs
    1 would run, 0 would not
    ");
}

/// Lets somebody else sign everything in the project, on another machine.
fn sign_as(space: &TestSpace, key: &SigningKey) {
    let home = space.path("other").into_os_string();
    let pem = key.to_pem(None).unwrap();
    space.write("bob.key", pem.as_bytes());
    let file = space.path("bob.key").into_os_string();
    for args in [
        vec!["keys".into(), "import".into(), file, "--owner".into(), "bob".into()],
        vec!["trust".into(), "--yes".into()],
        vec!["sign".into(), "**".into()],
    ] {
        let output = space.rye(args).set("HOME", home.clone()).output();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
}

#[test]
fn a_signature_line_that_is_none() {
    let space = TestSpace::with_key();
    let text = tool("1.0.0").replacen('\n', "\n# rye:signed:v1:nonsense\n", 1);
    space.write("project/.ai/tools/say.sh", &text);
    assert_snapshot!(space.rye(["verify", "say"]).show(), @"
    $ rye verify say
    exit code: 3
    --- stdout
    project  tool:say  nobody  tool:say (`[SPACE]/project/.ai/tools/say.sh`) is refused: the signature line has not the exact form of one
    0 would run, 1 would not
    --- stderr
    hint: take that line out of `[SPACE]/project/.ai/tools/say.sh`, look at the rest, and run `rye sign say`
    ");
    assert_snapshot!(space.rye(["sign", "say"]).show(), @"
    $ rye sign say
    exit code: 3
    --- stdout
    refused  project  tool:say  the signature line has not the exact form of one
    0 signed with the key [KEY], 0 unchanged, 1 refused
    ");
    assert_eq!(space.read("project/.ai/tools/say.sh"), text);
}

#[test]
fn keys_that_cannot_be_used() {
    use std::os::unix::fs::PermissionsExt;
    let space = TestSpace::with_key();
    space.write("project/.ai/tools/say.sh", tool("1.0.0"));
    space.run(["sign", "say"]);
    let keys = space.path("home/.ai/keys");
    std::fs::set_permissions(&keys, PermissionsExt::from_mode(0o777)).unwrap();
    assert_snapshot!(space.rye(["verify", "say"]).show(), @r#"
    $ rye verify say
    exit code: 3
    --- stderr
    error: cannot use `[SPACE]/home/.ai/keys`: mode 0777 of its folder lets others in: run `chmod 700 "[SPACE]/home/.ai/keys"` [KEYS_UNUSABLE]
    "#);
    std::fs::set_permissions(&keys, PermissionsExt::from_mode(0o700)).unwrap();
    space.write("home/.ai/keys/trusted/other.toml", "x");
    assert_snapshot!(space.rye(["verify", "say"]).show(), @"
    $ rye verify say
    exit code: 3
    --- stderr
    error: cannot use `[SPACE]/home/.ai/keys/trusted/other.toml`: its name is not a key id with `.toml` [KEYS_UNUSABLE]
    hint: run `rm -r [SPACE]/home/.ai/keys/trusted/other.toml`; until then no key counts
    ");
}

#[test]
fn development_mode_says_that_nobody_answers() {
    let space = TestSpace::with_key();
    space.write("project/.ai/tools/say.sh", tool("1.0.0"));
    assert_snapshot!(space.rye(["verify", "say"]).set("RYE_DEV_MODE", "1").show(), @"
    $ RYE_DEV_MODE=1 rye verify say
    exit code: 0
    --- stdout
    project  tool:say  nobody (development mode)  runs
    1 would run, 0 would not
    ");
}
