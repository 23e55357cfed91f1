//! The program itself, its folders, and what keeps processes together here.

use std::path::Path;
use std::time::Duration;

use lillux::process::{Ending, RunRequest, run};
use rustix::fs::{Access, access};
use rye_engine::{Engine, EngineSettings, with_sources};
use rye_trust::shell_word;

use super::Check;

pub(super) fn check(engine: &Engine, checks: &mut Vec<Check>) {
    let settings = engine.settings();
    checks.push(program(settings));
    checks.push(bundle(engine));
    checks.push(folder("cache", settings.cache.as_deref(), "set HOME or XDG_CACHE_HOME"));
    checks.push(folder("state", settings.state.as_deref(), "set HOME or XDG_STATE_HOME"));
    checks.push(containment(settings));
}

/// Whether `rye` on a command line, or in the configuration of a client, is this program.
fn program(settings: &EngineSettings) -> Check {
    let own = settings.program.canonicalize().unwrap_or_else(|_| settings.program.clone());
    let path = settings.environment.get("PATH").unwrap_or_default();
    let candidates = std::env::split_paths(path).map(|folder| folder.join("rye"));
    let found = candidates.into_iter().find(|file| is_program(file));
    match found {
        Some(found) if found.canonicalize().is_ok_and(|found| found == own) => {
            Check::good("program", format!("{} {}", own.display(), env!("CARGO_PKG_VERSION")))
        }
        Some(found) => {
            let message = format!("`rye` on PATH is {}, and this is {}", found.display(), own.display());
            Check::warning("program", message, "put the folder of the one that you want first in PATH")
        }
        None => {
            let folder = own.parent().map(shell_word).unwrap_or_default();
            let message = format!("{} is not on PATH", own.display());
            Check::warning("program", message, format!("run `export PATH={folder}:\"$PATH\"`"))
        }
    }
}

fn is_program(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

fn bundle(engine: &Engine) -> Check {
    let is_own = engine.settings().spaces.system_space.is_none();
    match engine.system_folder() {
        Ok(Some(folder)) if is_own => Check::good("bundle", format!("intact, in {}", folder.display())),
        Ok(Some(folder)) => {
            let message = format!("{} is used in its place", folder.display());
            Check::warning("bundle", message, "unset RYE_SYSTEM_SPACE to use what the program has inside")
        }
        Ok(None) => {
            Check::warning("bundle", "there is no place to lay out its files", "set HOME or XDG_CACHE_HOME")
        }
        Err(error) => Check::failure("bundle", with_sources(&error), error.hint()),
    }
}

/// Whether a file can be written to a folder of ours, by writing one: permissions alone do not tell.
fn folder(area: &'static str, folder: Option<&Path>, hint: &str) -> Check {
    let Some(folder) = folder else {
        return Check::warning(area, "nothing is kept: there is no place", hint);
    };
    let file = folder.join(format!(".doctor-{}", std::process::id()));
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&file, b""))
        .and_then(|()| std::fs::remove_file(&file));
    match written {
        Ok(()) => Check::good(area, folder.display().to_string()),
        Err(error) => {
            let message = format!("cannot write to {}: {error}", folder.display());
            Check::failure(area, message, Some(format!("look at `ls -ld {}`, or {hint}", shell_word(folder))))
        }
    }
}

/// Runs a program, and looks how it was contained.
fn containment(settings: &EngineSettings) -> Check {
    let request = RunRequest::new(settings.program.as_os_str()).args(["-V"]).timeout(Duration::from_secs(10));
    match run(&request) {
        Ok(outcome) if outcome.ending == (Ending::Exited { code: 0 }) => {
            let guarantee = outcome.containment.guarantee();
            let name = outcome.containment.name();
            if guarantee.hostile_program_cannot_escape {
                Check::good("containment", format!("{name}: nothing outlives its run, whatever it does"))
            } else {
                let message = format!(
                    "{name}: nothing outlives its run, unless it attacks the process that watches it"
                );
                let hint = "let users make namespaces: `sysctl -w kernel.unprivileged_userns_clone=1` on Debian, or the like";
                Check::warning("containment", message, hint)
            }
        }
        Ok(outcome) => Check::failure("containment", format!("a run ended with {:?}", outcome.ending), None),
        Err(error) => Check::failure("containment", with_sources(&error), None),
    }
}
