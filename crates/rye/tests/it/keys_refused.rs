//! What `rye keys` refuses, and why.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use insta::assert_snapshot;

use crate::keys::{KeySpace, bob};

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_second_signing_key() {
    let space = KeySpace::with_key();
    assert_snapshot!(space.rye(["keys", "generate"]).show(), @"
    $ rye keys generate
    exit code: 3
    --- stderr
    error: there is a signing key already: [KEY] [ALREADY_EXISTS]
    hint: add `--rotate` to keep it aside as `signing-[KEY].pem`
    ");
    assert_snapshot!(space.rye(["keys", "generate", "--json"]).show(), @r#"
    $ rye keys generate --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "ALREADY_EXISTS",
        "message": "there is a signing key already: [KEY]",
        "hint": "add `--rotate` to keep it aside as `signing-[KEY].pem`"
      }
    }
    "#);
    space.write("project/bob.key", bob().to_pem(None).unwrap().as_bytes());
    assert_snapshot!(space.rye(["keys", "import", "bob.key"]).show(), @"
    $ rye keys import bob.key
    exit code: 3
    --- stderr
    error: there is a signing key already: [KEY] [ALREADY_EXISTS]
    hint: add `--rotate` to keep it aside as `signing-[KEY].pem`
    ");
}

#[test]
fn a_key_that_is_not_there() {
    let space = KeySpace::new();
    assert_snapshot!(space.rye(["keys", "show"]).show(), @"
    $ rye keys show
    exit code: 3
    --- stderr
    error: there is no signing key in `[SPACE]/home/.ai/keys` [KEY_NOT_FOUND]
    hint: run `rye keys generate`, or `rye keys import FILE`
    ");
    assert_snapshot!(space.rye(["keys", "export", "--private", "--json"]).show(), @r#"
    $ rye keys export --private --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "KEY_NOT_FOUND",
        "message": "there is no signing key in `[SPACE]/home/.ai/keys`",
        "hint": "run `rye keys generate`, or `rye keys import FILE`"
      }
    }
    "#);
    assert_snapshot!(space.rye(["keys", "show", "0123456789"]).show(), @"
    $ rye keys show 0123456789
    exit code: 3
    --- stderr
    error: there is no key `0123456789` [KEY_NOT_FOUND]
    hint: run `rye keys list`
    ");
    assert_snapshot!(space.rye(["keys", "revoke", "abc"]).show(), @"
    $ rye keys revoke abc
    exit code: 2
    --- stderr
    error: invalid value 'abc' for '<ID>': a key is named by at least 6 of the 32 lower-case hex digits of its id

    For more information, try '--help'.
    ");
    assert_snapshot!(space.rye(["keys", "import", "--from-env"]).show(), @"
    $ rye keys import --from-env
    exit code: 3
    --- stderr
    error: RYE_SIGNING_KEY is not set [KEY_NOT_FOUND]
    hint: set it to the private key in PEM, all lines of it
    ");
    assert_snapshot!(space.rye(["keys", "import", "none.pem"]).show(), @"
    $ rye keys import none.pem
    exit code: 3
    --- stderr
    error: cannot read `none.pem`: No such file or directory (os error 2) [IO]
    hint: see whether it is there, and whether you may read it
    ");
    assert_snapshot!(space.rye(["keys", "list"]).unset("HOME").show(), @"
    $ HOME= rye keys list
    exit code: 3
    --- stderr
    error: there is no user space: neither HOME nor USER_SPACE is set [SPACE_UNUSABLE]
    hint: set HOME or USER_SPACE
    ");
    let id = "0123456789abcdef".repeat(2);
    space.rye(["keys", "revoke", &id]).output();
    assert_snapshot!(space.rye(["keys", "export", &id[..8]]).show(), @"
    $ rye keys export [DIGITS]
    exit code: 3
    --- stderr
    error: the key [KEY] was revoked and never trusted, so its public key is not known [KEY_NOT_FOUND]
    hint: ask its owner for what `rye keys export` prints
    ");
}

#[test]
fn digits_that_several_keys_begin_with() {
    let space = KeySpace::new();
    for last in ["1", "2"] {
        space.rye(["keys", "revoke", &format!("abcdef{}{last}", "0".repeat(25))]).output();
    }
    assert_snapshot!(space.rye(["keys", "show", "abcdef"]).show(), @"
    $ rye keys show abcdef
    exit code: 3
    --- stderr
    error: several keys begin with `abcdef`: [KEY], [KEY] [KEY_AMBIGUOUS]
    hint: type more of its digits
    ");
    assert_snapshot!(space.rye(["keys", "show", "abcdef", "--json"]).show(), @r#"
    $ rye keys show abcdef --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "KEY_AMBIGUOUS",
        "message": "several keys begin with `abcdef`: [KEY], [KEY]",
        "hint": "type more of its digits"
      }
    }
    "#);
}

#[test]
fn a_key_that_nobody_should_trust() {
    let space = KeySpace::with_key();
    space.write("project/private.pem", bob().to_pem(None).unwrap().as_bytes());
    space.write("project/weak.toml", format!("owner = \"eve\"\npublic_key = \"{}=\"\n", "A".repeat(43)));
    space.write("project/note.txt", "ssh-ed25519 AAAA bob\n");
    space.write("project/bob.pem", bob().public_key().to_pem().unwrap());
    assert_snapshot!(space.rye(["keys", "trust", "private.pem", "--owner", "bob"]).show(), @"
    $ rye keys trust private.pem --owner bob
    exit code: 3
    --- stderr
    error: cannot trust `private.pem`: it is a private key [KEY_INVALID]
    hint: whoever has it can sign: ask its owner for what `rye keys export` prints
    ");
    assert_snapshot!(space.rye(["keys", "trust", "weak.toml"]).show(), @"
    $ rye keys trust weak.toml
    exit code: 3
    --- stderr
    error: cannot trust `weak.toml`: not a usable Ed25519 public key: it has small order, so that its signatures prove nothing [KEY_INVALID]
    hint: ask its owner for what `rye keys export --toml` prints
    ");
    assert_snapshot!(space.rye(["keys", "trust", "note.txt"]).show(), @"
    $ rye keys trust note.txt
    exit code: 3
    --- stderr
    error: cannot trust `note.txt`: there is no public key in it: expected PEM, or TOML with `public_key` [KEY_INVALID]
    hint: ask its owner for what `rye keys export --toml` prints
    ");
    assert_snapshot!(space.rye(["keys", "trust", "bob.pem"]).show(), @"
    $ rye keys trust bob.pem
    exit code: 3
    --- stderr
    error: `bob.pem` does not say whose key it is [PARAMS_INVALID]
    hint: add `--owner NAME`
    ");
    assert_snapshot!(space.rye(["keys", "trust", "bob.pem", "--owner", " "]).show(), @"
    $ rye keys trust bob.pem --owner ' '
    exit code: 3
    --- stderr
    error: the owner cannot be written down: it is empty [PARAMS_INVALID]
    hint: say it in one line that is not empty
    ");
    assert_snapshot!(space.rye(["keys", "import", "bob.pem"]).show(), @"
    $ rye keys import bob.pem
    exit code: 3
    --- stderr
    error: cannot import `bob.pem`: not a usable Ed25519 private key: its PEM block is a `PUBLIC KEY`, not a `PRIVATE KEY` [KEY_INVALID]
    hint: to let a public key count, use `rye keys trust FILE`
    ");
    assert_eq!(space.rye(["keys", "list"]).json()["keys"].as_array().unwrap().len(), 1);
}

#[test]
fn a_key_under_another_name_and_a_revoked_one() {
    let space = KeySpace::with_key();
    space.write("project/bob.pem", bob().public_key().to_pem().unwrap());
    space.rye(["keys", "trust", "bob.pem", "--owner", "bob"]).output();
    assert_snapshot!(space.rye(["keys", "trust", "bob.pem", "--owner", "eve"]).show(), @"
    $ rye keys trust bob.pem --owner eve
    exit code: 3
    --- stderr
    error: the key [KEY] is trusted already, as that of `bob` [ALREADY_EXISTS]
    hint: to give it another owner, run `rm [SPACE]/home/.ai/keys/trusted/[KEY].toml` first
    ");
    let id = bob().public_key().id().to_string();
    space.rye(["keys", "revoke", &id, "--reason", "lost"]).output();
    assert_snapshot!(space.rye(["keys", "trust", "bob.pem", "--owner", "bob"]).show(), @"
    $ rye keys trust bob.pem --owner bob
    exit code: 3
    --- stderr
    error: the key [KEY] was revoked on [TIME]: lost [KEY_REVOKED]
    hint: a revocation is for good: another key is needed
    ");
    assert_snapshot!(space.rye(["keys", "trust", "bob.pem", "--owner", "bob", "--json"]).show(), @r#"
    $ rye keys trust bob.pem --owner bob --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "KEY_REVOKED",
        "message": "the key [KEY] was revoked on [TIME]: lost",
        "hint": "a revocation is for good: another key is needed"
      }
    }
    "#);
}

#[test]
fn to_revoke_the_signing_key_by_accident() {
    let space = KeySpace::with_key();
    let id = space.own_id();
    assert_snapshot!(space.rye(["keys", "revoke", &id[..8]]).show(), @"
    $ rye keys revoke [DIGITS]
    exit code: 3
    --- stderr
    error: [KEY] is the signing key: nothing that it has signed would count any more [CONFIRMATION_NEEDED]
    hint: add `--yes` if that is what you want
    ");
    assert_eq!(space.rye(["keys", "show"]).json()["status"], "trusted");
}

#[test]
fn files_that_are_not_as_they_should_be() {
    let space = KeySpace::with_key();
    let file = space.path(format!("home/.ai/keys/trusted/{}.toml", space.own_id()));
    chmod(&file, 0o644);
    assert_snapshot!(space.rye(["keys", "list"]).show(), @r#"
    $ rye keys list
    exit code: 3
    --- stderr
    error: cannot use `[SPACE]/home/.ai/keys/trusted/[KEY].toml`: its mode 0644 lets others in: run `chmod 600 "[SPACE]/home/.ai/keys/trusted/[KEY].toml"` [KEYS_UNUSABLE]
    "#);
    chmod(&file, 0o600);
    let misnamed = space.path(format!("home/.ai/keys/trusted/{}.toml", "0".repeat(32)));
    std::fs::rename(&file, &misnamed).unwrap();
    assert_snapshot!(space.rye(["keys", "list", "--json"]).show(), @r#"
    $ rye keys list --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "KEYS_UNUSABLE",
        "message": "cannot use `[SPACE]/home/.ai/keys/trusted/[KEY].toml`: its name is not that of the key in it",
        "hint": "run `mv [SPACE]/home/.ai/keys/trusted/[KEY].toml [SPACE]/home/.ai/keys/trusted/[KEY].toml`; until then no key counts"
      }
    }
    "#);
    std::fs::rename(&misnamed, &file).unwrap();
    let list = space.write("home/.ai/keys/revoked.toml", "");
    chmod(&list, 0o600);
    assert_snapshot!(space.rye(["keys", "list"]).show(), @"
    $ rye keys list
    exit code: 3
    --- stderr
    error: cannot use `[SPACE]/home/.ai/keys/revoked.toml`: line 1: missing field `revoked` [KEYS_UNUSABLE]
    hint: put the file right, or restore it from a backup
    ");
}
