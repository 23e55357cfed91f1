//! The list of revoked keys.

use lillux::clock::Timestamp;
use lillux::keys::KeyId;
use serde::{Deserialize, Serialize};

use super::error::KeyFileProblem;
use crate::Revocation;
use crate::public_key_file::from_toml;

/// All revoked keys. The list has to be there even if nothing is on it, so that a file which was cut off is an error and
/// not a pardon.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RevocationList {
    revoked: Vec<RevokedKey>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RevokedKey {
    key: KeyId,
    revoked_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl RevocationList {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, KeyFileProblem> {
        let text = str::from_utf8(bytes).map_err(|_| KeyFileProblem::NotText)?;
        from_toml(text).map_err(KeyFileProblem::Syntax)
    }

    pub(super) fn encode(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }

    /// Adds a key, which is not on the list yet.
    pub(super) fn add(&mut self, key: KeyId, revocation: Revocation) {
        let Revocation { revoked_at, reason } = revocation;
        self.revoked.push(RevokedKey { key, revoked_at, reason });
    }

    /// What the list says of a key; the first time counts.
    pub(super) fn get(&self, key: KeyId) -> Option<Revocation> {
        self.revoked.iter().find(|revoked| revoked.key == key).map(RevokedKey::revocation)
    }

    /// All keys, the latest entry first, so that the first one of a key is the last to be seen.
    pub(super) fn entries(&self) -> impl Iterator<Item = (KeyId, Revocation)> {
        self.revoked.iter().rev().map(|revoked| (revoked.key, revoked.revocation()))
    }
}

impl RevokedKey {
    fn revocation(&self) -> Revocation {
        Revocation { revoked_at: self.revoked_at, reason: self.reason.clone() }
    }
}
