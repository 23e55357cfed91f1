//! The operator's keys, and the project.

use rye_engine::{Engine, EngineError, with_sources};
use rye_item::Spaces;
use rye_trust::{KeyFolder, KeyFolderError, KeyStatus, shell_word};

use super::Check;
use crate::command_error::CommandError;

pub(super) fn check(engine: &Engine, checks: &mut Vec<Check>) {
    checks.push(keys(engine).unwrap_or_else(|error| {
        let error = CommandError::from(error);
        Check::failure("keys", error.message(), error.hint().map(str::to_owned))
    }));
    checks.push(project(engine));
}

/// Reading keys includes a look at who else could read or change them.
fn keys(engine: &Engine) -> Result<Check, KeyFolderError> {
    let Some(user_space) = Spaces::user_path(&engine.settings().spaces) else {
        let hint = Some("set HOME or USER_SPACE".to_owned());
        return Ok(Check::failure("keys", "there is no user space", hint));
    };
    let folder = KeyFolder::at(&user_space);
    let keyring = folder.keyring()?;
    let Some(own) = folder.own_key()? else {
        return Ok(Check::warning("keys", "there is none to sign with", "run `rye init`"));
    };
    let (id, path) = (own.key.id(), own.path.display());
    Ok(match keyring.status(id) {
        KeyStatus::Trusted(known) => {
            let protection = if own.is_protected { "with a passphrase" } else { "without a passphrase" };
            let others = keyring.trusted().count().saturating_sub(1);
            let message =
                format!("{id} of {}, {protection}, in {path}; {others} others are trusted", known.owner);
            Check::good("keys", message)
        }
        KeyStatus::Revoked(_) => {
            let hint = Some("run `rye keys generate --rotate`, and sign again".to_owned());
            Check::failure("keys", format!("the signing key {id} was revoked"), hint)
        }
        KeyStatus::Unknown => {
            let hint = Some("run `rye keys export > key.pem` and `rye keys trust key.pem`".to_owned());
            Check::failure("keys", format!("the signing key {id} is not trusted"), hint)
        }
    })
}

fn project(engine: &Engine) -> Check {
    match engine.project_report() {
        Ok(report) => match &report.decision {
            Ok(decision) => {
                let message = format!("{} is trusted since {}", report.path.display(), decision.trusted_at);
                Check::good("project", message)
            }
            Err(error) => {
                let hint =
                    format!("run `rye trust {}`, which shows what it brings", shell_word(&report.path));
                Check::warning("project", with_sources(error), hint)
            }
        },
        Err(EngineError::NoProject { start }) => {
            Check::warning("project", format!("{} is in none", start.display()), "run `rye init`")
        }
        // That was told already.
        Err(EngineError::Keys(_)) => {
            Check::warning("project", "whether it is trusted is not known", "put the keys right")
        }
        Err(error) => Check::failure("project", with_sources(&error), error.hint()),
    }
}
