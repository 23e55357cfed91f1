//! What somebody who has just begun still has to do before anything of theirs can run.

use std::path::Path;

use rye_engine::{Engine, EngineError, SpaceSettings};
use rye_item::{Space, Spaces};
use rye_trust::{KeyFolder, shell_word};

use crate::command_error::CommandError;

/// Whether there is a key to sign with. One that cannot be read is there.
pub(crate) fn has_key(settings: &SpaceSettings) -> bool {
    let folder = Spaces::user_path(settings).map(|path| KeyFolder::at(&path));
    folder.is_some_and(|folder| !matches!(folder.own_key(), Ok(None)))
}

/// The command that is missing before items of a space can be signed, if one is.
pub(crate) fn before_signing(engine: &Engine, space: Space) -> Option<String> {
    let settings = &engine.settings().spaces;
    let project = (space == Space::Project).then(|| engine.project_report().ok());
    let untrusted = project.flatten().and_then(|report| report.decision.err());
    match (has_key(settings), untrusted) {
        (true, None) => None,
        (false, None) => Some("rye keys generate".to_owned()),
        (true, Some(untrusted)) => Some(format!("rye trust {}", shell_word(&untrusted.path))),
        (false, Some(untrusted)) => Some(init(settings, &untrusted.path)),
    }
}

/// A command that is typed here and works in the project that was named, if one was.
pub(crate) fn with_project(command: &str, settings: &SpaceSettings) -> String {
    match &settings.project {
        Some(project) => format!("{command} --project {}", shell_word(project)),
        None => command.to_owned(),
    }
}

/// The command that prepares a project.
fn init(settings: &SpaceSettings, project: &Path) -> String {
    let is_here = settings.project.is_none() && settings.start == *project;
    if is_here { "rye init".to_owned() } else { format!("rye init --project {}", shell_word(project)) }
}

/// An error of somebody who has no key yet leads on to a tool that runs.
pub(crate) fn lead_on(error: EngineError, engine: &Engine) -> CommandError {
    let Some((sign, space)) = error.sign_command().filter(|_| !has_key(&engine.settings().spaces)) else {
        return error.into();
    };
    match before_signing(engine, space) {
        Some(command) => {
            let sign = with_project(&sign, &engine.settings().spaces);
            CommandError::from(error).with_hint(format!("run `{command}`, then `{sign}`"))
        }
        None => error.into(),
    }
}
