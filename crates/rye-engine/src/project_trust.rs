//! What a project brings along, and the operator's decision about it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lillux::clock::{Clock as _, SystemClock};
use rye_env::dotenv_names;
use rye_item::{ItemId, ItemKind, ItemRef, Space};
use rye_trust::{
    KeyFolder, Keyring, Manifest, ProjectDecision, ProjectDecisions, ProjectKey, ProjectKeyError,
    ProjectOffer, SignedDocument, UntrustedProject, project_keys,
};

use crate::catalog::Record;
use crate::engine::Call;
use crate::{Claim, Engine, EngineError};

/// What a project brings along that would have power over what runs.
#[derive(Debug)]
pub struct ProjectReport {
    /// The project's folder.
    pub path: PathBuf,
    /// Whether it is trusted as it is.
    pub decision: Result<ProjectDecision, UntrustedProject>,
    /// Everything that would be decided about.
    pub offer: ProjectOffer,
    /// Keys whose signatures would count for its items.
    pub keys: Vec<ProjectKey>,
    /// Files that look like keys and are none.
    pub key_problems: Vec<ProjectKeyError>,
    /// Files that set variables, and the names of those.
    pub variables: Vec<(PathBuf, Vec<String>)>,
    /// Folders that hold interpreters, and the programs in them.
    pub interpreters: Vec<(String, Vec<String>)>,
    /// How many items there are of each signer, the most first, as the files say.
    pub signers: Vec<SignerCount>,
}

/// How many items of a project somebody has signed, as the files say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignerCount {
    /// Who that is.
    pub signer: Claim,
    /// Whose key that is, if the operator or the project says so.
    pub owner: Option<String>,
    /// How many items.
    pub items: usize,
}

/// Folders of a project in which interpreters are installed.
pub(crate) const INTERPRETER_FOLDERS: [&str; 7] = [
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

impl Engine {
    /// The folder of the project.
    ///
    /// # Errors
    /// If there is no project, or it cannot be read.
    pub fn project_path(&self) -> Result<PathBuf, EngineError> {
        let call = self.call()?;
        Ok(call.project_folder().ok_or_else(|| no_project(&call))?.to_owned())
    }

    /// What the project brings along.
    ///
    /// # Errors
    /// If there is no project, or it cannot be read.
    pub fn project_report(&self) -> Result<ProjectReport, EngineError> {
        let call = self.call()?;
        let path = call.project_folder().ok_or_else(|| no_project(&call))?.to_owned();
        let shipped = project_keys(&path.join(".ai"));
        let variables = dotenv_names(&path);
        let mut offer = offer(&path, &shipped.keys, &variables);
        offer.interpreters.extend(installed_folders(&path));
        let interpreters = offer.interpreters.iter().map(|folder| {
            let entries = std::fs::read_dir(path.join(folder)).into_iter().flatten().flatten();
            let mut names: Vec<_> =
                entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            (folder.clone(), names)
        });
        Ok(ProjectReport {
            decision: self.decision(&path, &offer),
            interpreters: interpreters.collect(),
            variables,
            signers: self.count_signers(&call, &shipped.keys)?,
            offer,
            keys: shipped.keys,
            key_problems: shipped.problems,
            path,
        })
    }

    /// Trusts the project with everything that it brings along now.
    ///
    /// # Errors
    /// If there is no project or no user space, or the decision cannot be kept.
    pub fn trust_project(&self) -> Result<ProjectDecision, EngineError> {
        self.trust_as_shown(&self.project_report()?)
    }

    /// Trusts a project with what the operator was shown. What it has brought along since then does not count.
    ///
    /// # Errors
    /// If there is no user space, or the decision cannot be kept.
    pub fn trust_as_shown(&self, shown: &ProjectReport) -> Result<ProjectDecision, EngineError> {
        let decisions = ProjectDecisions::of(&self.user_path().ok_or(EngineError::NoUserSpace)?);
        Ok(decisions.trust(&shown.path, shown.offer.clone(), SystemClock.now())?)
    }

    /// Takes back the trust in a project, whether it is there any more or not. Tells whether there was any.
    ///
    /// # Errors
    /// If there is no user space, or the decision cannot be removed.
    pub fn revoke_project(&self, project: &Path) -> Result<bool, EngineError> {
        let decisions = ProjectDecisions::of(&self.user_path().ok_or(EngineError::NoUserSpace)?);
        Ok(decisions.revoke(&without_links(project))?)
    }

    /// All projects that are trusted.
    ///
    /// # Errors
    /// If there is no user space, or the decisions cannot be read.
    pub fn trusted_projects(&self) -> Result<Vec<ProjectDecision>, EngineError> {
        Ok(ProjectDecisions::of(&self.user_path().ok_or(EngineError::NoUserSpace)?).list()?)
    }

    /// How many items of the project each signer has, the most first, as the files say.
    fn count_signers(&self, call: &Call, shipped: &[ProjectKey]) -> Result<Vec<SignerCount>, EngineError> {
        let mut counts = BTreeMap::<Option<String>, usize>::new();
        let catalogs = self.catalogs(call)?;
        for document in catalogs.iter().flat_map(|current| current.catalog.index.documents()) {
            if document.space() == Space::Project {
                let summary = Record::summary(document.payload());
                let signer = match summary.map(|summary| summary.signer) {
                    Some(Claim::Key(key)) => Some(key),
                    _ => listed_by(call, document.kind(), document.item_id().ok().as_ref()),
                };
                *counts.entry(signer).or_default() += 1;
            }
        }
        let keyring = self.user_path().map(|path| KeyFolder::at(&path).keyring()).transpose()?;
        let trusted = keyring.iter().flat_map(Keyring::trusted).map(|(id, key)| (id, key.owner.clone()));
        let owners: Vec<_> =
            trusted.chain(shipped.iter().map(|key| (key.key.id(), key.owner.clone()))).collect();
        let count = |(key, items): (Option<String>, usize)| {
            let owner = owners.iter().find(|(id, _)| Some(id.to_string()) == key);
            let owner = owner.map(|(_, owner)| owner.clone());
            SignerCount { signer: key.map_or(Claim::Nobody, Claim::Key), owner, items }
        };
        let mut counts: Vec<_> = counts.into_iter().map(count).collect();
        counts.sort_by_key(|count| std::cmp::Reverse(count.items));
        Ok(counts)
    }
}

/// The key that is said to have signed a list of files with this item in it. What is signed so has no line of its own.
fn listed_by(call: &Call, kind: ItemKind, id: Option<&ItemId>) -> Option<String> {
    let root = call.spaces.get(Space::Project)?;
    let located =
        root.locate_exactly(&ItemRef::new(kind, id?.clone()), call.extractors.extensions()).ok()??;
    if call.extractors.get(Space::Project, &located.extension)?.signature().is_some() {
        return None;
    }
    let path = format!("{}.{}", located.item.id, located.extension);
    let own = located.item.id.parent().unwrap_or_default();
    let above = own.match_indices('/').rev().map(|(end, _)| &own[..end]);
    [own].into_iter().chain(above).chain([""]).find_map(|folder| {
        let (name, below) = match folder {
            "" => (Manifest::FILE_NAME.to_owned(), path.as_str()),
            folder => (format!("{folder}/{}", Manifest::FILE_NAME), &path[folder.len() + 1..]),
        };
        let bytes = root.open_file(kind, &name).ok()??.read().ok()?;
        let document = SignedDocument::<Manifest>::parse(bytes.as_slice()).ok()?;
        let is_listed = document.alleged_content().files().contains_key(below);
        is_listed.then(|| document.seal().key().to_string())
    })
}

/// A path without links on the way, as far as it is there.
fn without_links(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    for above in path.ancestors() {
        if let Ok(real) = above.canonicalize() {
            return rest.into_iter().rev().fold(real, |path, name| path.join(name));
        }
        match above.components().next_back() {
            Some(name) => rest.push(name),
            None => break,
        }
    }
    path.to_owned()
}

/// What has power over what runs, in a form that can be compared.
pub(crate) fn offer(
    project: &Path,
    keys: &[ProjectKey],
    variables: &[(PathBuf, Vec<String>)],
) -> ProjectOffer {
    let has_folder = |folder: &&str| project.join(folder).is_dir();
    let folders = INTERPRETER_FOLDERS.into_iter().filter(has_folder);
    ProjectOffer {
        keys: keys.iter().map(|key| key.key.id()).collect(),
        interpreters: folders.map(str::to_owned).collect(),
        variables: variables.iter().flat_map(|(_, names)| names).cloned().collect(),
    }
}

/// The folders of installed packages beside the tools of a project. To look for them takes a walk, so that is done when
/// the operator decides, and a run asks about the one that it needs.
fn installed_folders(project: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![(PathBuf::from(".ai").join(ItemKind::Tool.folder()), 0)];
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
