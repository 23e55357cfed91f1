//! Whose signatures count, and what they say.
//!
//! A [`Seal`] is a signature over a [`Statement`]: "this is the content of that item". It stands as a comment line in the
//! item's own file, or, for files that have no comments, in a signed document beside them. Whether it counts is decided by
//! the [`Keyring`] of the operator and by nothing that came with the file.
//!
//! This crate decides and explains; it runs nothing.
//!
//! ```
//! use lillux::Digest;
//! use lillux::keys::SigningKey;
//! use rye_item::ItemKind;
//! use rye_trust::{Keyring, Seal, SealError, Statement};
//!
//! let key = SigningKey::generate()?;
//! let tool = Statement::Item { kind: ItemKind::Tool, path: "demo/hello.py" };
//! let seal = Seal::new(&tool, Digest::of(b"print(1)"), "2026-01-01T00:00:00Z".parse()?, &key);
//! assert!(matches!(seal.check(&tool, &Keyring::default()), Err(SealError::UnknownKey { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dependency_rules;
mod document;
mod file_trust;
mod key_folder;
mod key_id_prefix;
mod keyring;
mod known_signatures;
mod left_out;
mod lock;
mod manifest;
mod name_collision;
mod plain_text;
mod project;
mod project_keys;
mod public_key_file;
mod seal;
mod signature_line;
pub mod snapshot;
mod verify;

pub use dependency_rules::DependencyRules;
pub use document::{DocumentError, SignedDocument};
pub use file_trust::{FileTrust, OwnSignatures};
pub use key_folder::{
    Decision, ExistingKey, InstalledKey, KeyFileProblem, KeyFolder, KeyFolderError, NewSigningKey, OwnKey,
    shell_word,
};
pub use key_id_prefix::{FindKeyError, KeyIdPrefix, ParseKeyIdPrefixError};
pub use keyring::{KeyOrigin, KeyStatus, Keyring, Revocation, TrustedKey};
pub use known_signatures::KnownSignatures;
pub use left_out::{LeftOut, LeftOutReason};
pub use lock::{Lock, LockDifference, LockedElement};
pub use manifest::{MAX_DEPENDENCY_BYTES, Manifest, ManifestChanges, ManifestDraft, ManifestError};
pub use name_collision::NameCollision;
pub use plain_text::PlainTextError;
pub use project::{
    DecisionError, ProjectDecision, ProjectDecisions, ProjectOffer, UntrustedProject, UntrustedReason,
};
pub use project_keys::{ProjectKey, ProjectKeyError, ProjectKeyProblem, ProjectKeys, project_keys};
pub use public_key_file::{PublicKeyFile, PublicKeyFileError, SyntaxError};
pub use seal::{ParseSealError, Seal, SealError, Statement};
pub use signature_line::{SignatureLineError, SignedText};
pub use verify::{
    Refusal, SignatureForm, Signer, Strictness, Verified, Verifier, VerifyError, VerifyMemo, Waiver,
};
