//! What the operator has said, as it counts for one call.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rye_env::{ProjectTrust, dotenv_names};
use rye_item::Space;
use rye_trust::{
    KeyFolder, Keyring, OwnSignatures, ProjectDecision, ProjectDecisions, ProjectOffer, SignatureForm,
    Strictness, UntrustedProject, UntrustedReason, Verifier, project_keys,
};

use crate::engine::Call;
use crate::items::extractor_comment;
use crate::project_trust::offer;
use crate::{Engine, EngineError, Lifetime};

/// The keys that count, and whether the project does.
#[derive(Debug)]
pub(crate) struct Trust {
    user: Keyring,
    project: Result<Keyring, UntrustedProject>,
    decision: Option<ProjectDecision>,
    strictness: Strictness,
    /// What tells it from what was said at another time.
    pub(crate) serial: u64,
}

impl Trust {
    /// Whether the project's keys, interpreters and variables count.
    pub(crate) fn project(&self) -> Result<(), &UntrustedProject> {
        self.project.as_ref().map(|_| ())
    }

    /// The same, with the names of the variables that were decided about.
    pub(crate) fn as_decided(&self) -> ProjectTrust<'_> {
        match &self.decision {
            Some(decision) => ProjectTrust::Trusted { variables: &decision.offer.variables },
            None => ProjectTrust::Untrusted,
        }
    }

    /// The keys that count for items of a space.
    pub(crate) fn keyring(&self, space: Space) -> Result<&Keyring, UntrustedProject> {
        match space {
            Space::Project => self.project.as_ref().map_err(Clone::clone),
            Space::User | Space::System => Ok(&self.user),
        }
    }

    /// What decides which files of a space carry a signature that counts.
    pub(crate) fn own_signatures(
        &self,
        engine: &Engine,
        call: &Call,
        space: Space,
    ) -> Result<OwnSignatures<'_>, UntrustedProject> {
        let verifier = self.verifier(engine);
        let comment = extractor_comment();
        let comments = call
            .extractors
            .comments(space, |file| verifier.verify(file, SignatureForm::Line(&comment)).is_ok());
        Ok(OwnSignatures::new(self.keyring(space)?, comments))
    }

    /// Asks whether a folder of installed packages beside a project's tool was there when the project was trusted. What
    /// is in it is code that nobody signs.
    pub(crate) fn check_installed(&self, project: &Path, folder: &Path) -> Result<(), UntrustedProject> {
        let name = folder.strip_prefix(project).unwrap_or(folder).to_string_lossy().into_owned();
        let path = project.to_owned();
        let reason = match &self.decision {
            Some(decision) if decision.offer.interpreters.contains(&name) => return Ok(()),
            Some(decision) => UntrustedReason::BringsMore {
                trusted_at: decision.trusted_at,
                more: ProjectOffer { interpreters: [name].into(), ..ProjectOffer::default() },
            },
            None => UntrustedReason::Undecided,
        };
        Err(UntrustedProject { path, reason })
    }

    pub(crate) fn verifier<'a>(&'a self, engine: &'a Engine) -> Verifier<'a> {
        Verifier {
            user: &self.user,
            project: self.project.as_ref().map_err(Clone::clone),
            strictness: self.strictness,
            memo: &engine.verify_memo,
        }
    }
}

impl Engine {
    /// What the operator has said. A process that lives long reads it anew as soon as anything has changed: a revoked key
    /// must not count a moment longer.
    pub(crate) fn trust_of(&self, call: &Call) -> Result<Arc<Trust>, EngineError> {
        match self.settings.lifetime {
            Lifetime::Short => Ok(Arc::new(self.read_trust(call)?)),
            Lifetime::Long => {
                self.known_trust.get(call, self.user_path().as_deref(), || self.read_trust(call))
            }
        }
    }

    fn read_trust(&self, call: &Call) -> Result<Trust, EngineError> {
        let user_path = self.user_path();
        let user = match &user_path {
            Some(path) => KeyFolder::at(path).keyring()?,
            None => Keyring::default(),
        };
        let (strictness, serial) = (self.settings.strictness, next_serial());
        let Some(path) = call.project_folder() else {
            return Ok(Trust { project: Ok(user.clone()), user, decision: None, strictness, serial });
        };
        let shipped = project_keys(&path.join(".ai"));
        let (project, decision) = match self.decision(path, &offer(path, &shipped.keys, &dotenv_names(path)))
        {
            Err(untrusted) => (Err(untrusted), None),
            Ok(decision) => {
                let mut keyring = user.clone();
                for key in &shipped.keys {
                    keyring.trust(key.trusted_since(decision.trusted_at));
                }
                (Ok(keyring), Some(decision))
            }
        };
        Ok(Trust { user, project, decision, strictness, serial })
    }

    pub(crate) fn decision(
        &self,
        project: &Path,
        offer: &ProjectOffer,
    ) -> Result<ProjectDecision, UntrustedProject> {
        match self.user_path() {
            Some(user) => ProjectDecisions::of(&user).check(project, offer),
            None => Err(UntrustedProject { path: project.to_owned(), reason: UntrustedReason::Undecided }),
        }
    }

    /// Why the items of the project would not run, in words, for answers that only tell about it.
    pub(crate) fn project_remark(&self, call: &Call) -> Option<String> {
        call.project_folder()?;
        match self.trust_of(call) {
            Ok(trust) => trust.project().err().map(|untrusted| crate::with_sources(untrusted)),
            Err(error) => Some(crate::with_sources(&error)),
        }
    }
}

fn next_serial() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
