//! Keys, manifests and snapshots on a real file system.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bundle;
mod key_folder;
mod manifest;
mod planted;
mod project_keys;
mod races;
mod requires;
mod store;
mod unusable_files;
mod warm;
mod world;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use lillux::clock::Timestamp;
use lillux::keys::{KeyId, PublicKey, SigningKey};
use rye_trust::{ExistingKey, KeyFolder, KeyStatus, Keyring, NewSigningKey};

/// A user space that is empty.
struct UserSpace {
    folder: tempfile::TempDir,
}

impl UserSpace {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(".ai").join(below)
    }

    fn keys(&self) -> KeyFolder {
        KeyFolder::at(&self.path(""))
    }

    fn keyring(&self) -> Keyring {
        self.keys().keyring().unwrap()
    }

    /// Makes a signing key, if there is none.
    fn generate(&self) -> KeyId {
        self.keys().generate(&new_key("ada")).unwrap().key.id()
    }

    fn trust(&self, seed: u8) -> KeyId {
        self.keys().trust(key(seed), "bob", now()).unwrap();
        key(seed).id()
    }

    /// The message of the error that the keyring is refused with, and the command that helps.
    fn refusal(&self) -> (String, Option<String>) {
        let error = self.keys().keyring().unwrap_err();
        let filter = |text: String| text.replace(self.path("").to_str().unwrap(), "~/");
        (filter(with_sources(&error)), error.repair().map(filter))
    }
}

fn key(seed: u8) -> PublicKey {
    SigningKey::from_seed(&[seed; 32]).public_key()
}

fn now() -> Timestamp {
    "2026-01-01T12:00:00.5Z".parse().unwrap()
}

fn new_key(owner: &str) -> NewSigningKey<'_> {
    NewSigningKey { owner, passphrase: None, existing: ExistingKey::Refuse, now: now() }
}

fn is_trusted(keyring: &Keyring, key: KeyId) -> bool {
    matches!(keyring.status(key), KeyStatus::Trusted(_))
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn with_sources(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", with_sources(source)),
        None => error.to_string(),
    }
}
