//! `keypair`, `sign` and `verify`.

use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use crate::space::TestSpace;

/// The first key of RFC 8032, section 7.1, and its signature of nothing.
const PRIVATE: &str = "\
-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
";
const PUBLIC: &str = "\
-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
";
const SIGNATURE: &str =
    "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw";

/// A public key of small order.
const WEAK: &str = "\
-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
-----END PUBLIC KEY-----
";

/// A space with both halves of the key.
fn space_with_key() -> TestSpace {
    let space = TestSpace::new();
    space.write("key", PRIVATE);
    space.chmod("key", 0o600);
    space.write("key.pub", PUBLIC);
    space
}

fn mode(space: &TestSpace, name: &str) -> u32 {
    space.path(name).metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn a_known_key_makes_the_known_signature() {
    let space = space_with_key();
    assert_snapshot!(space.lillux(["sign", "--key", "key"]).show(), @r#"
    $ lillux sign --key key
    exit code: 0
    --- stdout
    {"signature":"5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw","key_id":"21fe31dfa154a261626bf854046fd227","sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}
    "#);
    let verify = ["verify", "--key", "key.pub", "--signature", SIGNATURE];
    assert_snapshot!(space.lillux(verify).show(), @r#"
    $ lillux verify --key key.pub --signature 5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw
    exit code: 0
    --- stdout
    {"verified":true,"key_id":"21fe31dfa154a261626bf854046fd227","sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}
    "#);
    assert_snapshot!(space.lillux(verify).stdin("something else").show(), @r#"
    $ lillux verify --key key.pub --signature 5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw
    exit code: 1
    --- stdout
    {"verified":false,"key_id":"21fe31dfa154a261626bf854046fd227","sha256":"f41f3fa625ff120ddca7ef456bf66371ecea23c129f4e4c32367101edb516cf8"}
    "#);
}

#[test]
fn what_a_new_key_signs_verifies_with_its_public_half_alone() {
    let space = TestSpace::new();
    let generated = space.lillux(["keypair", "generate", "--out", "keys/mine"]).json();
    assert_eq!(generated["kind"], "signing");
    assert_eq!((mode(&space, "keys"), mode(&space, "keys/mine")), (0o700, 0o600));
    space.lillux(["keypair", "generate", "--out", "keys/other"]).json();
    space.write("message", "hello");

    let signed = space.lillux(["sign", "--key", "keys/mine", "message"]).json();
    assert_eq!(signed["key_id"], generated["key_id"]);
    let verify = |key: &str, file: &str| {
        let signature = signed["signature"].as_str().unwrap();
        space.lillux(["verify", "--key", key, "--signature", signature, file]).output().status.code()
    };
    assert_eq!(verify("keys/mine.pub", "message"), Some(0));
    assert_eq!(verify("keys/mine.pub", "keys/mine.pub"), Some(1));
    assert_eq!(verify("keys/other.pub", "message"), Some(1));
}

#[test]
fn a_passphrase_protects_a_private_key() {
    let space = TestSpace::new();
    space.write("right", "correct horse\n");
    space.write("wrong", "battery staple\n");
    let generate = ["keypair", "generate", "--out", "key", "--passphrase-file", "right"];
    let generated = space.lillux(generate).json();
    let pem = std::fs::read_to_string(space.path("key")).unwrap();
    assert!(pem.starts_with("-----BEGIN ENCRYPTED PRIVATE KEY-----"), "{pem}");

    let signed = space.lillux(["sign", "--key", "key", "--passphrase-file", "right"]).json();
    assert_eq!(signed["key_id"], generated["key_id"]);
    let shown = space.lillux(["keypair", "show", "key", "--passphrase-file", "right"]).json();
    assert_eq!(shown["public_key"], generated["public_key"]);
    assert_snapshot!(space.lillux(["sign", "--key", "key"]).show(), @r#"
    $ lillux sign --key key
    exit code: 3
    --- stderr
    {"code":"PASSPHRASE_MISSING","message":"cannot load key file `key`: not a usable Ed25519 private key: it is encrypted and needs a passphrase"}
    "#);
    assert_snapshot!(space.lillux(["sign", "--key", "key", "--passphrase-file", "wrong"]).show(), @r#"
    $ lillux sign --key key --passphrase-file wrong
    exit code: 3
    --- stderr
    {"code":"PASSPHRASE_WRONG","message":"cannot load key file `key`: not a usable Ed25519 private key: the passphrase is wrong"}
    "#);
}

#[test]
fn a_passphrase_file_has_one_line() {
    let space = space_with_key();
    space.write("empty", "\n");
    space.write("binary", b"\xff");
    space.write("several", "one\ntwo\n");
    space.write("large", vec![b'x'; 5000]);
    let sign = |file: &str| space.lillux(["sign", "--key", "key", "--passphrase-file", file]).show();
    assert_snapshot!(sign("empty"), @r#"
    $ lillux sign --key key --passphrase-file empty
    exit code: 3
    --- stderr
    {"code":"PASSPHRASE_INVALID","message":"there is no passphrase in `empty`: it is empty"}
    "#);
    assert_snapshot!(sign("binary"), @r#"
    $ lillux sign --key key --passphrase-file binary
    exit code: 3
    --- stderr
    {"code":"PASSPHRASE_INVALID","message":"there is no passphrase in `binary`: it is not text"}
    "#);
    assert_snapshot!(sign("several"), @r#"
    $ lillux sign --key key --passphrase-file several
    exit code: 3
    --- stderr
    {"code":"PASSPHRASE_INVALID","message":"there is no passphrase in `several`: it has more than one line"}
    "#);
    assert_snapshot!(sign("large"), @r#"
    $ lillux sign --key key --passphrase-file large
    exit code: 3
    --- stderr
    {"code":"INPUT_TOO_LARGE","message":"`large` has more than 4096 bytes"}
    "#);
    assert_snapshot!(sign("missing"), @r#"
    $ lillux sign --key key --passphrase-file missing
    exit code: 3
    --- stderr
    {"code":"FILE_NOT_FOUND","message":"cannot read `missing`: No such file or directory (os error 2)"}
    "#);
}

#[test]
fn either_half_is_shown_without_what_is_private() {
    let space = space_with_key();
    assert_snapshot!(space.lillux(["keypair", "show", "key"]).show(), @r#"
    $ lillux keypair show key
    exit code: 0
    --- stdout
    {"kind":"signing","key_id":"21fe31dfa154a261626bf854046fd227","public_key":"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n","part":"private"}
    "#);
    assert_snapshot!(space.lillux(["keypair", "show", "key.pub"]).show(), @r#"
    $ lillux keypair show key.pub
    exit code: 0
    --- stdout
    {"kind":"signing","key_id":"21fe31dfa154a261626bf854046fd227","public_key":"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n","part":"public"}
    "#);
}

#[test]
fn an_envelope_pair_is_an_identity_and_a_recipient() {
    let space = TestSpace::new();
    let generated = space.lillux(["keypair", "generate", "--kind", "envelope", "--out", "id"]).json();
    let recipient = generated["recipient"].as_str().unwrap();
    assert!(recipient.starts_with("age1"), "{generated}");
    assert_eq!(mode(&space, "id"), 0o600);
    assert_eq!(std::fs::read_to_string(space.path("id.pub")).unwrap(), format!("{recipient}\n"));
    for (file, part) in [("id", "private"), ("id.pub", "public")] {
        let expect = serde_json::json!({ "kind": "envelope", "part": part, "recipient": recipient });
        assert_eq!(space.lillux(["keypair", "show", file]).json(), expect);
    }
}

#[test]
fn a_key_is_never_replaced() {
    let space = TestSpace::new();
    for kind in ["signing", "envelope"] {
        let private = space.write("key", "before");
        let show = |space: &TestSpace| {
            space.lillux(["keypair", "generate", "--kind", kind, "--out", "key"]).output()
        };
        assert_eq!(show(&space).status.code(), Some(3));
        assert_eq!(std::fs::read_to_string(&private).unwrap(), "before");
        std::fs::remove_file(&private).unwrap();

        space.write("key.pub", "before");
        assert_eq!(show(&space).status.code(), Some(3));
        assert_eq!(std::fs::read_to_string(space.path("key.pub")).unwrap(), "before");
        assert_eq!(std::fs::read_dir(space.path("")).unwrap().count(), 1, "half a pair is left");
    }
    assert_snapshot!(space.lillux(["keypair", "generate", "--out", "key"]).show(), @r#"
    $ lillux keypair generate --out key
    exit code: 3
    --- stderr
    {"code":"ALREADY_EXISTS","message":"cannot create key file `key.pub`: it exists already"}
    "#);
    assert_snapshot!(space.lillux(["keypair", "generate", "--kind", "envelope", "--out", "key"]).show(), @r#"
    $ lillux keypair generate --kind envelope --out key
    exit code: 3
    --- stderr
    {"code":"ALREADY_EXISTS","message":"cannot write `key.pub`: File exists (os error 17)"}
    "#);
}

#[test]
fn a_pair_that_has_no_place_is_not_made() {
    let space = TestSpace::new();
    space.write("file", "");
    std::fs::create_dir(space.path("wide")).unwrap();
    space.chmod("wide", 0o755);
    assert_snapshot!(space.lillux(["keypair", "generate", "--out", "file/key"]).show(), @r#"
    $ lillux keypair generate --out file/key
    exit code: 3
    --- stderr
    {"code":"IO","message":"cannot create key file `file/key`: the system refused: File exists (os error 17)"}
    "#);
    assert_snapshot!(space.lillux(["keypair", "generate", "--out", "wide/key"]).show(), @r#"
    $ lillux keypair generate --out wide/key
    exit code: 3
    --- stderr
    {"code":"KEY_PERMISSIONS","message":"cannot create key file `wide/key`: mode 0755 of its folder lets others in: run `chmod 700 \"wide\"`"}
    "#);
    assert_snapshot!(space.lillux(["keypair", "generate", "--out", "/"]).show(), @r#"
    $ lillux keypair generate --out /
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"cannot create key file `/`: the path does not name a file"}
    "#);
    let envelope = ["keypair", "generate", "--kind", "envelope", "--out", "id", "--passphrase-file", "file"];
    assert_snapshot!(space.lillux(envelope).show(), @r#"
    $ lillux keypair generate --kind envelope --out id --passphrase-file file
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"a passphrase protects signing keys only"}
    "#);
}

#[test]
fn a_private_key_that_others_could_read_is_refused() {
    let space = space_with_key();
    space.chmod("key", 0o644);
    assert_snapshot!(space.lillux(["sign", "--key", "key"]).show(), @r#"
    $ lillux sign --key key
    exit code: 3
    --- stderr
    {"code":"KEY_PERMISSIONS","message":"cannot load key file `key`: its mode 0644 lets others in: run `chmod 600 \"./key\"`"}
    "#);
    assert_snapshot!(space.lillux(["keypair", "show", "key"]).show(), @r#"
    $ lillux keypair show key
    exit code: 3
    --- stderr
    {"code":"KEY_PERMISSIONS","message":"cannot load key file `key`: its mode 0644 lets others in: run `chmod 600 \"./key\"`"}
    "#);
    space.chmod("key", 0o600);
    std::os::unix::fs::symlink("key", space.path("link")).unwrap();
    assert_snapshot!(space.lillux(["sign", "--key", "link"]).show(), @r#"
    $ lillux sign --key link
    exit code: 3
    --- stderr
    {"code":"KEY_PERMISSIONS","message":"cannot load key file `link`: it is a symbolic link, which is not followed for a private file"}
    "#);
    space.chmod("", 0o755);
    assert_snapshot!(space.lillux(["sign", "--key", "key"]).show(), @r#"
    $ lillux sign --key key
    exit code: 3
    --- stderr
    {"code":"KEY_PERMISSIONS","message":"cannot load key file `key`: mode 0755 of its folder lets others in: run `chmod 700 \".\"`"}
    "#);
}

#[test]
fn what_is_not_a_key_is_refused() {
    let space = space_with_key();
    space.write("truncated", &PRIVATE[..60]);
    space.chmod("truncated", 0o600);
    space.write("text", "hello");
    space.chmod("text", 0o600);
    space.write("weak.pub", WEAK);
    assert_snapshot!(space.lillux(["sign", "--key", "truncated"]).show(), @r#"
    $ lillux sign --key truncated
    exit code: 3
    --- stderr
    {"code":"KEY_INVALID","message":"cannot load key file `truncated`: not a usable Ed25519 private key: its PEM block has no end: the text was cut off"}
    "#);
    assert_snapshot!(space.lillux(["sign", "--key", "text"]).show(), @r#"
    $ lillux sign --key text
    exit code: 3
    --- stderr
    {"code":"KEY_INVALID","message":"cannot load key file `text`: not a usable Ed25519 private key: there is no PEM block in it"}
    "#);
    assert_snapshot!(space.lillux(["sign", "--key", "missing"]).show(), @r#"
    $ lillux sign --key missing
    exit code: 3
    --- stderr
    {"code":"FILE_NOT_FOUND","message":"cannot load key file `missing`: there is no such file"}
    "#);
    std::fs::create_dir(space.path("folder")).unwrap();
    assert_snapshot!(space.lillux(["sign", "--key", "folder"]).show(), @r#"
    $ lillux sign --key folder
    exit code: 3
    --- stderr
    {"code":"KEY_INVALID","message":"cannot load key file `folder`: it is not a regular file"}
    "#);
    space.chmod("key.pub", 0o600);
    assert_snapshot!(space.lillux(["sign", "--key", "key.pub"]).show(), @r#"
    $ lillux sign --key key.pub
    exit code: 3
    --- stderr
    {"code":"KEY_INVALID","message":"cannot load key file `key.pub`: not a usable Ed25519 private key: its PEM block is a `PUBLIC KEY`, not a `PRIVATE KEY`"}
    "#);
    let verify = |key: &str| space.lillux(["verify", "--key", key, "--signature", SIGNATURE]).show();
    assert_snapshot!(verify("key"), @r#"
    $ lillux verify --key key --signature 5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw
    exit code: 3
    --- stderr
    {"code":"KEY_INVALID","message":"cannot load key file `key`: not a usable Ed25519 public key: its PEM block is a `PRIVATE KEY`, not a `PUBLIC KEY`"}
    "#);
    assert_snapshot!(verify("weak.pub"), @r#"
    $ lillux verify --key weak.pub --signature 5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw
    exit code: 3
    --- stderr
    {"code":"KEY_INVALID","message":"cannot load key file `weak.pub`: not a usable Ed25519 public key: it has small order, so that its signatures prove nothing"}
    "#);
    assert_snapshot!(verify("missing"), @r#"
    $ lillux verify --key missing --signature 5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw
    exit code: 3
    --- stderr
    {"code":"FILE_NOT_FOUND","message":"cannot load key file `missing`: there is no such file"}
    "#);
}

#[test]
fn only_keys_are_shown() {
    let space = space_with_key();
    space.write("truncated.pub", &PUBLIC[..60]);
    space.write("text", "hello");
    space.write("empty", "");
    space.write("recipient", "age1xyz\n");
    space.write("identity", "AGE-SECRET-KEY-1XYZ\n");
    space.chmod("identity", 0o600);
    for (file, expect) in [("truncated.pub", "KEY_INVALID"), ("missing", "FILE_NOT_FOUND"), (".", "IO")] {
        let output = space.lillux(["keypair", "show", file]).output();
        let failure: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!((output.status.code(), &failure["code"]), (Some(3), &expect.into()), "{failure}");
    }
    assert_snapshot!(space.lillux(["keypair", "show", "text"]).show(), @r#"
    $ lillux keypair show text
    exit code: 3
    --- stderr
    {"code":"KEY_INVALID","message":"there is no key in `text`"}
    "#);
    assert_snapshot!(space.lillux(["keypair", "show", "empty"]).show(), @r#"
    $ lillux keypair show empty
    exit code: 3
    --- stderr
    {"code":"KEY_INVALID","message":"there is no key in `empty`"}
    "#);
    assert_snapshot!(space.lillux(["keypair", "show", "recipient"]).show(), @r#"
    $ lillux keypair show recipient
    exit code: 3
    --- stderr
    {"code":"KEY_INVALID","message":"there is no key in `recipient`: `age1xyz` is not an X25519 recipient (`age1…`): invalid Bech32 encoding"}
    "#);
    assert_snapshot!(space.lillux(["keypair", "show", "identity"]).show(), @r#"
    $ lillux keypair show identity
    exit code: 3
    --- stderr
    {"code":"KEY_INVALID","message":"cannot load identity file `identity`: line 1 is wrong: not an X25519 identity (`AGE-SECRET-KEY-1…`): invalid Bech32 encoding"}
    "#);
}

#[test]
fn a_message_must_be_a_file_of_bearable_size() {
    let space = space_with_key();
    std::fs::File::create(space.path("large")).unwrap().set_len(256 * 1024 * 1024 + 1).unwrap();
    assert_snapshot!(space.lillux(["sign", "--key", "key", "missing"]).show(), @r#"
    $ lillux sign --key key missing
    exit code: 3
    --- stderr
    {"code":"FILE_NOT_FOUND","message":"cannot read `missing`: No such file or directory (os error 2)"}
    "#);
    assert_snapshot!(space.lillux(["sign", "--key", "key", "."]).show(), @r#"
    $ lillux sign --key key .
    exit code: 3
    --- stderr
    {"code":"IO","message":"cannot read `.`: Is a directory (os error 21)"}
    "#);
    assert_snapshot!(space.lillux(["sign", "--key", "key", "large"]).show(), @r#"
    $ lillux sign --key key large
    exit code: 3
    --- stderr
    {"code":"INPUT_TOO_LARGE","message":"`large` has more than 268435456 bytes"}
    "#);
    let verify = ["verify", "--key", "key.pub", "--signature", SIGNATURE, "missing"];
    assert_snapshot!(space.lillux(verify).show(), @r#"
    $ lillux verify --key key.pub --signature 5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw missing
    exit code: 3
    --- stderr
    {"code":"FILE_NOT_FOUND","message":"cannot read `missing`: No such file or directory (os error 2)"}
    "#);
}

#[test]
fn a_wrong_command_line_says_so() {
    let space = space_with_key();
    assert_snapshot!(space.lillux(["sign"]).show(), @r#"
    $ lillux sign
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the following required arguments were not provided:\n  --key <FILE>\n\nUsage: lillux sign --key <FILE> [FILE]\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["verify", "--key", "key.pub"]).show(), @r#"
    $ lillux verify --key key.pub
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the following required arguments were not provided:\n  --signature <TEXT>\n\nUsage: lillux verify --key <FILE> --signature <TEXT> [FILE]\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["verify", "--key", "key.pub", "--signature", "-abc"]).show(), @r#"
    $ lillux verify --key key.pub --signature -abc
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"invalid value '-abc' for '--signature <TEXT>': `-abc` is not a signature: expected 86 characters of canonical URL-safe base64\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["keypair"]).show(), @r#"
    $ lillux keypair
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"Make and show keys\n\nUsage: lillux keypair <COMMAND>\n\nCommands:\n  generate  Make a key pair, in a private file and a public one beside it\n  show      Show the public half of a key, whichever half the file holds\n  help      Print this message or the help of the given subcommand(s)\n\nOptions:\n  -h, --help  Print help"}
    "#);
    assert_snapshot!(space.lillux(["keypair", "generate"]).show(), @r#"
    $ lillux keypair generate
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the following required arguments were not provided:\n  --out <FILE>\n\nUsage: lillux keypair generate --out <FILE>\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["keypair", "generate", "--out", "x", "--kind", "rsa"]).show(), @r#"
    $ lillux keypair generate --out x --kind rsa
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"invalid value 'rsa' for '--kind <KIND>'\n  [possible values: signing, envelope]\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["keypair", "show"]).show(), @r#"
    $ lillux keypair show
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the following required arguments were not provided:\n  <FILE>\n\nUsage: lillux keypair show <FILE>\n\nFor more information, try '--help'."}
    "#);
}

#[test]
fn a_signature_may_begin_like_an_option() {
    let space = space_with_key();
    let signature = format!("-{}", &SIGNATURE[1..]);
    let verify = ["verify", "--key", "key.pub", "--signature", &signature];
    assert_eq!(space.lillux(verify).output().status.code(), Some(1));
}
