//! What the operator has said, as it counts for one call.

use std::path::{Path, PathBuf};

use lillux::clock::{Clock as _, SystemClock};
use rye_env::dotenv_names;
use rye_item::Space;
use rye_trust::{
    KeyFolder, Keyring, OwnSignatures, ProjectDecision, ProjectDecisions, ProjectKey, ProjectKeyError,
    ProjectOffer, SignatureForm, Strictness, UntrustedProject, UntrustedReason, Verifier, project_keys,
};

use crate::engine::Call;
use crate::items::extractor_comment;
use crate::{Engine, EngineError};

/// The keys that count, and whether the project does.
#[derive(Debug)]
pub(crate) struct Trust {
    user: Keyring,
    project: Result<Keyring, UntrustedProject>,
    decision: Option<ProjectDecision>,
    strictness: Strictness,
}

/// What a project brings along that would have power over what runs.
#[derive(Debug)]
pub struct ProjectReport {
    /// The project's folder.
    pub path: PathBuf,
    /// Whether it is trusted as it is.
    pub decision: Result<ProjectDecision, UntrustedProject>,
    /// Keys whose signatures would count for its items.
    pub keys: Vec<ProjectKey>,
    /// Files that look like keys and are none.
    pub key_problems: Vec<ProjectKeyError>,
    /// Files that set variables, and the names of those.
    pub variables: Vec<(PathBuf, Vec<String>)>,
    /// Folders that hold interpreters, and the programs in them.
    pub interpreters: Vec<(String, Vec<String>)>,
    /// How many items there are of each signer, as the files say.
    pub signers: Vec<(String, usize)>,
}

/// Folders of a project in which interpreters are installed.
const INTERPRETER_FOLDERS: [&str; 7] = [
    "bin",
    ".venv/bin",
    ".venv/Scripts",
    "node_modules/.bin",
    ".ai/scripts/.venv/bin",
    ".ai/scripts/.venv/Scripts",
    ".ai/scripts/node_modules/.bin",
];

/// What folders of installed packages are called.
const INSTALLED: [&str; 2] = ["node_modules", ".venv"];
/// No tool is further down.
const MAX_DEPTH: usize = 32;

impl Trust {
    /// Whether the project's keys, interpreters and variables count.
    pub(crate) fn project(&self) -> Result<(), &UntrustedProject> {
        self.project.as_ref().map(|_| ())
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
    /// Reads what the operator has said. That happens anew for each call: a revoked key must not count a moment longer.
    pub(crate) fn trust_of(&self, call: &Call) -> Result<Trust, EngineError> {
        let user_path = self.user_path();
        let user = match &user_path {
            Some(path) => KeyFolder::at(path).keyring()?,
            None => Keyring::default(),
        };
        let strictness = self.settings.strictness;
        let Some(path) = call.project_folder() else {
            return Ok(Trust { project: Ok(user.clone()), user, decision: None, strictness });
        };
        let shipped = project_keys(&path.join(".ai"));
        let (project, decision) = match self.decision(path, &offer(path, &shipped.keys)) {
            Err(untrusted) => (Err(untrusted), None),
            Ok(decision) => {
                let mut keyring = user.clone();
                for key in &shipped.keys {
                    keyring.trust(key.trusted_since(decision.trusted_at));
                }
                (Ok(keyring), Some(decision))
            }
        };
        Ok(Trust { user, project, decision, strictness })
    }

    fn decision(&self, project: &Path, offer: &ProjectOffer) -> Result<ProjectDecision, UntrustedProject> {
        match self.user_path() {
            Some(user) => ProjectDecisions::of(&user).check(project, offer),
            None => Err(UntrustedProject { path: project.to_owned(), reason: UntrustedReason::Undecided }),
        }
    }

    /// What the project brings along.
    ///
    /// # Errors
    /// If there is no project, or it cannot be read.
    pub fn project_report(&self) -> Result<ProjectReport, EngineError> {
        let call = self.call()?;
        let path = call.project_folder().ok_or_else(|| no_project(&call))?.to_owned();
        let shipped = project_keys(&path.join(".ai"));
        let decision = self.decision(&path, &offer(&path, &shipped.keys));
        let known = INTERPRETER_FOLDERS.iter().map(|&folder| folder.to_owned());
        let interpreters = known.chain(installed_folders(&path)).filter_map(|folder| {
            let entries = std::fs::read_dir(path.join(&folder)).ok()?.flatten();
            let mut names: Vec<_> =
                entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            Some((folder, names))
        });
        Ok(ProjectReport {
            decision,
            keys: shipped.keys,
            key_problems: shipped.problems,
            variables: dotenv_names(&path),
            interpreters: interpreters.collect(),
            signers: self.count_signers(&call)?,
            path,
        })
    }

    /// Trusts the project with everything that it brings along now.
    ///
    /// # Errors
    /// If there is no project or no user space, or the decision cannot be kept.
    pub fn trust_project(&self) -> Result<ProjectDecision, EngineError> {
        let call = self.call()?;
        let path = call.project_folder().ok_or_else(|| no_project(&call))?;
        let shipped = project_keys(&path.join(".ai"));
        let decisions = ProjectDecisions::of(&self.user_path().ok_or(EngineError::NoUserSpace)?);
        let mut offer = offer(path, &shipped.keys);
        offer.interpreters.extend(installed_folders(path));
        Ok(decisions.trust(path, offer, SystemClock.now())?)
    }

    /// Takes back the trust in a project, whether it is there any more or not. Tells whether there was any.
    ///
    /// # Errors
    /// If there is no user space, or the decision cannot be removed.
    pub fn revoke_project(&self, project: &Path) -> Result<bool, EngineError> {
        Ok(ProjectDecisions::of(&self.user_path().ok_or(EngineError::NoUserSpace)?).revoke(project)?)
    }

    /// All projects that are trusted.
    ///
    /// # Errors
    /// If there is no user space, or the decisions cannot be read.
    pub fn trusted_projects(&self) -> Result<Vec<ProjectDecision>, EngineError> {
        Ok(ProjectDecisions::of(&self.user_path().ok_or(EngineError::NoUserSpace)?).list()?)
    }

    /// How many items of the project each signer has, the most first, as the files say.
    fn count_signers(&self, call: &Call) -> Result<Vec<(String, usize)>, EngineError> {
        let mut counts = std::collections::BTreeMap::<String, usize>::new();
        let catalogs = self.catalogs(call)?;
        for document in catalogs.iter().flat_map(|current| current.catalog.index.documents()) {
            if document.space() == Space::Project {
                let signer =
                    crate::catalog::Record::summary(document.payload()).map(|summary| summary.signer);
                let name = match signer {
                    Some(crate::Claim::Key(key)) => key,
                    _ => "nobody".to_owned(),
                };
                *counts.entry(name).or_default() += 1;
            }
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        Ok(counts)
    }
}

/// What has power over what runs, in a form that can be compared.
fn offer(project: &Path, keys: &[ProjectKey]) -> ProjectOffer {
    let has_folder = |folder: &&str| project.join(folder).is_dir();
    let names = dotenv_names(project).into_iter().flat_map(|(_, names)| names);
    ProjectOffer {
        keys: keys.iter().map(|key| key.key.id()).collect(),
        interpreters: INTERPRETER_FOLDERS
            .iter()
            .filter(|folder| has_folder(folder))
            .map(|folder| (*folder).to_owned())
            .collect(),
        variables: names.collect(),
    }
}

/// The folders of installed packages beside the tools of a project. To look for them takes a walk, so that is done when
/// the operator decides, and a run asks about the one that it needs.
fn installed_folders(project: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![(PathBuf::from(".ai").join(rye_item::ItemKind::Tool.folder()), 0)];
    while let Some((below, depth)) = waiting.pop() {
        for entry in std::fs::read_dir(project.join(&below)).into_iter().flatten().flatten() {
            let path = below.join(entry.file_name());
            if INSTALLED.iter().any(|name| entry.file_name() == *name) && entry.path().is_dir() {
                found.push(path.to_string_lossy().into_owned());
            } else if depth < MAX_DEPTH && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push((path, depth + 1));
            }
        }
    }
    found.sort();
    found
}

fn no_project(call: &Call) -> EngineError {
    EngineError::NoProject { start: call.spaces.project().path().to_owned() }
}
