use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use crate::space::{LILLUX, TestSpace};

/// A space with two identities, and the recipient of the first.
fn space_with_identities() -> (TestSpace, String) {
    let space = TestSpace::new();
    let generate = |out| space.lillux(["keypair", "generate", "--kind", "envelope", "--out", out]).json();
    generate("other");
    let recipient = generate("id")["recipient"].as_str().unwrap().to_owned();
    (space, recipient)
}

#[test]
fn what_is_sealed_is_opened_by_each_recipient() {
    let (space, recipient) = space_with_identities();
    let other = std::fs::read_to_string(space.path("other.pub")).unwrap();
    let secret: Vec<u8> = (0..=255).collect();
    for form in [&["--binary"][..], &[]] {
        let to = ["envelope", "seal", "--to", &recipient, "--to", other.trim()];
        let sealed = space.lillux([&to, form].concat()).stdin(secret.clone()).output();
        assert_eq!(sealed.stdout.starts_with(b"-----BEGIN AGE ENCRYPTED FILE-----"), form.is_empty());
        for identity in ["id", "other"] {
            let open = ["envelope", "open", "--identity", identity];
            let opened = space.lillux(open).stdin(sealed.stdout.clone()).output();
            assert_eq!((opened.status.code(), &opened.stdout), (Some(0), &secret), "{opened:?}");
        }
    }
}

#[test]
fn envelopes_and_secrets_go_to_files() {
    let (space, recipient) = space_with_identities();
    space.write("plain", "hello");
    assert_snapshot!(space.lillux(["envelope", "open", "--identity", "id", "missing"]).show(), @r#"
    $ lillux envelope open --identity id missing
    exit code: 3
    --- stderr
    {"code":"FILE_NOT_FOUND","message":"cannot read `missing`: No such file or directory (os error 2)"}
    "#);
    let seal = ["envelope", "seal", "--to", &recipient, "--output", "sealed", "plain"];
    assert_eq!(space.lillux(seal).json()["output"], "sealed");
    space.write("opened", "before");
    let open = ["envelope", "open", "--identity", "id", "--output", "opened", "sealed"];
    assert_snapshot!(space.lillux(open).show(), @r#"
    $ lillux envelope open --identity id --output opened sealed
    exit code: 0
    --- stdout
    {"output":"opened","size":5}
    "#);
    assert_eq!(std::fs::read_to_string(space.path("opened")).unwrap(), "hello");
    assert_eq!(space.path("opened").metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let nowhere = ["envelope", "open", "--identity", "id", "--output", "missing/opened", "sealed"];
    assert_snapshot!(space.lillux(nowhere).show(), @r#"
    $ lillux envelope open --identity id --output missing/opened sealed
    exit code: 3
    --- stderr
    {"code":"OUTPUT_NOT_WRITABLE","message":"cannot write `missing/opened`: No such file or directory (os error 2)"}
    "#);
}

#[test]
fn an_environment_comes_back_as_an_object() {
    let (space, recipient) = space_with_identities();
    space.write("env.json", r#"{ "TOKEN": "hunter2", "EMPTY": "" }"#);
    space
        .lillux(["envelope", "seal", "--to", &recipient, "--env-file", "env.json", "--output", "sealed"])
        .json();
    assert_snapshot!(space.lillux(["envelope", "open", "--identity", "id", "--env", "sealed"]).show(), @r#"
    $ lillux envelope open --identity id --env sealed
    exit code: 0
    --- stdout
    {"EMPTY":"","TOKEN":"hunter2"}
    "#);
    space.lillux(["envelope", "seal", "--to", &recipient, "--output", "text"]).stdin("hello").json();
    let show = space.lillux(["envelope", "open", "--identity", "id", "--env", "text"]).show();
    assert_snapshot!(show.replace(&recipient, "[RECIPIENT]"), @r#"
    $ lillux envelope open --identity id --env text
    exit code: 3
    --- stderr
    {"code":"NOT_AN_ENVIRONMENT","message":"cannot open the envelope as `[RECIPIENT]`: what it holds is not an environment: it is not a JSON object"}
    "#);
}

#[test]
fn what_is_not_an_environment_is_not_sealed_as_one() {
    let (space, recipient) = space_with_identities();
    let seal = |file: &str| {
        let show = space.lillux(["envelope", "seal", "--to", &recipient, "--env-file", file]).show();
        show.replace(&recipient, "[RECIPIENT]")
    };
    space.write("number.json", r#"{"PORT": 4711}"#);
    space.write("twice.json", r#"{"A": "1", "A": "2"}"#);
    space.write("name.json", r#"{"A=B": "1"}"#);
    space.write("list.json", "[]");
    assert_snapshot!(seal("number.json"), @r#"
    $ lillux envelope seal --to [RECIPIENT] --env-file number.json
    exit code: 3
    --- stderr
    {"code":"NOT_AN_ENVIRONMENT","message":"`number.json` is not an environment: the value of `PORT` is not a string at line 1 column 14"}
    "#);
    assert_snapshot!(seal("twice.json"), @r#"
    $ lillux envelope seal --to [RECIPIENT] --env-file twice.json
    exit code: 3
    --- stderr
    {"code":"NOT_AN_ENVIRONMENT","message":"`twice.json` is not an environment: `A` comes twice at line 1 column 20"}
    "#);
    assert_snapshot!(seal("name.json"), @r#"
    $ lillux envelope seal --to [RECIPIENT] --env-file name.json
    exit code: 3
    --- stderr
    {"code":"NOT_AN_ENVIRONMENT","message":"`name.json` is not an environment: `A=B` cannot be the name of a variable at line 1 column 12"}
    "#);
    assert_snapshot!(seal("list.json"), @r#"
    $ lillux envelope seal --to [RECIPIENT] --env-file list.json
    exit code: 3
    --- stderr
    {"code":"NOT_AN_ENVIRONMENT","message":"`list.json` is not an environment: it is not a JSON object"}
    "#);
    assert_snapshot!(seal("missing.json"), @r#"
    $ lillux envelope seal --to [RECIPIENT] --env-file missing.json
    exit code: 3
    --- stderr
    {"code":"FILE_NOT_FOUND","message":"cannot read `missing.json`: No such file or directory (os error 2)"}
    "#);
}

#[test]
fn somebody_elses_envelope_stays_closed() {
    let (space, recipient) = space_with_identities();
    let sealed = space.lillux(["envelope", "seal", "--to", &recipient]).stdin("hello").output().stdout;
    let other = std::fs::read_to_string(space.path("other.pub")).unwrap();
    let open = |bytes: &[u8], identity: &str| {
        let show = space.lillux(["envelope", "open", "--identity", identity]).stdin(bytes).show();
        show.replace(&recipient, "[RECIPIENT]").replace(other.trim(), "[OTHER]")
    };
    assert_snapshot!(open(&sealed, "other"), @r#"
    $ lillux envelope open --identity other
    exit code: 3
    --- stderr
    {"code":"WRONG_IDENTITY","message":"cannot open the envelope as `[OTHER]`: it was sealed for somebody else"}
    "#);
    assert_snapshot!(open(&sealed[..sealed.len() - 60], "id"), @r#"
    $ lillux envelope open --identity id
    exit code: 3
    --- stderr
    {"code":"ENVELOPE_INVALID","message":"cannot open the envelope as `[RECIPIENT]`: it is damaged or cut off: invalid armor (last line is missing padding)"}
    "#);
    assert_snapshot!(open(b"hello", "id"), @r#"
    $ lillux envelope open --identity id
    exit code: 3
    --- stderr
    {"code":"ENVELOPE_INVALID","message":"cannot open the envelope as `[RECIPIENT]`: it is not an envelope"}
    "#);
}

#[test]
fn an_identity_must_be_private_and_whole() {
    let (space, _) = space_with_identities();
    let open = |identity: &str| space.lillux(["envelope", "open", "--identity", identity]).show();
    assert_snapshot!(open("missing"), @r#"
    $ lillux envelope open --identity missing
    exit code: 3
    --- stderr
    {"code":"FILE_NOT_FOUND","message":"cannot load identity file `missing`: there is no such file"}
    "#);
    space.write("empty", "# nothing\n");
    space.chmod("empty", 0o600);
    assert_snapshot!(open("empty"), @r#"
    $ lillux envelope open --identity empty
    exit code: 3
    --- stderr
    {"code":"KEY_INVALID","message":"cannot load identity file `empty`: there is no identity in it"}
    "#);
    std::fs::create_dir(space.path("folder")).unwrap();
    assert_snapshot!(open("folder"), @r#"
    $ lillux envelope open --identity folder
    exit code: 3
    --- stderr
    {"code":"KEY_INVALID","message":"cannot load identity file `folder`: it is not a regular file"}
    "#);
    space.chmod("id", 0o640);
    assert_snapshot!(open("id"), @r#"
    $ lillux envelope open --identity id
    exit code: 3
    --- stderr
    {"code":"KEY_PERMISSIONS","message":"cannot load identity file `id`: its mode 0640 lets others in: run `chmod 600 \"./id\"`"}
    "#);
}

#[test]
fn a_wrong_recipient_is_a_wrong_command_line() {
    let (space, recipient) = space_with_identities();
    assert_snapshot!(space.lillux(["envelope", "seal", "--to", "age1xyz"]).show(), @r#"
    $ lillux envelope seal --to age1xyz
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"`age1xyz` is not an X25519 recipient (`age1…`): invalid Bech32 encoding"}
    "#);
    assert_snapshot!(space.lillux(["envelope", "seal", "--to", "AGE-SECRET-KEY-1XYZ"]).show(), @r#"
    $ lillux envelope seal --to AGE-SECRET-KEY-1XYZ
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"`AGE-SECRET-KEY-…` is not an X25519 recipient (`age1…`): it is the secret half"}
    "#);
    let many = (0..501).flat_map(|_| ["--to", &recipient]);
    let output = space.lillux(["envelope", "seal"].into_iter().chain(many)).output();
    assert_eq!(output.status.code(), Some(2));
    assert_snapshot!(String::from_utf8_lossy(&output.stderr), @r#"{"code":"USAGE","message":"an envelope has at most 500 recipients, not 501"}"#);
}

#[test]
fn a_wrong_command_line_says_so() {
    let space = TestSpace::new();
    assert_snapshot!(space.lillux(["envelope"]).show(), @r#"
    $ lillux envelope
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"Seal secrets, and open what was sealed\n\nUsage: lillux envelope <COMMAND>\n\nCommands:\n  seal  Seal a file or an environment, and give the envelope itself\n  open  Open an envelope, and give what is in it as raw bytes\n  help  Print this message or the help of the given subcommand(s)\n\nOptions:\n  -h, --help  Print help"}
    "#);
    assert_snapshot!(space.lillux(["envelope", "seal"]).show(), @r#"
    $ lillux envelope seal
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the following required arguments were not provided:\n  --to <RECIPIENT>\n\nUsage: lillux envelope seal --to <RECIPIENT> [FILE]\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["envelope", "open"]).show(), @r#"
    $ lillux envelope open
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the following required arguments were not provided:\n  --identity <FILE>\n\nUsage: lillux envelope open --identity <FILE> [FILE]\n\nFor more information, try '--help'."}
    "#);
    let both = ["envelope", "seal", "--to", "age1xyz", "--env-file", "env.json", "file"];
    assert_snapshot!(space.lillux(both).show(), @r#"
    $ lillux envelope seal --to age1xyz --env-file env.json file
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the argument '--env-file <FILE>' cannot be used with '[FILE]'\n\nUsage: lillux envelope seal --to <RECIPIENT> --env-file <FILE> [FILE]\n\nFor more information, try '--help'."}
    "#);
}

#[test]
fn a_pipe_from_seal_to_open_gives_what_went_in() {
    let (space, recipient) = space_with_identities();
    let script = format!(
        "printf hello | {LILLUX} envelope seal --to {recipient} | {LILLUX} envelope open --identity id"
    );
    let output = space.command("/bin/sh").args(["-c", &script]).output().unwrap();
    assert_eq!(output.stdout, b"hello");
    let script = format!("head -c 1000000 /dev/zero | {LILLUX} envelope seal --to {recipient} | head -c0");
    let output = space.command("/bin/sh").args(["-c", &script]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
