use std::path::PathBuf;

use insta::assert_snapshot;

use crate::space::{Call, LILLUX, TestSpace};

const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
const ABSENT: &str = "0000000000000000000000000000000000000000000000000000000000000000";

fn cas<'space>(space: &'space TestSpace, args: &[&str]) -> Call<'space> {
    space.lillux([&["cas", "--root", "store"], args].concat())
}

/// A store with one blob.
fn store_with_hello() -> TestSpace {
    let space = TestSpace::new();
    assert_eq!(cas(&space, &["put"]).stdin("hello").json()["digest"], HELLO);
    space
}

/// Where an entry lies.
fn entry(space: &TestSpace, section: &str, digest: &str) -> PathBuf {
    space.path(format!("store/{section}/{}/{}", &digest[..2], &digest[2..]))
}

fn damage(path: &PathBuf) {
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, "jello").unwrap();
}

#[test]
fn a_blob_is_put_found_given_and_removed() {
    let space = TestSpace::new();
    space.write("file", "hello");
    assert_snapshot!(cas(&space, &["put", "file"]).show(), @r#"
    $ lillux cas --root store put file
    exit code: 0
    --- stdout
    {"digest":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","size":5,"disposition":"written"}
    "#);
    assert_snapshot!(cas(&space, &["put"]).stdin("hello").show(), @r#"
    $ lillux cas --root store put
    exit code: 0
    --- stdout
    {"digest":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","size":5,"disposition":"already_there"}
    "#);
    assert_snapshot!(cas(&space, &["has", HELLO]).show(), @r#"
    $ lillux cas --root store has 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
    exit code: 0
    --- stdout
    {"found":true}
    "#);
    assert_snapshot!(cas(&space, &["get", HELLO]).show(), @"
    $ lillux cas --root store get 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
    exit code: 0
    --- stdout
    hello
    (no newline at the end)
    ");
    assert_snapshot!(cas(&space, &["verify", HELLO]).show(), @r#"
    $ lillux cas --root store verify 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
    exit code: 0
    --- stdout
    {"status":"intact"}
    "#);
    assert_snapshot!(cas(&space, &["list"]).show(), @r#"
    $ lillux cas --root store list
    exit code: 0
    --- stdout
    {"blobs":["2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"],"objects":[]}
    "#);
    assert_snapshot!(cas(&space, &["rm", HELLO]).show(), @r#"
    $ lillux cas --root store rm 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
    exit code: 0
    --- stdout
    {"removed":true}
    "#);
    assert_snapshot!(cas(&space, &["rm", HELLO]).show(), @r#"
    $ lillux cas --root store rm 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
    exit code: 1
    --- stdout
    {"removed":false}
    "#);
    assert_snapshot!(cas(&space, &["has", HELLO]).show(), @r#"
    $ lillux cas --root store has 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
    exit code: 1
    --- stdout
    {"found":false}
    "#);
}

#[test]
fn an_object_is_kept_in_its_canonical_form() {
    let space = TestSpace::new();
    assert_snapshot!(cas(&space, &["put", "--object", "-"]).stdin(r#"{ "b": 1.50, "a": "\u0041" }"#).show(), @r#"
    $ lillux cas --root store put --object -
    exit code: 0
    --- stdout
    {"digest":"be5f1ce885c41d70c068a81970b44f7ec2ac60de83e9b1e154e7d1afab7a3571","size":17,"disposition":"written"}
    "#);
    let digest = "be5f1ce885c41d70c068a81970b44f7ec2ac60de83e9b1e154e7d1afab7a3571";
    assert_snapshot!(cas(&space, &["get", "--object", digest]).show(), @r#"
    $ lillux cas --root store get --object be5f1ce885c41d70c068a81970b44f7ec2ac60de83e9b1e154e7d1afab7a3571
    exit code: 0
    --- stdout
    {"a":"A","b":1.5}
    (no newline at the end)
    "#);
    assert_snapshot!(cas(&space, &["verify", "--object", digest]).show(), @r#"
    $ lillux cas --root store verify --object be5f1ce885c41d70c068a81970b44f7ec2ac60de83e9b1e154e7d1afab7a3571
    exit code: 0
    --- stdout
    {"status":"intact"}
    "#);
    assert_snapshot!(cas(&space, &["has", digest]).show(), @r#"
    $ lillux cas --root store has be5f1ce885c41d70c068a81970b44f7ec2ac60de83e9b1e154e7d1afab7a3571
    exit code: 1
    --- stdout
    {"found":false}
    "#);
}

#[test]
fn only_json_with_one_meaning_is_an_object() {
    let space = TestSpace::new();
    assert_snapshot!(cas(&space, &["put", "--object"]).stdin("{").show(), @r#"
    $ lillux cas --root store put --object
    exit code: 3
    --- stderr
    {"code":"JSON_INVALID","message":"cannot bring JSON into canonical form: the text is not JSON with distinct keys: EOF while parsing an object at line 1 column 1"}
    "#);
    assert_snapshot!(cas(&space, &["put", "--object"]).stdin(r#"{"a":1,"a":2}"#).show(), @r#"
    $ lillux cas --root store put --object
    exit code: 3
    --- stderr
    {"code":"JSON_INVALID","message":"cannot bring JSON into canonical form: the text is not JSON with distinct keys: the key `a` is there twice at line 1 column 13"}
    "#);
    assert_snapshot!(cas(&space, &["put", "--object"]).stdin("[9007199254740993]").show(), @r#"
    $ lillux cas --root store put --object
    exit code: 3
    --- stderr
    {"code":"JSON_INVALID","message":"cannot bring JSON into canonical form: the integer `9007199254740993` would become `9007199254740992`"}
    "#);
}

#[test]
fn large_blobs_pass_through_whole() {
    let space = TestSpace::new();
    let bytes: Vec<u8> = (0..3_000_000_u32).flat_map(u32::to_le_bytes).collect();
    let digest = cas(&space, &["put"]).stdin(bytes.clone()).json();
    let output = cas(&space, &["get", digest["digest"].as_str().unwrap()]).output();
    assert!(output.status.success() && output.stdout == bytes);
}

#[test]
fn an_output_file_appears_whole_or_not_at_all() {
    let space = store_with_hello();
    space.write("out", "before");
    assert_snapshot!(cas(&space, &["get", HELLO, "--output", "out"]).show(), @r#"
    $ lillux cas --root store get 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824 --output out
    exit code: 0
    --- stdout
    {"output":"out","size":5}
    "#);
    assert_eq!(std::fs::read_to_string(space.path("out")).unwrap(), "hello");

    damage(&entry(&space, "blobs", HELLO));
    space.write("out", "before");
    assert_snapshot!(cas(&space, &["get", HELLO, "--output", "out"]).show(), @r#"
    $ lillux cas --root store get 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824 --output out
    exit code: 3
    --- stderr
    {"code":"DAMAGED","message":"cannot read blob `2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824`: `store/blobs/2c/f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824` is damaged: it should have the digest `2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824`: its bytes have the digest `187c9bceeb919e1b3e6d20fa50ecabf7d9d50b5343e8f9a3d912abb13929102e`"}
    "#);
    assert_eq!(std::fs::read_to_string(space.path("out")).unwrap(), "before");
    assert_eq!(std::fs::read_dir(space.path("")).unwrap().count(), 2, "a draft is left");
}

#[test]
fn an_output_that_cannot_be_a_file_is_refused() {
    let space = store_with_hello();
    assert_snapshot!(cas(&space, &["get", HELLO, "--output", "missing/out"]).show(), @r#"
    $ lillux cas --root store get 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824 --output missing/out
    exit code: 3
    --- stderr
    {"code":"OUTPUT_NOT_WRITABLE","message":"cannot write `missing/out`: No such file or directory (os error 2)"}
    "#);
    assert_snapshot!(cas(&space, &["get", HELLO, "--output", "store"]).show(), @r#"
    $ lillux cas --root store get 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824 --output store
    exit code: 3
    --- stderr
    {"code":"OUTPUT_NOT_WRITABLE","message":"cannot write `store`: there is something else than a regular file"}
    "#);
    assert_snapshot!(cas(&space, &["get", HELLO, "--output", "/dev/null"]).show(), @r#"
    $ lillux cas --root store get 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824 --output /dev/null
    exit code: 3
    --- stderr
    {"code":"OUTPUT_NOT_WRITABLE","message":"cannot write `/dev/null`: there is something else than a regular file"}
    "#);
    assert_snapshot!(cas(&space, &["get", HELLO, "--output", "store/.."]).show(), @r#"
    $ lillux cas --root store get 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824 --output store/..
    exit code: 3
    --- stderr
    {"code":"OUTPUT_NOT_WRITABLE","message":"cannot write `store/..`: there is something else than a regular file"}
    "#);
}

#[test]
fn damage_is_found_on_every_way() {
    let space = store_with_hello();
    damage(&entry(&space, "blobs", HELLO));
    assert_snapshot!(cas(&space, &["get", HELLO]).show(), @r#"
    $ lillux cas --root store get 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
    exit code: 3
    --- stdout
    jello
    (no newline at the end)
    --- stderr
    {"code":"DAMAGED","message":"cannot read blob `2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824`: `store/blobs/2c/f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824` is damaged: it should have the digest `2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824`: its bytes have the digest `187c9bceeb919e1b3e6d20fa50ecabf7d9d50b5343e8f9a3d912abb13929102e`"}
    "#);
    assert_snapshot!(cas(&space, &["verify", HELLO]).show(), @r#"
    $ lillux cas --root store verify 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
    exit code: 1
    --- stdout
    {"status":"damaged","damaged":[{"kind":"blob","digest":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","path":"store/blobs/2c/f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","problem":"its bytes have the digest `187c9bceeb919e1b3e6d20fa50ecabf7d9d50b5343e8f9a3d912abb13929102e`"}]}
    "#);
    assert_snapshot!(cas(&space, &["put"]).stdin("hello").show(), @r#"
    $ lillux cas --root store put
    exit code: 0
    --- stdout
    {"digest":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","size":5,"disposition":"repaired"}
    "#);
    assert_snapshot!(cas(&space, &["get", HELLO]).show(), @"
    $ lillux cas --root store get 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
    exit code: 0
    --- stdout
    hello
    (no newline at the end)
    ");
}

#[test]
fn a_damaged_object_is_not_given() {
    let space = TestSpace::new();
    let digest = cas(&space, &["put", "--object"]).stdin("{}").json()["digest"].as_str().unwrap().to_owned();
    damage(&entry(&space, "objects", &digest));
    assert_snapshot!(cas(&space, &["get", "--object", &digest]).show(), @r#"
    $ lillux cas --root store get --object 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a
    exit code: 3
    --- stderr
    {"code":"DAMAGED","message":"cannot read object `44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a`: `store/objects/44/136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a` is damaged: it should have the digest `44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a`: its bytes have the digest `187c9bceeb919e1b3e6d20fa50ecabf7d9d50b5343e8f9a3d912abb13929102e`"}
    "#);
}

#[test]
fn verify_without_a_digest_looks_at_everything() {
    let space = store_with_hello();
    cas(&space, &["put", "--object"]).stdin("[]").json();
    assert_snapshot!(cas(&space, &["verify"]).show(), @r#"
    $ lillux cas --root store verify
    exit code: 0
    --- stdout
    {"status":"intact","intact":2,"damaged":[],"strays":[],"abandoned":[]}
    "#);
    damage(&entry(&space, "blobs", HELLO));
    space.write("store/notes", "");
    space.write("store/tmp/1-1.part", "half");
    assert_snapshot!(cas(&space, &["verify"]).show(), @r#"
    $ lillux cas --root store verify
    exit code: 1
    --- stdout
    {"status":"damaged","intact":1,"damaged":[{"kind":"blob","digest":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","path":"store/blobs/2c/f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","problem":"its bytes have the digest `187c9bceeb919e1b3e6d20fa50ecabf7d9d50b5343e8f9a3d912abb13929102e`"}],"strays":["store/notes"],"abandoned":["store/tmp/1-1.part"]}
    "#);
    assert_snapshot!(cas(&space, &["clean"]).show(), @r#"
    $ lillux cas --root store clean
    exit code: 0
    --- stdout
    {"removed":["store/tmp/1-1.part"],"live":0}
    "#);
    assert_snapshot!(cas(&space, &["clean"]).show(), @r#"
    $ lillux cas --root store clean
    exit code: 0
    --- stdout
    {"removed":[],"live":0}
    "#);
}

#[test]
fn what_is_not_there_is_a_no() {
    let space = store_with_hello();
    assert_snapshot!(cas(&space, &["get", ABSENT]).show(), @r#"
    $ lillux cas --root store get 0000000000000000000000000000000000000000000000000000000000000000
    exit code: 1
    --- stderr
    {"code":"ENTRY_NOT_FOUND","message":"cannot read blob `0000000000000000000000000000000000000000000000000000000000000000`: there is no `store/blobs/00/00000000000000000000000000000000000000000000000000000000000000`"}
    "#);
    assert_snapshot!(cas(&space, &["get", "--object", HELLO]).show(), @r#"
    $ lillux cas --root store get --object 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
    exit code: 1
    --- stderr
    {"code":"ENTRY_NOT_FOUND","message":"cannot read object `2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824`: there is no `store/objects/2c/f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824`"}
    "#);
    assert_snapshot!(cas(&space, &["has", ABSENT]).show(), @r#"
    $ lillux cas --root store has 0000000000000000000000000000000000000000000000000000000000000000
    exit code: 1
    --- stdout
    {"found":false}
    "#);
    assert_snapshot!(cas(&space, &["verify", ABSENT]).show(), @r#"
    $ lillux cas --root store verify 0000000000000000000000000000000000000000000000000000000000000000
    exit code: 1
    --- stderr
    {"code":"ENTRY_NOT_FOUND","message":"cannot verify blob `0000000000000000000000000000000000000000000000000000000000000000`: there is no `store/blobs/00/00000000000000000000000000000000000000000000000000000000000000`"}
    "#);
}

#[test]
fn a_missing_store_is_made_by_put_alone() {
    let space = TestSpace::new();
    for args in [&["get", HELLO][..], &["has", HELLO], &["list"], &["verify"], &["rm", HELLO], &["clean"]] {
        assert_eq!(cas(&space, args).output().status.code(), Some(3), "{args:?}");
        assert!(!space.path("store").exists(), "{args:?}");
    }
    assert_snapshot!(cas(&space, &["list"]).show(), @r#"
    $ lillux cas --root store list
    exit code: 3
    --- stderr
    {"code":"FILE_NOT_FOUND","message":"there is no store in `store`"}
    "#);
    space.write("store", "");
    assert_snapshot!(cas(&space, &["list"]).show(), @r#"
    $ lillux cas --root store list
    exit code: 3
    --- stderr
    {"code":"IO","message":"cannot open the store in `store`: cannot create `store`: File exists (os error 17)"}
    "#);
    assert_snapshot!(cas(&space, &["put"]).show(), @r#"
    $ lillux cas --root store put
    exit code: 3
    --- stderr
    {"code":"IO","message":"cannot open the store in `store`: cannot create `store`: File exists (os error 17)"}
    "#);
}

#[test]
fn an_input_must_be_a_file() {
    let space = TestSpace::new();
    assert_snapshot!(cas(&space, &["put", "missing"]).show(), @r#"
    $ lillux cas --root store put missing
    exit code: 3
    --- stderr
    {"code":"FILE_NOT_FOUND","message":"cannot read `missing`: No such file or directory (os error 2)"}
    "#);
    assert_snapshot!(cas(&space, &["put", "."]).show(), @r#"
    $ lillux cas --root store put .
    exit code: 3
    --- stderr
    {"code":"IO","message":"cannot store the blob: cannot read the input: Is a directory (os error 21)"}
    "#);
    assert_snapshot!(cas(&space, &["put", "--object", "."]).show(), @r#"
    $ lillux cas --root store put --object .
    exit code: 3
    --- stderr
    {"code":"IO","message":"cannot read `.`: Is a directory (os error 21)"}
    "#);
    std::fs::File::create(space.path("large")).unwrap().set_len(256 * 1024 * 1024 + 1).unwrap();
    assert_snapshot!(cas(&space, &["put", "--object", "large"]).show(), @r#"
    $ lillux cas --root store put --object large
    exit code: 3
    --- stderr
    {"code":"INPUT_TOO_LARGE","message":"`large` has more than 268435456 bytes"}
    "#);
}

#[test]
fn a_wrong_command_line_says_so() {
    let space = store_with_hello();
    assert_snapshot!(cas(&space, &["get", "2cf2"]).show(), @r#"
    $ lillux cas --root store get 2cf2
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"invalid value '2cf2' for '<DIGEST>': `2cf2` is not a SHA-256 digest: expected 64 lower-case hex digits\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(cas(&space, &["get"]).show(), @r#"
    $ lillux cas --root store get
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the following required arguments were not provided:\n  <DIGEST>\n\nUsage: lillux cas --root <DIR> get <DIGEST>\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(cas(&space, &["verify", "--object"]).show(), @r#"
    $ lillux cas --root store verify --object
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the following required arguments were not provided:\n  <DIGEST>\n\nUsage: lillux cas --root <DIR> verify --object <DIGEST>\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(cas(&space, &["frobnicate"]).show(), @r#"
    $ lillux cas --root store frobnicate
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"unrecognized subcommand 'frobnicate'\n\nUsage: lillux cas --root <DIR> <COMMAND>\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["cas", "list"]).show(), @r#"
    $ lillux cas list
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the following required arguments were not provided:\n  --root <DIR>\n\nUsage: lillux cas --root <DIR> <COMMAND>\n\nFor more information, try '--help'."}
    "#);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let space = TestSpace::new();
    let digest = cas(&space, &["put"]).stdin(vec![b'x'; 1_000_000]).json();
    let digest = digest["digest"].as_str().unwrap();
    let script = format!("{{ {LILLUX} cas --root store get {digest}; echo $? >code; }} | head -c0");
    let output = space.command("/bin/sh").args(["-c", &script]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(std::fs::read_to_string(space.path("code")).unwrap(), "0\n");
}
