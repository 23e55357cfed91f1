//! Files that are not as they should be: each is an error, and none is passed over.

use std::os::unix::fs::symlink;

use crate::{UserSpace, chmod, is_trusted, key, now};

/// A folder with a signing key, a trusted key and a revoked one.
fn space() -> UserSpace {
    let space = UserSpace::new();
    space.generate();
    space.trust(1);
    space.keys().revoke(key(2).id(), None, now()).unwrap();
    space
}

fn trusted(space: &UserSpace, seed: u8) -> std::path::PathBuf {
    space.path(format!("keys/trusted/{}.toml", key(seed).id()))
}

#[test]
fn what_others_can_reach_is_refused() {
    let space = space();
    let id = key(1).id();
    for (path, right, wrong, message) in [
        ("keys".to_owned(), 0o700, 0o755, "cannot use `~/keys`: mode 0755 of its folder lets others in: run `chmod 700 \"~/keys\"`".to_owned()),
        ("keys/trusted".to_owned(), 0o700, 0o770, "cannot use `~/keys/trusted`: mode 0770 of its folder lets others in: run `chmod 700 \"~/keys/trusted\"`".to_owned()),
        ("keys/revoked.toml".to_owned(), 0o600, 0o644, "cannot use `~/keys/revoked.toml`: its mode 0644 lets others in: run `chmod 600 \"~/keys/revoked.toml\"`".to_owned()),
        (
            format!("keys/trusted/{id}.toml"),
            0o600,
            0o620,
            format!("cannot use `~/keys/trusted/{id}.toml`: its mode 0620 lets others in: run `chmod 600 \"~/keys/trusted/{id}.toml\"`"),
        ),
    ] {
        chmod(&space.path(&path), wrong);
        assert_eq!(space.refusal(), (message, None), "{path}");
        assert!(space.keys().trust(key(3), "eve", now()).is_err(), "{path}");
        chmod(&space.path(&path), right);
        assert!(is_trusted(&space.keyring(), id), "{path}");
    }
    chmod(&space.path("keys/signing.pem"), 0o640);
    assert!(space.keys().signing_key(None).is_err());
    assert!(space.keys().own_key().is_err());
    assert!(is_trusted(&space.keyring(), id), "whom to trust does not depend on what to sign with");
}

#[test]
fn links_are_refused() {
    let space = space();
    let path = trusted(&space, 1);
    let elsewhere = space.path("elsewhere.toml");
    std::fs::rename(&path, &elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    let (message, repair) = space.refusal();
    let shown = format!("~/keys/trusted/{}.toml", key(1).id());
    assert_eq!(
        message,
        format!("cannot use `{shown}`: it is a symbolic link, which is not followed for a private file")
    );
    assert_eq!(repair.unwrap(), format!("cp --remove-destination \"$(readlink -f {shown})\" {shown}"));
    std::fs::remove_file(&path).unwrap();
    let list = space.path("keys/revoked.toml");
    std::fs::rename(&list, &elsewhere).unwrap();
    symlink(&elsewhere, &list).unwrap();
    assert!(space.refusal().0.starts_with("cannot use `~/keys/revoked.toml`: it is a symbolic link"));
    std::fs::remove_file(&elsewhere).unwrap();
    assert!(space.refusal().0.starts_with("cannot use `~/keys/revoked.toml`: it is a symbolic link"));
}

#[test]
fn names_are_those_of_the_keys() {
    let space = space();
    let (one, other) = (trusted(&space, 1), trusted(&space, 3));
    std::fs::rename(&one, &other).unwrap();
    let (is, should) = (key(3).id(), key(1).id());
    assert_eq!(
        space.refusal(),
        (
            format!("cannot use `~/keys/trusted/{is}.toml`: its name is not that of the key in it"),
            Some(format!("mv ~/keys/trusted/{is}.toml ~/keys/trusted/{should}.toml")),
        )
    );
    for name in [
        "bob.toml",
        "README",
        &format!("{should}.toml.orig"),
        &format!("{}.toml", should.to_string().to_uppercase()),
    ] {
        let wrong = space.path("keys/trusted").join(name);
        std::fs::rename(&other, &wrong).unwrap();
        assert_eq!(
            space.refusal(),
            (
                format!("cannot use `~/keys/trusted/{name}`: its name is not a key id with `.toml`"),
                Some(format!("rm -r ~/keys/trusted/{name}")),
            )
        );
        std::fs::rename(&wrong, &other).unwrap();
    }
    std::fs::rename(&other, &one).unwrap();
    // What a process was writing when it died is not a key.
    std::fs::write(space.path("keys/trusted/.draft.tmp"), "own").unwrap();
    space.keyring();
}

#[test]
fn trusted_keys_have_one_form() {
    let space = space();
    let path = trusted(&space, 1);
    let good = std::fs::read_to_string(&path).unwrap();
    let shown = format!("~/keys/trusted/{}.toml", key(1).id());
    for (text, reason) in [
        (String::new(), "line 1: missing field `owner`"),
        (
            format!("{good}\nscope = \"all\"\n"),
            "line 5: unknown field `scope`, expected one of `owner`, `public_key`, `trusted_at`",
        ),
        (
            good.replace("public_key = \"", "public_key = \"A"),
            "`public_key` is neither PEM nor base64 of 32 bytes",
        ),
        (
            good.replace("2026-01-01T", "2026-13-01T"),
            "line 3: `2026-13-01T12:00:00Z` is not an RFC 3339 time, such as `2026-03-01T10:00:00Z`",
        ),
        (good.replace("owner = ", "owner = \"\nowner = "), "line 1: invalid basic string, expected `\"`"),
    ] {
        std::fs::write(&path, &text).unwrap();
        let (message, repair) = space.refusal();
        assert_eq!(message, format!("cannot use `{shown}`: {reason}"), "{text}");
        assert_eq!(repair, Some(format!("rm -r {shown}")), "{text}");
    }
    std::fs::write(&path, [0xFF, 0xFE]).unwrap();
    assert_eq!(space.refusal().0, format!("cannot use `{shown}`: it is not text"));
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert_eq!(space.refusal().0, format!("cannot use `{shown}`: it is not a regular file"));
}

#[test]
fn without_the_revocations_nothing_counts() {
    let space = space();
    let path = space.path("keys/revoked.toml");
    let good = std::fs::read_to_string(&path).unwrap();
    for (text, reason) in [
        (String::new(), "line 1: missing field `revoked`"),
        (good.replace("key = \"", "key = \"x"), ""),
        (good.replace("[[revoked]]", "[[revoke]]"), "line 1: unknown field `revoke`, expected `revoked`"),
        (
            format!("{good}pardoned = true\n"),
            "line 4: unknown field `pardoned`, expected one of `key`, `revoked_at`, `reason`",
        ),
    ] {
        std::fs::write(&path, &text).unwrap();
        let (message, repair) = space.refusal();
        assert!(message.starts_with("cannot use `~/keys/revoked.toml`: "), "{message}");
        assert!(message.ends_with(reason), "{message}");
        assert_eq!(repair, None, "nobody is told to remove the list");
        assert!(space.keys().revoke(key(4).id(), None, now()).is_err(), "and it is not written over");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert!(space.keys().signing_key(None).is_err());
    }
}

#[test]
fn a_damaged_signing_key_is_not_replaced() {
    let space = space();
    let path = space.path("keys/signing.pem");
    std::fs::write(&path, "-----BEGIN PRIVATE KEY-----\n").unwrap();
    assert!(space.keys().generate(&crate::new_key("ada")).is_err());
    assert!(space.keys().private_pem().is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "-----BEGIN PRIVATE KEY-----\n");
}
