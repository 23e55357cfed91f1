//! Secrets whose key is in the keyring of a desktop: a real one, and programs that only pretend to speak to it.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};

use insta::internals::SettingsBindDropGuard;
use lillux::envelope::EnvelopeIdentity;

use crate::desktop::Desktop;
use crate::space::{Call, TestSpace};
use crate::workshop::Workshop;

const VALUE: &str = "hunter2-hunter2-hunter2";
const PASSWORD: &str = "correct horse";
const KEY_FILE: &str = "home/.ai/secrets/identity";

/// A project with a tool that tells how long its secret is.
fn workshop() -> Workshop {
    let shop = Workshop::new();
    shop.shell_tool("my/count", "# secrets: API_TOKEN\n", "echo \"${#API_TOKEN} bytes\"");
    shop
}

fn count(space: &TestSpace) -> Call<'_> {
    space.rye(["execute", "my/count"])
}

fn assert_counts(call: Call<'_>) {
    let output = call.output();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "23 bytes\n", "{output:?}");
}

fn set<'space>(space: &'space TestSpace, name: &str) -> Call<'space> {
    let file = space.write(&format!("elsewhere/{name}"), VALUE);
    space.rye(["secret", "set", name, "--from-file", file.to_str().unwrap()])
}

fn move_to<'space>(space: &'space TestSpace, place: &str) -> Call<'space> {
    space.rye(["secret", "key", "--move", place])
}

fn errors(call: Call<'_>) -> String {
    let output = call.output();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// What the keyring has for the public half of the key.
fn kept(space: &TestSpace, desktop: &Desktop) -> String {
    let recipient = space.rye(["secret", "key"]).json()["recipient"].as_str().unwrap().to_owned();
    let found = desktop.secret_tool(["lookup", "application", "rye", "recipient", &recipient]);
    String::from_utf8(found.stdout.bytes).unwrap()
}

#[test]
fn a_key_is_made_in_the_keyring_and_moves_when_asked() {
    let shop = workshop();
    let space = &shop.space;
    let desktop = Desktop::start(space, PASSWORD);
    desktop.with(set(space, "API_TOKEN")).show();
    insta::assert_snapshot!(space.rye(["secret", "list"]).show(), @"
    $ rye secret list
    exit code: 0
    --- stdout
    API_TOKEN
    ");
    insta::assert_snapshot!(space.rye(["secret", "key"]).show(), @"
    $ rye secret key
    exit code: 0
    --- stdout
    the key is in the keyring of the desktop, as `[RECIPIENT]`
    ");
    insta::assert_snapshot!(space.rye(["secret", "key", "--json"]).show(), @r#"
    $ rye secret key --json
    exit code: 0
    --- stdout
    {
      "place": "keyring",
      "file": "[SPACE]/home/.ai/secrets/identity",
      "recipient": "[RECIPIENT]"
    }
    "#);
    insta::assert_snapshot!(space.read(KEY_FILE), @"
    # The keyring of the desktop has this key; see `rye secret key`.
    in keyring: [RECIPIENT]
    ");
    assert!(kept(space, &desktop).starts_with("AGE-SECRET-KEY-1"));
    assert_counts(desktop.with(count(space)));

    // Without the session nothing works that needs the key, and nothing is lost.
    insta::assert_snapshot!(count(space).show(), @"
    $ rye execute my/count
    exit code: 3
    --- stderr
    error: cannot use the key of the secrets: `[SPACE]/home/.ai/secrets/identity` says that the keyring of the desktop has it, as `[RECIPIENT]`, but it cannot be had from there: there is no desktop session here: DBUS_SESSION_BUS_ADDRESS is not set [SECRET_UNUSABLE]
    hint: run it in the desktop session, or run `rye secret key --move file` there to do without the keyring
    ");
    insta::assert_snapshot!(set(space, "OTHER").show(), @"
    $ rye secret set OTHER --from-file [SPACE]/elsewhere/OTHER
    exit code: 3
    --- stderr
    error: cannot use the key of the secrets: `[SPACE]/home/.ai/secrets/identity` says that the keyring of the desktop has it, as `[RECIPIENT]`, but it cannot be had from there: there is no desktop session here: DBUS_SESSION_BUS_ADDRESS is not set [SECRET_UNUSABLE]
    hint: run it in the desktop session, or run `rye secret key --move file` there to do without the keyring
    ");
    insta::assert_snapshot!(move_to(space, "file").show(), @"
    $ rye secret key --move file
    exit code: 3
    --- stderr
    error: cannot use the key of the secrets: `[SPACE]/home/.ai/secrets/identity` says that the keyring of the desktop has it, as `[RECIPIENT]`, but it cannot be had from there: there is no desktop session here: DBUS_SESSION_BUS_ADDRESS is not set [SECRET_UNUSABLE]
    hint: run it in the desktop session, or run `rye secret key --move file` there to do without the keyring
    ");
    insta::assert_snapshot!(desktop.with(count(space)).set("PATH", "/nowhere").show(), @"
    $ DBUS_SESSION_BUS_ADDRESS=unix:path=[SPACE]/session/bus XDG_RUNTIME_DIR=[SPACE]/session PATH=/nowhere rye execute my/count
    exit code: 3
    --- stderr
    error: cannot use the key of the secrets: `[SPACE]/home/.ai/secrets/identity` says that the keyring of the desktop has it, as `[RECIPIENT]`, but it cannot be had from there: `secret-tool`, which speaks to it, is missing: cannot run `secret-tool`: no such program in `/nowhere/secret-tool` [SECRET_UNUSABLE]
    hint: install it: the package is called `libsecret-tools` or `libsecret`
    ");
    assert_eq!(space.rye(["secret", "list"]).json()["secrets"], serde_json::json!(["API_TOKEN"]));

    insta::assert_snapshot!(desktop.with(move_to(space, "file")).show(), @"
    $ DBUS_SESSION_BUS_ADDRESS=unix:path=[SPACE]/session/bus XDG_RUNTIME_DIR=[SPACE]/session rye secret key --move file
    exit code: 0
    --- stdout
    the key is now in `[SPACE]/home/.ai/secrets/identity`
    ");
    assert_eq!(kept(space, &desktop), "");
    assert!(space.read(KEY_FILE).contains("AGE-SECRET-KEY-1"));
    assert_counts(count(space));
    insta::assert_snapshot!(move_to(space, "file").show(), @"
    $ rye secret key --move file
    exit code: 0
    --- stdout
    the key is already in `[SPACE]/home/.ai/secrets/identity`
    ");
    insta::assert_snapshot!(move_to(space, "keyring").show(), @"
    $ rye secret key --move keyring
    exit code: 3
    --- stderr
    error: cannot use the key of the secrets: it stays in its file, because the keyring of the desktop does not keep it: there is no desktop session here: DBUS_SESSION_BUS_ADDRESS is not set [SECRET_UNUSABLE]
    hint: run it in the desktop session
    ");
    assert_counts(count(space));

    insta::assert_snapshot!(desktop.with(move_to(space, "keyring")).show(), @"
    $ DBUS_SESSION_BUS_ADDRESS=unix:path=[SPACE]/session/bus XDG_RUNTIME_DIR=[SPACE]/session rye secret key --move keyring
    exit code: 0
    --- stdout
    the key is now in the keyring of the desktop, as `[RECIPIENT]`
    ");
    assert!(!space.read(KEY_FILE).contains("AGE-SECRET-KEY-1"));
    assert_counts(desktop.with(count(space)));
    let files = std::fs::read_dir(space.path("home/.ai/secrets")).unwrap().count();
    assert_eq!(files, 2, "the secret, and what tells where the key is");
}

#[test]
fn a_key_is_there_in_the_next_session_when_the_keyring_is_unlocked() {
    let shop = workshop();
    let space = &shop.space;
    let _filter = hide_reasons();
    let desktop = Desktop::start(space, PASSWORD);
    desktop.with(set(space, "API_TOKEN")).show();
    drop(desktop);
    let dead = format!("unix:path={}", space.path("session/bus").display());
    insta::assert_snapshot!(count(space).set("DBUS_SESSION_BUS_ADDRESS", dead).show(), @"
    $ DBUS_SESSION_BUS_ADDRESS=unix:path=[SPACE]/session/bus rye execute my/count
    exit code: 3
    --- stderr
    error: cannot use the key of the secrets: `[SPACE]/home/.ai/secrets/identity` says that the keyring of the desktop has it, as `[RECIPIENT]`, but it cannot be had from there: `secret-tool lookup` failed: [WHY] [SECRET_UNUSABLE]
    hint: check that the keyring of the desktop runs and is unlocked
    ");

    let locked = Desktop::start(space, "another password");
    insta::assert_snapshot!(locked.with(count(space)).show(), @"
    $ DBUS_SESSION_BUS_ADDRESS=unix:path=[SPACE]/session/bus XDG_RUNTIME_DIR=[SPACE]/session rye execute my/count
    exit code: 3
    --- stderr
    error: cannot use the key of the secrets: `[SPACE]/home/.ai/secrets/identity` says that the keyring of the desktop has it, as `[RECIPIENT]`, but it cannot be had from there: it has no such key, or is locked [SECRET_UNUSABLE]
    hint: unlock the keyring; if the key is gone, remove all secrets and `[SPACE]/home/.ai/secrets/identity`, and set them again
    ");
    insta::assert_snapshot!(locked.with(set(space, "OTHER")).show(), @"
    $ DBUS_SESSION_BUS_ADDRESS=unix:path=[SPACE]/session/bus XDG_RUNTIME_DIR=[SPACE]/session rye secret set OTHER --from-file [SPACE]/elsewhere/OTHER
    exit code: 3
    --- stderr
    error: cannot use the key of the secrets: `[SPACE]/home/.ai/secrets/identity` says that the keyring of the desktop has it, as `[RECIPIENT]`, but it cannot be had from there: it has no such key, or is locked [SECRET_UNUSABLE]
    hint: unlock the keyring; if the key is gone, remove all secrets and `[SPACE]/home/.ai/secrets/identity`, and set them again
    ");
    drop(locked);

    let desktop = Desktop::start(space, PASSWORD);
    assert_counts(desktop.with(count(space)));
    // Somebody forgets the key for good, and does what the hint says.
    desktop.secret_tool(["clear", "application", "rye"]);
    insta::assert_snapshot!(desktop.with(count(space)).show(), @"
    $ DBUS_SESSION_BUS_ADDRESS=unix:path=[SPACE]/session/bus XDG_RUNTIME_DIR=[SPACE]/session rye execute my/count
    exit code: 3
    --- stderr
    error: cannot use the key of the secrets: `[SPACE]/home/.ai/secrets/identity` says that the keyring of the desktop has it, as `[RECIPIENT]`, but it cannot be had from there: it has no such key, or is locked [SECRET_UNUSABLE]
    hint: unlock the keyring; if the key is gone, remove all secrets and `[SPACE]/home/.ai/secrets/identity`, and set them again
    ");
    space.run(["secret", "remove", "API_TOKEN"]);
    space.remove(KEY_FILE);
    desktop.with(set(space, "API_TOKEN")).show();
    assert_counts(desktop.with(count(space)));
}

/// Leaves out why a program failed, which differs from version to version.
fn hide_reasons() -> SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"(`secret-tool \w+` failed): [^\[\n]+", "$1: [WHY] ");
    settings.bind_to_scope()
}

#[test]
fn a_keyring_that_is_locked_gets_no_key() {
    let shop = workshop();
    let space = &shop.space;
    let _filter = hide_reasons();
    drop(Desktop::start(space, PASSWORD));
    let locked = Desktop::start(space, "another password");
    insta::assert_snapshot!(locked.with(set(space, "API_TOKEN")).show(), @"
    $ DBUS_SESSION_BUS_ADDRESS=unix:path=[SPACE]/session/bus XDG_RUNTIME_DIR=[SPACE]/session rye secret set API_TOKEN --from-file [SPACE]/elsewhere/API_TOKEN
    exit code: 0
    --- stdout
    secret API_TOKEN is set
    --- stderr
    warning: the key is in `[SPACE]/home/.ai/secrets/identity`, because the keyring of the desktop does not keep it: `secret-tool store` failed: [WHY]
    ");
    assert_counts(count(space));
}

#[test]
fn a_key_that_is_in_a_file_stays_there() {
    let shop = workshop();
    let space = &shop.space;
    set(space, "API_TOKEN").show();
    let before = space.read(KEY_FILE);
    let desktop = Desktop::start(space, PASSWORD);
    desktop.with(set(space, "OTHER")).show();
    assert_counts(desktop.with(count(space)));
    assert_eq!(space.read(KEY_FILE), before);
    assert_eq!(kept(space, &desktop), "");
}

#[test]
fn processes_that_set_at_once_make_one_key() {
    let space = TestSpace::new();
    let desktop = Desktop::start(&space, PASSWORD);
    let start = |name: &str| -> Child {
        let call = desktop.with(set(&space, name));
        call.command().stdout(Stdio::null()).spawn().unwrap()
    };
    for mut child in ["A", "B", "C", "D"].map(start) {
        assert!(child.wait().unwrap().success());
    }
    assert!(kept(&space, &desktop).starts_with("AGE-SECRET-KEY-1"));
    let found = desktop.secret_tool(["search", "--all", "application", "rye"]);
    let text = String::from_utf8([found.stdout.bytes, found.stderr.bytes].concat()).unwrap();
    assert_eq!(text.matches("attribute.recipient").count(), 1, "{text}");
}

/// The search path with a program first on it that pretends to be the one which speaks to the keyring.
fn pretender(space: &TestSpace, script: &str) -> String {
    let path = space.write("pretender/secret-tool", format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:/usr/bin:/bin", path.parent().unwrap().display())
}

/// A command that prints a key, which is not the one that is asked for.
fn another_key(space: &TestSpace) -> String {
    let path = space.path("another/key");
    if !path.exists() {
        EnvelopeIdentity::generate().create_file(&path).unwrap();
    }
    format!("tail -n 1 {}", path.display())
}

#[test]
fn a_program_that_pretends_to_speak_to_the_keyring_loses_nothing() {
    let shop = workshop();
    let space = &shop.space;
    let desktop = Desktop::start(space, PASSWORD);
    desktop.with(set(space, "API_TOKEN")).show();
    let record = space.read(KEY_FILE);
    let key = kept(space, &desktop);
    let mut told = String::new();
    for script in [
        "echo garbage",
        "printf '\\377\\376'",
        "true",
        "exit 1",
        "echo 'secret-tool: no\u{1b}[31m service' >&2; exit 1",
        "cat >&2; echo 'age-secret-key-1abc' >&2; exit 2",
        "kill -9 $$",
        &another_key(space),
        "yes",
    ] {
        let path = pretender(space, script);
        let with = |call| desktop.with(call).set("PATH", &path);
        let texts =
            [count(space), set(space, "OTHER"), move_to(space, "file")].map(|call| errors(with(call)));
        let why = texts.map(|text| {
            assert!(text.contains("the keyring of the desktop has it, as `age1"), "{text}");
            assert!(!text.to_uppercase().contains("AGE-SECRET-KEY-1"), "{text}");
            text.split_once("from there: ").unwrap().1.lines().next().unwrap().to_owned()
        });
        assert!(why.iter().all(|other| *other == why[0]), "{why:?}");
        writeln!(told, "{script:?}: {}", why[0]).unwrap();
        assert_eq!((space.read(KEY_FILE), kept(space, &desktop)), (record.clone(), key.clone()), "{script}");
    }
    insta::assert_snapshot!(told, @r#"
    "echo garbage": what `secret-tool` gives is not this key [SECRET_UNUSABLE]
    "printf '\\377\\376'": what `secret-tool` gives is not this key [SECRET_UNUSABLE]
    "true": what `secret-tool` gives is not this key [SECRET_UNUSABLE]
    "exit 1": it has no such key, or is locked [SECRET_UNUSABLE]
    "echo 'secret-tool: no\u{1b}[31m service' >&2; exit 1": `secret-tool lookup` failed: no[31m service [SECRET_UNUSABLE]
    "cat >&2; echo 'age-secret-key-1abc' >&2; exit 2": `secret-tool lookup` failed: what it says has a key in it [SECRET_UNUSABLE]
    "kill -9 $$": `secret-tool lookup` failed: it does not say why [SECRET_UNUSABLE]
    "tail -n 1 [SPACE]/another/key": what `secret-tool` gives is not this key [SECRET_UNUSABLE]
    "yes": `secret-tool lookup` failed: it writes too much [SECRET_UNUSABLE]
    "#);
    assert_counts(desktop.with(count(space)));
}

#[test]
fn a_key_leaves_its_file_only_for_a_keyring_that_gives_it_back() {
    let shop = workshop();
    let space = &shop.space;
    set(space, "API_TOKEN").show();
    let file = space.read(KEY_FILE);
    for script in ["true", "cat", "exit 1", &another_key(space)] {
        let path = pretender(space, script);
        let call = move_to(space, "keyring").set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
        let text = errors(call.set("PATH", path));
        assert!(text.contains("it stays in its file"), "{text}");
        assert_eq!(space.read(KEY_FILE), file, "{script}");
    }
    assert_counts(count(space));
}

#[test]
fn a_key_that_the_keyring_does_not_forget_is_told_of() {
    let shop = workshop();
    let space = &shop.space;
    let desktop = Desktop::start(space, PASSWORD);
    desktop.with(set(space, "API_TOKEN")).show();
    let path = pretender(
        space,
        r#"[ "$1" = clear ] && { echo "not today" >&2; exit 1; }; exec /usr/bin/secret-tool "$@""#,
    );
    insta::assert_snapshot!(desktop.with(move_to(space, "file")).set("PATH", path).show(), @"
    $ DBUS_SESSION_BUS_ADDRESS=unix:path=[SPACE]/session/bus XDG_RUNTIME_DIR=[SPACE]/session PATH=[SPACE]/pretender:/usr/bin:/bin rye secret key --move file
    exit code: 0
    --- stdout
    the key is now in `[SPACE]/home/.ai/secrets/identity`
    --- stderr
    warning: the keyring of the desktop has a copy still: `secret-tool clear` failed: not today
    ");
    assert_counts(count(space));
}

#[test]
fn a_key_is_made_in_a_file_where_the_keyring_does_not_keep_it() {
    let shop = workshop();
    let space = &shop.space;
    let path = pretender(space, "echo 'secret-tool: no service' >&2; exit 1");
    let call =
        set(space, "API_TOKEN").set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere").set("PATH", path);
    insta::assert_snapshot!(call.show(), @"
    $ DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere PATH=[SPACE]/pretender:/usr/bin:/bin rye secret set API_TOKEN --from-file [SPACE]/elsewhere/API_TOKEN
    exit code: 0
    --- stdout
    secret API_TOKEN is set
    --- stderr
    warning: the key is in `[SPACE]/home/.ai/secrets/identity`, because the keyring of the desktop does not keep it: `secret-tool store` failed: no service
    ");
    assert_counts(count(space));
}

#[test]
fn no_key_is_made_where_secrets_wait_for_theirs() {
    let space = TestSpace::new();
    insta::assert_snapshot!(space.rye(["secret", "key"]).show(), @"
    $ rye secret key
    exit code: 1
    --- stderr
    note: there is no key yet: it is made with the first secret
    ");
    insta::assert_snapshot!(move_to(&space, "keyring").show(), @"
    $ rye secret key --move keyring
    exit code: 3
    --- stderr
    error: cannot use the key of the secrets: there is none yet in `[SPACE]/home/.ai/secrets/identity`: it is made with the first secret [SECRET_UNUSABLE]
    hint: set a secret first
    ");
    set(&space, "API_TOKEN").show();
    insta::assert_snapshot!(space.rye(["secret", "key"]).show(), @"
    $ rye secret key
    exit code: 0
    --- stdout
    the key is in `[SPACE]/home/.ai/secrets/identity`
    ");
    space.remove(KEY_FILE);
    insta::assert_snapshot!(set(&space, "OTHER").show(), @"
    $ rye secret set OTHER --from-file [SPACE]/elsewhere/OTHER
    exit code: 3
    --- stderr
    error: cannot use the key of the secrets: there are secrets, but `[SPACE]/home/.ai/secrets/identity`, which has their key or tells where it is, is missing [SECRET_UNUSABLE]
    hint: put it back from a copy; if there is none, remove all secrets with `rye secret remove` and set them again
    ");
    space.run(["secret", "remove", "API_TOKEN"]);
    set(&space, "OTHER").show();
    assert!(space.path(KEY_FILE).exists());
}
