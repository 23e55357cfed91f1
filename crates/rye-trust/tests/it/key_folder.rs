//! What is done with the operator's keys.

use std::sync::Barrier;

use lillux::keys::{Passphrase, SigningKey};
use rye_trust::{Decision, ExistingKey, KeyFolderError, KeyStatus, NewSigningKey};

use crate::{UserSpace, is_trusted, key, mode, new_key, now};

#[test]
fn without_a_folder_there_are_no_keys() {
    let space = UserSpace::new();
    assert_eq!(space.keyring().trusted().count(), 0);
    assert!(matches!(space.keys().signing_key(None), Err(KeyFolderError::NoSigningKey { .. })));
    assert_eq!(space.keys().own_key().unwrap(), None);
    assert!(!space.path("").exists(), "looking makes nothing");
}

#[test]
fn a_key_that_was_made_is_private_and_trusted() {
    let space = UserSpace::new();
    let installed = space.keys().generate(&new_key("ada")).unwrap();
    let id = installed.key.id();
    assert_eq!(installed.path, space.path("keys/signing.pem"));
    assert_eq!(installed.kept, None);
    for (path, expect) in [
        ("keys", 0o700),
        ("keys/trusted", 0o700),
        ("keys/signing.pem", 0o600),
        (&format!("keys/trusted/{id}.toml"), 0o600),
    ] {
        assert_eq!(mode(&space.path(path)), expect, "{path}");
    }
    let keyring = space.keyring();
    let KeyStatus::Trusted(trusted) = keyring.status(id) else { panic!("{:?}", keyring.status(id)) };
    assert_eq!((trusted.owner.as_str(), trusted.key), ("ada", installed.key));
    assert_eq!(trusted.trusted_at.to_string(), "2026-01-01T12:00:00Z");
    assert_eq!(space.keys().signing_key(None).unwrap().public_key(), installed.key);
    let text = std::fs::read_to_string(space.path(format!("keys/trusted/{id}.toml"))).unwrap();
    let fields: Vec<_> = text.lines().map(|line| line.split(" = ").next().unwrap()).collect();
    assert_eq!(fields, ["owner", "public_key", "trusted_at"]);
}

#[test]
fn a_second_key_is_refused_and_changes_nothing() {
    let space = UserSpace::new();
    let first = space.generate();
    let error = space.keys().generate(&new_key("ada")).unwrap_err();
    assert!(matches!(error, KeyFolderError::SigningKeyExists { key } if key == first), "{error}");
    assert_eq!(space.keyring().trusted().map(|(id, _)| id).collect::<Vec<_>>(), [first]);
}

#[test]
fn of_many_who_make_a_key_at_once_one_succeeds() {
    for _ in 0..20 {
        let space = UserSpace::new();
        let barrier = Barrier::new(4);
        let made = std::thread::scope(|scope| {
            let race = || {
                barrier.wait();
                space.keys().generate(&new_key("ada"))
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(race)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        let (winners, losers): (Vec<_>, Vec<_>) = made.into_iter().partition(Result::is_ok);
        let [Ok(winner)] = winners.as_slice() else { panic!("{winners:?}") };
        for loser in losers {
            assert!(matches!(loser, Err(KeyFolderError::SigningKeyExists { key }) if key == winner.key.id()));
        }
        assert_eq!(space.keys().signing_key(None).unwrap().public_key(), winner.key);
        assert_eq!(space.keyring().trusted().count(), 1);
    }
}

#[test]
fn a_key_that_is_rotated_is_kept_and_still_counts() {
    let space = UserSpace::new();
    let first = space.generate();
    let new = NewSigningKey { existing: ExistingKey::Rotate, ..new_key("ada") };
    let second = space.keys().generate(&new).unwrap();
    let kept = space.path(format!("keys/signing-{first}.pem"));
    assert_eq!(second.kept.as_ref(), Some(&kept));
    assert_eq!(mode(&kept), 0o600);
    assert_eq!(SigningKey::load(&kept, None).unwrap().public_key().id(), first);
    assert_eq!(space.keys().signing_key(None).unwrap().public_key(), second.key);
    assert!(is_trusted(&space.keyring(), first) && is_trusted(&space.keyring(), second.key.id()));
    // And back again.
    let old = SigningKey::load(&kept, None).unwrap();
    let third = space.keys().import(&old, &new).unwrap();
    assert_eq!(third.key.id(), first);
    assert_eq!(third.kept, Some(space.path(format!("keys/signing-{}.pem", second.key.id()))));
}

#[test]
fn a_protected_key_is_known_without_its_passphrase_and_signs_with_it() {
    let space = UserSpace::new();
    let passphrase = Passphrase::from("secret".to_owned());
    let new = NewSigningKey { passphrase: Some(&passphrase), ..new_key("ada") };
    let installed = space.keys().generate(&new).unwrap();
    let own = space.keys().own_key().unwrap().unwrap();
    assert_eq!((own.key, own.is_protected), (installed.key, true));
    assert!(space.keys().signing_key(None).unwrap_err().needs_passphrase());
    let wrong = Passphrase::from("Secret".to_owned());
    assert!(space.keys().signing_key(Some(&wrong)).unwrap_err().has_wrong_passphrase());
    let key = space.keys().signing_key(Some(&passphrase)).unwrap();
    assert_eq!(key.public_key(), installed.key);
    let private = space.keys().private_pem().unwrap();
    assert!(String::from_utf8_lossy(&private).contains("BEGIN ENCRYPTED PRIVATE KEY"));
    // The same key again, without a passphrase.
    space.keys().import(&key, &new_key("ada")).unwrap();
    assert!(!space.keys().own_key().unwrap().unwrap().is_protected);
}

#[test]
fn a_key_is_trusted_once_and_under_one_name() {
    let space = UserSpace::new();
    assert_eq!(space.keys().trust(key(1), "bob", now()).unwrap(), Decision::Made);
    assert_eq!(space.keys().trust(key(1), "bob", now()).unwrap(), Decision::Known);
    let error = space.keys().trust(key(1), "eve", now()).unwrap_err();
    assert!(matches!(error, KeyFolderError::AlreadyTrusted { owner, .. } if owner == "bob"));
    for owner in ["", "a\nb", "\u{202e}bob"] {
        let error = space.keys().trust(key(2), owner, now()).unwrap_err();
        assert!(matches!(error, KeyFolderError::Text { what: "owner", .. }), "{owner:?}");
    }
    assert_eq!(space.keyring().trusted().count(), 1);
}

#[test]
fn a_revoked_key_never_counts_again() {
    let space = UserSpace::new();
    let id = space.trust(1);
    assert_eq!(space.keys().revoke(id, Some("lost"), now()).unwrap(), Decision::Made);
    assert_eq!(space.keys().revoke(id, Some("found"), now()).unwrap(), Decision::Known);
    let keyring = space.keyring();
    let KeyStatus::Revoked(revocation) = keyring.status(id) else { panic!("{:?}", keyring.status(id)) };
    assert_eq!(revocation.reason.as_deref(), Some("lost"));
    assert_eq!(revocation.revoked_at.to_string(), "2026-01-01T12:00:00Z");
    assert_eq!(mode(&space.path("keys/revoked.toml")), 0o600);
    let error = space.keys().trust(key(1), "bob", now()).unwrap_err();
    assert!(matches!(error, KeyFolderError::Revoked { key, .. } if key == id));
    // One that was never seen can be revoked too.
    space.keys().revoke(key(2).id(), None, now()).unwrap();
    assert!(matches!(space.keys().trust(key(2), "bob", now()), Err(KeyFolderError::Revoked { .. })));
}

#[test]
fn a_revoked_signing_key_signs_no_more() {
    let space = UserSpace::new();
    let id = space.generate();
    let old = space.keys().signing_key(None).unwrap();
    space.keys().revoke(id, None, now()).unwrap();
    assert!(matches!(space.keys().signing_key(None), Err(KeyFolderError::Revoked { key, .. }) if key == id));
    let rotate = NewSigningKey { existing: ExistingKey::Rotate, ..new_key("ada") };
    let second = space.keys().generate(&rotate).unwrap();
    assert_eq!(space.keys().signing_key(None).unwrap().public_key(), second.key);
    // It does not come back either, and the attempt leaves the other one where it is.
    assert!(matches!(space.keys().import(&old, &rotate), Err(KeyFolderError::Revoked { .. })));
    assert_eq!(space.keys().signing_key(None).unwrap().public_key(), second.key);
    assert!(!space.path(format!("keys/signing-{}.pem", second.key.id())).exists());
}

#[test]
fn no_revocation_is_lost_when_many_are_made_at_once() {
    let space = UserSpace::new();
    let barrier = Barrier::new(8);
    std::thread::scope(|scope| {
        for seed in 0..8 {
            let (space, barrier) = (&space, &barrier);
            scope.spawn(move || {
                barrier.wait();
                space.keys().trust(key(seed), "bob", now()).unwrap();
                space.keys().revoke(key(seed).id(), None, now()).unwrap();
                // Whoever reads meanwhile sees a whole list.
                space.keyring();
            });
        }
    });
    assert_eq!(space.keyring().revoked().count(), 8);
    assert_eq!(space.keyring().trusted().count(), 8);
}
