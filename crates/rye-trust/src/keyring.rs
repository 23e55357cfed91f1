//! The keys whose signatures count, and those that never will again.

use std::collections::BTreeMap;

use lillux::clock::Timestamp;
use lillux::keys::{KeyId, PublicKey};
use serde::Serialize;

/// All keys that the operator has decided about.
#[derive(Debug, Clone, Default)]
pub struct Keyring {
    trusted: BTreeMap<KeyId, TrustedKey>,
    revoked: BTreeMap<KeyId, Revocation>,
}

/// A key whose signatures count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedKey {
    /// The key.
    pub key: PublicKey,
    /// Whose it is, in the words of the operator.
    pub owner: String,
    /// Since when it counts.
    pub trusted_at: Timestamp,
    /// Who brought it in.
    pub origin: KeyOrigin,
}

/// Who brought a key in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyOrigin {
    /// The operator: it counts everywhere.
    User,
    /// A project that the operator trusts: it counts for the items of that project.
    Project,
}

/// A key that must not count any more, wherever it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revocation {
    /// When it was revoked.
    pub revoked_at: Timestamp,
    /// Why, in the words of the operator.
    pub reason: Option<String>,
}

/// What the operator has decided about a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyStatus<'a> {
    /// Its signatures count.
    Trusted(&'a TrustedKey),
    /// They do not count any more.
    Revoked(&'a Revocation),
    /// Nobody has said anything about it.
    Unknown,
}

impl Keyring {
    /// Adds a key. One that was brought in by the operator is not replaced by a project's.
    pub fn trust(&mut self, key: TrustedKey) {
        let id = key.key.id();
        match self.trusted.get(&id) {
            Some(known) if known.origin == KeyOrigin::User && key.origin == KeyOrigin::Project => {}
            _ => drop(self.trusted.insert(id, key)),
        }
    }

    /// Takes away the effect of a key for good.
    pub fn revoke(&mut self, id: KeyId, revocation: Revocation) {
        self.revoked.insert(id, revocation);
    }

    /// What the operator has decided about a key.
    #[must_use]
    pub fn status(&self, id: KeyId) -> KeyStatus<'_> {
        match (self.revoked.get(&id), self.trusted.get(&id)) {
            (Some(revocation), _) => KeyStatus::Revoked(revocation),
            (None, Some(key)) => KeyStatus::Trusted(key),
            (None, None) => KeyStatus::Unknown,
        }
    }

    /// The trusted keys, by id; revoked ones among them.
    pub fn trusted(&self) -> impl Iterator<Item = (KeyId, &TrustedKey)> {
        self.trusted.iter().map(|(id, key)| (*id, key))
    }

    /// The revoked keys, by id.
    pub fn revoked(&self) -> impl Iterator<Item = (KeyId, &Revocation)> {
        self.revoked.iter().map(|(id, revocation)| (*id, revocation))
    }
}
