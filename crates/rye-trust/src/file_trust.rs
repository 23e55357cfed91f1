//! Which files beside a tool are verified by themselves.

use std::collections::BTreeMap;

use lillux::Digest;
use lillux::digest::Hasher;
use rye_item::ItemKind;
use rye_metadata::SignatureComment;

use crate::{KeyOrigin, Keyring, SignedText, Statement};

/// Decides whether files carry a signature that counts.
pub trait FileTrust {
    /// The keys whose signatures count.
    fn keyring(&self) -> &Keyring;

    /// A digest of everything that decides. As long as it is the same, the same bytes get the same answer.
    fn fingerprint(&self) -> Digest;

    /// Whether a file of this name could carry a signature. One that could not is not even read.
    fn can_be_signed(&self, path: &str) -> bool;

    /// Whether the file carries a valid signature for its path below the kind's folder.
    fn is_signed(&self, kind: ItemKind, path: &str, bytes: &[u8]) -> bool;
}

/// Signature lines, written as the comments of each extension.
#[derive(Debug, Clone)]
pub struct OwnSignatures<'a> {
    keyring: &'a Keyring,
    comments: BTreeMap<String, SignatureComment>,
}

impl<'a> OwnSignatures<'a> {
    /// Signatures by the keys of `keyring`, in comments that each extension (without the dot) has.
    #[must_use]
    pub fn new(keyring: &'a Keyring, comments: BTreeMap<String, SignatureComment>) -> Self {
        Self { keyring, comments }
    }

    fn comment(&self, path: &str) -> Option<&SignatureComment> {
        let name = path.rsplit('/').next()?;
        self.comments.get(name.rsplit_once('.')?.1)
    }
}

impl FileTrust for OwnSignatures<'_> {
    fn keyring(&self) -> &Keyring {
        self.keyring
    }

    fn fingerprint(&self) -> Digest {
        let mut hasher = Hasher::default();
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        for (id, key) in self.keyring.trusted() {
            let origin = match key.origin {
                KeyOrigin::User => "user",
                KeyOrigin::Project => "project",
            };
            add(origin);
            add(&id.to_string());
        }
        for (id, _) in self.keyring.revoked() {
            add("revoked");
            add(&id.to_string());
        }
        for (extension, comment) in &self.comments {
            add(extension);
            add(&comment.prefix);
            add(&comment.suffix);
            add(if comment.after_shebang { "after" } else { "first" });
        }
        hasher.finish()
    }

    fn can_be_signed(&self, path: &str) -> bool {
        self.comment(path).is_some()
    }

    fn is_signed(&self, kind: ItemKind, path: &str, bytes: &[u8]) -> bool {
        let Some(comment) = self.comment(path) else { return false };
        let Ok(text) = SignedText::split(bytes, comment) else { return false };
        text.seal().is_some_and(|seal| {
            seal.check(&Statement::Item { kind, path }, self.keyring).is_ok()
                && seal.digest() == text.digest()
        })
    }
}
