//! From a file that was found to one that may run.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use lillux::Digest;
use lillux::clock::Timestamp;
use lillux::keys::KeyId;
use rye_item::{ItemId, ItemKind, ItemRef, ReadItem, Space, SpaceRoot};
use rye_metadata::SignatureComment;
use serde::Serialize;

use crate::{
    DocumentError, Keyring, KnownSignatures, Manifest, Seal, SealError, SignatureLineError, SignedDocument,
    SignedText, Statement, TrustedKey, UntrustedProject,
};

/// An item whose signature was checked. There is no other way to make one than [`Verifier::verify`].
#[derive(Debug, Clone)]
pub struct Verified {
    item: ReadItem,
    content: Digest,
    signer: Signer,
}

/// Who answers for an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum Signer {
    /// Nobody has to: it is part of the program.
    Program,
    /// The holder of a key that counts.
    Key {
        /// The key.
        key: KeyId,
        /// Whose it is.
        owner: String,
        /// When it was signed.
        signed_at: Timestamp,
    },
    /// Nobody does, and the operator has said that this is fine while developing.
    Waived {
        /// What is missing.
        reason: Waiver,
    },
}

/// What the operator has waived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Waiver {
    /// There is no signature.
    Unsigned,
    /// The file was changed after it was signed.
    Outdated,
}

/// Whether a missing or outdated signature stops a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// It does.
    #[default]
    Strict,
    /// It does not for items of the project and the user.
    Development,
}

/// An item that may not run.
#[derive(Debug, thiserror::Error)]
#[error("{} (`{}`) is refused", item.item(), item.path().display())]
pub struct VerifyError {
    item: ReadItem,
    #[source]
    refusal: Refusal,
}

/// Why an item may not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It carries no signature.
    #[error("it is not signed")]
    Unsigned,
    /// Its signature is not written as it has to be.
    #[error(transparent)]
    Line(#[from] SignatureLineError),
    /// Its signature does not count.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// It is another content than the one that was signed.
    #[error("it was changed after it was signed by {owner} on {signed_at}")]
    Changed {
        /// Who has signed it.
        owner: String,
        /// When.
        signed_at: Timestamp,
    },
    /// It is another content than the one that a manifest lists.
    #[error("it was changed after it was listed in `{}`", manifest.display())]
    ChangedSinceListed {
        /// The manifest.
        manifest: PathBuf,
    },
    /// A manifest that might list it does not count.
    #[error("the manifest `{}` does not count", manifest.display())]
    Manifest {
        /// The manifest.
        manifest: PathBuf,
        /// Why not.
        #[source]
        source: DocumentError,
    },
    /// A manifest that might list it cannot be read.
    #[error("the manifest `{}` cannot be read", manifest.display())]
    UnreadableManifest {
        /// The manifest.
        manifest: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// It belongs to a project that the operator has not trusted.
    #[error(transparent)]
    Project(#[from] UntrustedProject),
}

/// How a file carries its signature.
#[derive(Debug, Clone, Copy)]
pub enum SignatureForm<'a> {
    /// In a line of its own, written as a comment.
    Line(&'a SignatureComment),
    /// Not at all: a manifest of the space has to list it.
    Manifest(&'a SpaceRoot),
    /// Nobody knows.
    None,
}

/// What a manifest says about an item.
struct Listed {
    digest: Digest,
    signer: Signer,
    manifest: PathBuf,
}

/// Decides which items may run, by what the operator has said.
#[derive(Debug)]
pub struct Verifier<'a> {
    /// The keys that count everywhere.
    pub user: &'a Keyring,
    /// The keys that count for the project's items, if the project is trusted.
    pub project: Result<&'a Keyring, UntrustedProject>,
    /// Whether the operator is developing.
    pub strictness: Strictness,
    /// What was found out before.
    pub memo: &'a VerifyMemo,
}

/// Signatures that were found good, by everything that they depend on. That is a pure function, so there is nothing to
/// go stale; whether the key counts is asked each time.
#[derive(Debug, Default)]
pub struct VerifyMemo {
    known: Mutex<HashMap<Digest, GoodSignature>>,
    kept: Option<KnownSignatures>,
}

/// What was found good for files of one digest: the signature in them, for one item.
#[derive(Debug)]
struct GoodSignature {
    kind: ItemKind,
    id: ItemId,
    extension: String,
    comment: SignatureComment,
    seal: Seal,
    /// All of the key, because an id is only a part of its digest.
    key: [u8; 32],
}

/// More than a chain ever has; a memo that grows over it starts again.
const MEMO_SIZE: usize = 8192;

impl Verifier<'_> {
    /// Checks the signature of an item.
    ///
    /// # Errors
    /// If it may not run.
    pub fn verify(&self, item: &ReadItem, form: SignatureForm<'_>) -> Result<Verified, Box<VerifyError>> {
        let verified = |content, signer| Verified { item: item.clone(), content, signer };
        if item.is_embedded() {
            return Ok(verified(item.bytes().digest(), Signer::Program));
        }
        let checked = match form {
            SignatureForm::Line(comment) => self.check_line(item, comment),
            SignatureForm::Manifest(root) => self.check_listed(item, root),
            SignatureForm::None => self.unsigned(item),
        };
        match checked {
            Ok((content, signer)) => Ok(verified(content, signer)),
            Err(refusal) => Err(Box::new(VerifyError { item: item.clone(), refusal })),
        }
    }

    fn check_line(&self, item: &ReadItem, comment: &SignatureComment) -> Result<(Digest, Signer), Refusal> {
        let (space, bytes, kind) = (item.space(), item.bytes(), item.item().kind);
        let keyring = self.keyring(space)?;
        if let Some((seal, key)) = self.memo.get(item, comment) {
            let trusted = seal.key_status(keyring)?;
            if *trusted.key.as_bytes() == key {
                return Ok((seal.digest(), Signer::of(&seal, &trusted.owner)));
            }
        }
        let text = SignedText::split(bytes.as_slice(), comment)?;
        let Some(seal) = text.seal() else {
            return self
                .waive(space, Waiver::Unsigned)
                .map(|signer| (bytes.digest(), signer))
                .ok_or(Refusal::Unsigned);
        };
        let path = item.file_name();
        let statement = Statement::Item { kind, path: &path };
        let trusted = self.memo.check(seal, &statement, keyring)?;
        let content = text.digest();
        if content != seal.digest() {
            let refusal = Refusal::Changed { owner: trusted.owner.clone(), signed_at: seal.time() };
            return self.waive(space, Waiver::Outdated).map(|signer| (content, signer)).ok_or(refusal);
        }
        self.memo.put(item, comment, *seal, *trusted.key.as_bytes());
        Ok((content, Signer::of(seal, &trusted.owner)))
    }

    /// Looks for the item in the manifests of its folder and of those above it.
    fn check_listed(&self, item: &ReadItem, root: &SpaceRoot) -> Result<(Digest, Signer), Refusal> {
        let keyring = self.keyring(item.space())?;
        let (kind, path, digest) = (item.item().kind, item.file_name(), item.bytes().digest());
        let mut rest = path.as_str();
        while let Some((folder, _)) = rest.rsplit_once('/').or((!rest.is_empty()).then_some(("", ""))) {
            if let Some(listed) = Listed::find(root, kind, folder, &path, keyring)? {
                if listed.digest == digest {
                    return Ok((digest, listed.signer));
                }
                let refusal = Refusal::ChangedSinceListed { manifest: listed.manifest };
                let waived = self.waive(item.space(), Waiver::Outdated);
                return waived.map(|signer| (digest, signer)).ok_or(refusal);
            }
            rest = folder;
        }
        self.unsigned(item)
    }

    fn unsigned(&self, item: &ReadItem) -> Result<(Digest, Signer), Refusal> {
        self.keyring(item.space())?;
        let waived = self.waive(item.space(), Waiver::Unsigned);
        waived.map(|signer| (item.bytes().digest(), signer)).ok_or(Refusal::Unsigned)
    }

    /// The keys that count for items of a space.
    ///
    /// # Errors
    /// If it is the space of a project that is not trusted.
    pub fn keyring(&self, space: Space) -> Result<&Keyring, UntrustedProject> {
        match space {
            Space::Project => self.project.clone(),
            Space::User | Space::System => Ok(self.user),
        }
    }

    fn waive(&self, space: Space, reason: Waiver) -> Option<Signer> {
        let waived = self.strictness == Strictness::Development && space != Space::System;
        waived.then_some(Signer::Waived { reason })
    }
}

impl Listed {
    fn find(
        root: &SpaceRoot,
        kind: ItemKind,
        folder: &str,
        path: &str,
        keyring: &Keyring,
    ) -> Result<Option<Self>, Refusal> {
        let name = crate::manifest::below(folder, Manifest::FILE_NAME);
        let manifest = root.kind_path(kind).join(&name);
        let unreadable = |source| Refusal::UnreadableManifest { manifest: manifest.clone(), source };
        let Some(file) = root.open_file(kind, &name).map_err(unreadable)? else { return Ok(None) };
        let bytes = file.read().map_err(|error| unreadable(std::io::Error::other(error)))?;
        let refused = |source| Refusal::Manifest { manifest: manifest.clone(), source };
        let document = SignedDocument::<Manifest>::parse(bytes.as_slice()).map_err(refused)?;
        let (content, key) =
            document.open(&Statement::Manifest { kind, folder }, keyring).map_err(refused)?;
        let below = if folder.is_empty() { path } else { &path[folder.len() + 1..] };
        let signer = Signer::of(document.seal(), &key.owner);
        Ok(content.files().get(below).map(|&digest| Self { digest, signer, manifest: manifest.clone() }))
    }
}

impl Signer {
    pub(crate) fn of(seal: &Seal, owner: &str) -> Self {
        Self::Key { key: seal.key(), owner: owner.to_owned(), signed_at: seal.time() }
    }
}

impl Verified {
    /// The item as it was verified.
    #[must_use]
    pub fn item(&self) -> &ReadItem {
        &self.item
    }

    /// The digest of the content that was signed: of all bytes but the signature line.
    #[must_use]
    pub fn content(&self) -> Digest {
        self.content
    }

    /// Who answers for it.
    #[must_use]
    pub fn signer(&self) -> &Signer {
        &self.signer
    }
}

impl VerifyError {
    /// The item.
    #[must_use]
    pub fn item(&self) -> &ReadItem {
        &self.item
    }

    /// Why it may not run.
    #[must_use]
    pub fn refusal(&self) -> &Refusal {
        &self.refusal
    }
}

impl VerifyMemo {
    /// A memo that other processes find, too.
    #[must_use]
    pub fn kept_in(kept: KnownSignatures) -> Self {
        Self { kept: Some(kept), ..Self::default() }
    }

    /// Decides whether a seal counts, as [`Seal::check`] does, unless another process has found its signature good.
    fn check<'k>(
        &self,
        seal: &Seal,
        statement: &Statement<'_>,
        keyring: &'k Keyring,
    ) -> Result<&'k TrustedKey, SealError> {
        let Some(kept) = &self.kept else { return seal.check(statement, keyring) };
        let trusted = seal.key_status(keyring)?;
        let fingerprint = seal.fingerprint(statement, &trusted.key);
        if !kept.has(fingerprint) {
            seal.check(statement, keyring)?;
            kept.add(fingerprint);
        }
        Ok(trusted)
    }

    fn get(&self, item: &ReadItem, comment: &SignatureComment) -> Option<(Seal, [u8; 32])> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let good = known.get(&item.bytes().digest())?;
        let ItemRef { kind, id } = item.item();
        let is_same = good.kind == *kind
            && good.id == *id
            && good.extension == item.extension()
            && good.comment == *comment;
        is_same.then_some((good.seal, good.key))
    }

    fn put(&self, item: &ReadItem, comment: &SignatureComment, seal: Seal, key: [u8; 32]) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MEMO_SIZE {
            known.clear();
        }
        let ItemRef { kind, id } = item.item().clone();
        let (extension, comment) = (item.extension().to_owned(), comment.clone());
        known.insert(item.bytes().digest(), GoodSignature { kind, id, extension, comment, seal, key });
    }
}

#[cfg(test)]
mod tests {
    use std::fs::DirBuilder;
    use std::os::unix::fs::DirBuilderExt as _;

    use lillux::keys::SigningKey;

    use super::*;
    use crate::{KeyFolder, KeyOrigin, Revocation};

    #[test]
    fn a_signature_that_is_known_counts_for_its_statement_and_while_its_key_does() {
        let space = tempfile::tempdir().unwrap();
        let keys = KeyFolder::at(space.path());
        DirBuilder::new().mode(0o700).create(keys.path()).unwrap();
        let known = KnownSignatures::beside(&keys);
        let statement = Statement::Item { kind: ItemKind::Tool, path: "a/b.py" };
        let (now, key): (Timestamp, _) =
            ("2026-03-01T10:00:00Z".parse().unwrap(), SigningKey::from_seed(&[1; 32]));
        let seal = Seal::new(&statement, Digest::of(b"x"), now, &key);
        let trusted = |key| TrustedKey { key, owner: "o".into(), trusted_at: now, origin: KeyOrigin::User };
        let mut keyring = Keyring::default();
        let check = |statement: &Statement<'_>, keyring: &Keyring| {
            VerifyMemo::kept_in(known.clone()).check(&seal, statement, keyring).map(drop)
        };
        assert!(matches!(check(&statement, &keyring), Err(SealError::UnknownKey { .. })));
        keyring.trust(trusted(key.public_key()));
        assert!(!known.has(seal.fingerprint(&statement, &key.public_key())));
        assert_eq!(check(&statement, &keyring), Ok(()));
        assert!(known.has(seal.fingerprint(&statement, &key.public_key())));
        assert_eq!(check(&statement, &keyring), Ok(()));
        let other = Statement::Item { kind: ItemKind::Tool, path: "a/c.py" };
        assert!(matches!(check(&other, &keyring), Err(SealError::WrongSignature { .. })));
        assert!(!known.has(seal.fingerprint(&other, &key.public_key())), "it was not good");
        keyring.revoke(key.public_key().id(), Revocation { revoked_at: now, reason: None });
        assert!(matches!(check(&statement, &keyring), Err(SealError::RevokedKey { .. })));
    }
}
