//! Signing items, one or many.

mod manifests;
mod preview;
mod selection;
mod signing;

use std::path::PathBuf;
use std::sync::Mutex;

use lillux::keys::SigningKey;
use rye_item::{ItemKind, ItemRef, ReplaceError, Space};
use rye_metadata::Problem;
use rye_plan::parameters::SchemaError;
use rye_plan::{ChainIssue, FindError};
use rye_trust::{
    DocumentError, KeyFolder, KeyStatus, ManifestChanges, ManifestError, SignatureLineError, UntrustedProject,
};

use self::preview::Purpose;
pub use self::preview::SignPreview;
pub use self::selection::is_pattern;
pub(crate) use self::selection::matcher;
use self::selection::select;
use self::signing::Signing;
use crate::{Engine, EngineError};

/// What to sign.
#[derive(Debug, Clone)]
pub struct SignRequest {
    /// An id, or a pattern such as `my/**`.
    pub pattern: String,
    /// The kind of items; all kinds for a pattern, and tools for an id, if it is not said.
    pub kind: Option<ItemKind>,
    /// The space; the nearest one that has it, if it is not said.
    pub space: Option<Space>,
}

/// What was signed.
#[derive(Debug)]
pub struct SignReport {
    /// The key that has signed.
    pub key: String,
    /// Each item, by space, kind and id.
    pub items: Vec<SignedItem>,
    /// Each list of files that was signed with them.
    pub manifests: Vec<SignedManifest>,
}

/// What became of one item.
#[derive(Debug)]
pub struct SignedItem {
    /// The item.
    pub item: ItemRef,
    /// Its space.
    pub space: Space,
    /// Its file.
    pub path: PathBuf,
    /// What was done, or why nothing was.
    pub result: Result<Signed, SignRefusal>,
}

/// What was done to sign an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signed {
    /// It has a new signature line.
    Line,
    /// It was listed in the manifest of its folder.
    Manifest,
    /// Nothing: its signature is as it has to be.
    Already,
}

/// A list of files that was signed.
#[derive(Debug)]
pub struct SignedManifest {
    /// Its file.
    pub path: PathBuf,
    /// How many files it lists.
    pub files: usize,
    /// In what it differs from the one before it.
    pub changes: ManifestChanges,
    /// Why it could not be signed, if it could not.
    pub error: Option<SignRefusal>,
}

/// Why an item was not signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignRefusal {
    /// What it says about itself is wrong.
    #[error("{}", problems.iter().map(|problem| format!("`{}` {}", problem.field, problem.message)).collect::<Vec<_>>().join("; "))]
    Metadata {
        /// What is wrong.
        problems: Vec<Problem>,
    },
    /// The schema of its parameters is none.
    #[error("its `config_schema` is not a JSON Schema: {0}")]
    Schema(#[from] SchemaError),
    /// It could not run, signed or not.
    #[error("{}", issues.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Chain {
        /// Everything that is wrong.
        issues: Vec<ChainIssue>,
    },
    /// It is a graph that could not be walked.
    #[error("it is no graph that could be walked: {}", some_of(problems))]
    Graph {
        /// Everything that is wrong, with its place, in the order of the file.
        problems: Vec<Problem>,
    },
    /// Something in it looks like a signature line and is none.
    #[error(transparent)]
    Line(#[from] SignatureLineError),
    /// It cannot be read.
    #[error(transparent)]
    Find(#[from] FindError),
    /// It cannot be written.
    #[error("{}", crate::error::with_sources(.0))]
    Replace(#[from] ReplaceError),
    /// A list of its files cannot be made.
    #[error("{}", crate::error::with_sources(.0))]
    Manifest(#[from] ManifestError),
    /// A list of its files cannot be signed.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// It was not shown to whoever has agreed, or something else was.
    #[error("`{file}` is not what was shown")]
    NotShown {
        /// The file, by its path below the folder of its kind.
        file: String,
    },
    /// It is part of the program.
    #[error("it is part of the program, which needs no signature")]
    Program,
    /// It belongs to a project that is not trusted.
    #[error(transparent)]
    Untrusted(#[from] UntrustedProject),
}

/// Something that happens while many items are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignEvent {
    /// So many items are to be signed.
    Found(usize),
    /// So many have been looked at.
    Done(usize),
}

impl SignReport {
    /// Whether nothing was refused.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.items.iter().all(|item| item.result.is_ok())
            && self.manifests.iter().all(|manifest| manifest.error.is_none())
    }
}

impl Engine {
    /// Tells whether what a key signs would count everywhere. Whoever is about to sign for the operator asks first, so that
    /// nobody has to wonder afterwards; what counts is decided when a signature is checked.
    ///
    /// # Errors
    /// If it would not, or the operator's keys cannot be read.
    pub fn check_signing_key(&self, key: &SigningKey) -> Result<(), EngineError> {
        let user = self.user_path().ok_or(EngineError::NoUserSpace)?;
        let id = key.public_key().id();
        match KeyFolder::at(&user).keyring()?.status(id) {
            KeyStatus::Trusted(_) => Ok(()),
            KeyStatus::Unknown | KeyStatus::Revoked(_) => Err(EngineError::SigningKeyUntrusted { key: id }),
        }
    }

    /// Signs items, after looking whether they could run.
    ///
    /// # Errors
    /// As for [`sign_all`](Self::sign_all).
    pub fn sign(
        &self,
        request: &SignRequest,
        key: &SigningKey,
        events: &(dyn Fn(SignEvent) + Sync),
    ) -> Result<SignReport, EngineError> {
        self.sign_all(std::slice::from_ref(request), key, events)
    }

    /// Signs the items of several requests, each item once, after looking whether they could run. Nothing is signed
    /// before all requests are found to name something.
    ///
    /// # Errors
    /// If nothing matches, the project is not trusted, or a space cannot be used. What is wrong with single
    /// items is part of the report.
    pub fn sign_all(
        &self,
        requests: &[SignRequest],
        key: &SigningKey,
        events: &(dyn Fn(SignEvent) + Sync),
    ) -> Result<SignReport, EngineError> {
        self.go_through(requests, key, &Purpose::Sign, events)
    }

    /// Looks at everything that [`sign`](Self::sign) would sign, and changes nothing.
    ///
    /// # Errors
    /// As for [`sign_all`](Self::sign_all).
    pub fn preview_signing(
        &self,
        request: &SignRequest,
        key: &SigningKey,
    ) -> Result<SignPreview, EngineError> {
        let purpose = Purpose::Show(Mutex::default());
        let report = self.go_through(std::slice::from_ref(request), key, &purpose, &|_| {})?;
        Ok(purpose.into_preview(report.items))
    }

    /// Signs what somebody was shown. What was not there then, or was different, is refused.
    ///
    /// # Errors
    /// As for [`sign_all`](Self::sign_all).
    pub fn sign_previewed(
        &self,
        request: &SignRequest,
        preview: &SignPreview,
        key: &SigningKey,
        events: &(dyn Fn(SignEvent) + Sync),
    ) -> Result<SignReport, EngineError> {
        self.go_through(std::slice::from_ref(request), key, &Purpose::SignShown(preview), events)
    }

    fn go_through(
        &self,
        requests: &[SignRequest],
        key: &SigningKey,
        purpose: &Purpose<'_>,
        events: &(dyn Fn(SignEvent) + Sync),
    ) -> Result<SignReport, EngineError> {
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let wanted = select(&call, requests)?;
        if let Some(untrusted) = trust.project().err()
            && wanted.iter().any(|wanted| wanted.space == Space::Project)
        {
            return Err(EngineError::UntrustedProject(untrusted.clone()));
        }
        events(SignEvent::Found(wanted.len()));
        let signing = Signing::new(self, &call, &trust, key, purpose);
        let mut items = signing.sign(&wanted, events);
        items.sort_by(|one, other| {
            (one.space, one.item.kind, &one.item.id).cmp(&(other.space, other.item.kind, &other.item.id))
        });
        let manifests = signing.sign_manifests();
        Ok(SignReport { key: key.public_key().id().to_string(), items, manifests })
    }
}

/// The first problems of a file, and how many others there are.
fn some_of(problems: &[Problem]) -> String {
    const SHOWN: usize = 10;
    let mut texts: Vec<_> = problems.iter().take(SHOWN).map(ToString::to_string).collect();
    if problems.len() > SHOWN {
        texts.push(format!("and {} more", problems.len() - SHOWN));
    }
    texts.join("; ")
}
