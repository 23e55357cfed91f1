//! A keyring that does not answer.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use lillux::envelope::EnvelopeIdentity;
use rye_env::ProcessEnvironment;
use rye_run::secrets::{
    KeyError, KeyPlace, KeyringAction, KeyringError, SecretError, SecretName, SecretStore,
};

use crate::tool;

/// A store in a session whose `secret-tool` never ends, and ignores being asked to.
fn store(space: &Path) -> SecretStore {
    let program = space.join("secret-tool");
    std::fs::write(&program, "#!/bin/sh\ntrap '' TERM\nwhile true; do /bin/sleep 1; done\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let variables =
        [("PATH", space.as_os_str()), ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere".as_ref())];
    let environment: ProcessEnvironment = variables.into_iter().collect();
    SecretStore::open(&space.join(".ai"), &environment).keyring_patience(Duration::from_millis(50))
}

fn is_no_answer(error: &KeyringError, expect: KeyringAction) -> bool {
    matches!(error, KeyringError::NoAnswer { action, .. } if *action == expect)
}

#[test]
fn a_keyring_that_does_not_answer_gets_no_key() {
    let space = tempfile::tempdir().unwrap();
    let store = store(space.path());
    let token = SecretName::new("TOKEN").unwrap();
    let new_key = store.set(&token, &"value".to_owned().into()).unwrap().unwrap();
    assert_eq!(new_key.location.place, KeyPlace::File);
    assert!(is_no_answer(&new_key.refused.unwrap(), KeyringAction::Store));
    let before = std::fs::read(&new_key.location.file).unwrap();
    let error = store.move_key(KeyPlace::Keyring).unwrap_err();
    let SecretError::Key(KeyError::NotTaken { source }) = error else { panic!("{error}") };
    assert!(is_no_answer(&source, KeyringAction::Store));
    assert_eq!(std::fs::read(&new_key.location.file).unwrap(), before);
    assert_eq!(store.get(&[token], &tool("my/tool")).unwrap().len(), 1);
}

#[test]
fn a_keyring_that_does_not_answer_is_told_of() {
    let space = tempfile::tempdir().unwrap();
    let store = store(space.path());
    let token = SecretName::new("TOKEN").unwrap();
    let location = store.set(&token, &"value".to_owned().into()).unwrap().unwrap().location;
    let recipient = EnvelopeIdentity::generate().to_recipient();
    std::fs::write(&location.file, format!("in keyring: {recipient}\n")).unwrap();
    let errors = [
        store.get(std::slice::from_ref(&token), &tool("my/tool")).unwrap_err(),
        store.set(&token, &"other".to_owned().into()).unwrap_err(),
        store.move_key(KeyPlace::File).unwrap_err(),
    ];
    for error in errors {
        let SecretError::Key(KeyError::Keyring { recipient: named, source, .. }) = error else {
            panic!("{error}")
        };
        assert!(is_no_answer(&source, KeyringAction::Lookup));
        assert_eq!(named, recipient);
    }
    assert_eq!(store.key().unwrap().unwrap().place, KeyPlace::Keyring);
}
