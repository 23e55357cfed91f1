//! What to do about an item, a key or a project that does not count: always a command that can be typed.

use rye_item::{ItemKind, ItemRef, Space};
use rye_plan::{ChainIssue, CopyError, PlanError, PlanErrorKind};
use rye_trust::snapshot::{RequireError, SnapshotErrorKind};
use rye_trust::{
    KeyFileProblem, KeyFolderError, Refusal, SealError, UntrustedProject, VerifyError, shell_word,
};

use crate::{EngineError, LockError};

/// What to do about an error, if it is about trust.
pub(crate) fn of_error(error: &EngineError) -> Option<String> {
    match error {
        EngineError::Chain(error) => of_issues(&error.issues),
        EngineError::Refused(error) => Some(of_refusal(error)),
        EngineError::Plan(error) => of_plan(error),
        EngineError::UntrustedProject(untrusted) => Some(of_project(untrusted)),
        EngineError::Lock(error) => of_lock(error),
        EngineError::Keys(error) => of_keys(error),
        EngineError::SigningKeyUntrusted { .. } => Some(
            "run `rye keys export > FILE` and `rye keys trust FILE`, or `rye keys generate --rotate`"
                .to_owned(),
        ),
        EngineError::NothingMatches { .. } => Some(
            "`*` stays within one part of an id and `**` does not; `--space` chooses the space".to_owned(),
        ),
        _ => None,
    }
}

/// What to do about a chain: about the issue that is nearest to the item, and about all that are like it.
pub(crate) fn of_issues(issues: &[ChainIssue]) -> Option<String> {
    let ChainIssue::Refused(first) = issues.first()? else { return None };
    if !matches!(first.refusal(), Refusal::Unsigned) {
        return Some(of_refusal(first));
    }
    let mut items = Vec::new();
    for issue in issues {
        if let ChainIssue::Refused(error) = issue
            && matches!(error.refusal(), Refusal::Unsigned)
            && error.item().space() == first.item().space()
            && !items.contains(&error.item().item())
        {
            items.push(error.item().item());
        }
    }
    Some(format!("run `{}`", sign(&items, first.item().space())))
}

fn of_refusal(error: &VerifyError) -> String {
    let file = error.item();
    let sign = sign(&[file.item()], file.space());
    let path = file.path().display();
    match error.refusal() {
        Refusal::Unsigned => format!("run `{sign}`"),
        Refusal::Project(untrusted) => of_project(untrusted),
        Refusal::Line(_) => format!("take that line out of `{path}`, look at the rest, and run `{sign}`"),
        Refusal::Seal(SealError::UnknownKey { .. }) => format!(
            "if you know whose key that is, run `rye keys trust FILE` with its public key; or look at `{path}`, and run `{sign}`"
        ),
        _ => format!("look at `{path}`, and if that is what shall run, run `{sign}`"),
    }
}

fn of_plan(error: &PlanError) -> Option<String> {
    let snapshot = match &*error.kind {
        PlanErrorKind::Copy(CopyError::Snapshot(snapshot)) => snapshot,
        PlanErrorKind::Copy(CopyError::Untrusted(untrusted)) => return Some(of_project(untrusted)),
        _ => return None,
    };
    let sign = sign(&[&error.item], Space::Project);
    match snapshot.kind() {
        SnapshotErrorKind::DependencyUnverified { folder, .. } => {
            Some(format!("look at the files in `{}`, and if they shall run, run `{sign}`", folder.display()))
        }
        SnapshotErrorKind::Manifest { path, .. } => {
            let folder = path.parent().unwrap_or(path).display();
            Some(format!("look at the files in `{folder}`, and if they shall run, run `{sign}`"))
        }
        SnapshotErrorKind::Require(RequireError::Unverified { .. }) => {
            Some(format!("look at it, and if it shall run, run `{sign}`"))
        }
        _ => None,
    }
}

fn of_project(untrusted: &UntrustedProject) -> String {
    format!("run `rye trust {}`, which shows what it brings", shell_word(&untrusted.path))
}

fn of_lock(error: &LockError) -> Option<String> {
    match error {
        LockError::Mismatch { item, space, .. } => {
            let user = if *space == Space::User { " --user" } else { "" };
            Some(format!("if that is what shall run, run `rye lock {}{user}`", item.id))
        }
        LockError::Missing { item } => Some(format!("run `rye lock {}`", item.id)),
        LockError::Document { path, .. } => {
            Some(format!("lock the item again with `rye lock`, or run `rm {}`", shell_word(path)))
        }
        LockError::File { .. } | LockError::Version { .. } => None,
    }
}

fn of_keys(error: &KeyFolderError) -> Option<String> {
    match (error.repair(), error) {
        (Some(command), _) => Some(format!("run `{command}`; until then no key counts")),
        // What the system says names the command.
        (None, KeyFolderError::File { problem: KeyFileProblem::Stored(_), .. }) => None,
        (None, KeyFolderError::File { .. }) => {
            Some("put the file right, or restore it from a backup; until then no key counts".to_owned())
        }
        (None, _) => None,
    }
}

impl EngineError {
    /// The command that signs what nobody has signed, or what cannot count before the project does, with the space of it.
    #[must_use]
    pub fn sign_command(&self) -> Option<(String, Space)> {
        let is_early =
            |error: &VerifyError| matches!(error.refusal(), Refusal::Unsigned | Refusal::Project(_));
        let refused: Vec<&VerifyError> = match self {
            Self::Refused(error) => vec![error],
            Self::Chain(error) => {
                let mut refused = Vec::new();
                for issue in &error.issues {
                    let ChainIssue::Refused(error) = issue else { return None };
                    refused.push(&**error);
                }
                refused
            }
            _ => return None,
        };
        let space = refused.first()?.item().space();
        let mut items = Vec::new();
        for error in refused {
            if !is_early(error) || error.item().space() != space {
                return None;
            }
            if !items.contains(&error.item().item()) {
                items.push(error.item().item());
            }
        }
        Some((sign(&items, space), space))
    }
}

/// The command that signs items. The nearest space that has an item is that of the project, if there is one.
#[must_use]
pub fn sign(items: &[&ItemRef], space: Space) -> String {
    let mut words = vec!["rye sign"];
    words.extend(items.iter().map(|item| item.id.as_str()));
    if let Some(kind) = items.first().map(|item| item.kind).filter(|kind| *kind != ItemKind::Tool) {
        words.extend(["--kind", kind.name()]);
    }
    if space != Space::Project {
        words.extend(["--space", space.name()]);
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use rye_item::ItemId;

    use super::*;

    #[test]
    fn a_command_names_kind_and_space_where_they_are_not_the_usual() {
        let item = |kind, id: &str| ItemRef::new(kind, ItemId::new(id).unwrap());
        let (tool, review) = (item(ItemKind::Tool, "a/b"), item(ItemKind::Directive, "review"));
        assert_eq!(sign(&[&tool], Space::Project), "rye sign a/b");
        assert_eq!(sign(&[&tool, &tool], Space::User), "rye sign a/b a/b --space user");
        assert_eq!(sign(&[&review], Space::System), "rye sign review --kind directive --space system");
    }
}
