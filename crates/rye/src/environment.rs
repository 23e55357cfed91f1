//! The variables that this program reads: all of them.

use std::path::{Path, PathBuf};

use lillux::keys::Passphrase;
use rye_engine::{EngineSettings, Lifetime, SpaceSettings, Warm};
use rye_env::ProcessEnvironment;
use rye_graph::driver::{Ancestor, Failpoint};
use rye_trust::Strictness;

use zeroize::Zeroizing;

use crate::cli::GlobalArgs;
use crate::command_error::CommandError;

/// Where everything is, by the environment and the command line.
pub(crate) fn settings(args: &GlobalArgs) -> Result<EngineSettings, CommandError> {
    let start = std::env::current_dir().map_err(CommandError::no_working_directory)?;
    let home = path("HOME");
    let cache = path("XDG_CACHE_HOME").or_else(|| home.as_ref().map(|home| home.join(".cache")));
    let state =
        path("XDG_STATE_HOME").or_else(|| home.as_ref().map(|home| home.join(".local").join("state")));
    Ok(EngineSettings {
        spaces: SpaceSettings {
            project: args.project.as_ref().map(|project| named_folder(&start, project)),
            user_space: path("USER_SPACE").map(|path| start.join(path)),
            system_space: path("RYE_SYSTEM_SPACE").map(|path| start.join(path)),
            start,
            home,
        },
        cache: cache.map(|cache| cache.join("rye")),
        lifetime: Lifetime::Short,
        keeps_signatures: false,
        strictness: if variable("RYE_DEV_MODE").is_some_and(|value| value == "1") {
            Strictness::Development
        } else {
            Strictness::Strict
        },
        environment: all(),
        program: std::env::current_exe().unwrap_or_else(|_| PathBuf::from("rye")),
        state: state.map(|state| state.join("rye")),
        warm: Warm::Cold,
        sessions: None,
    })
}

/// A folder that was named, seen from where the command was typed. `.` is a folder that has a name.
pub(crate) fn named_folder(start: &Path, named: impl AsRef<Path>) -> PathBuf {
    start.join(named).components().collect()
}

/// Where the runs of one command find processes that are ready: with a running server, unless the user does not want it.
pub(crate) fn warm() -> Warm {
    match variable("RYE_WARM") {
        Some(value) if value == "0" => Warm::Cold,
        _ => Warm::Borrow,
    }
}

/// Where Codex has its configuration, if the user has said so.
pub(crate) fn codex_home() -> Option<PathBuf> {
    path("CODEX_HOME")
}

/// Where programs have their configuration, if the user has said so. Of a relative path, nobody could say where it is.
pub(crate) fn config_home() -> Option<PathBuf> {
    path("XDG_CONFIG_HOME").filter(|path| path.is_absolute())
}

/// Whether the user wants no colours.
pub(crate) fn no_color() -> bool {
    variable("NO_COLOR").is_some()
}

/// What the user is called, if anything is known.
pub(crate) fn user_name() -> Option<String> {
    variable("USER").or_else(|| variable("LOGNAME")).and_then(|name| name.into_string().ok())
}

/// The private key that is to be imported.
pub(crate) fn signing_key() -> Option<Zeroizing<Vec<u8>>> {
    variable("RYE_SIGNING_KEY").map(|text| Zeroizing::new(text.into_encoded_bytes()))
}

/// The passphrase of the signing key.
pub(crate) fn passphrase() -> Result<Option<Passphrase>, CommandError> {
    match variable("RYE_PASSPHRASE").map(std::ffi::OsString::into_string) {
        None => Ok(None),
        Some(Ok(text)) => Ok(Some(Passphrase::from(text))),
        Some(Err(_)) => Err(CommandError::passphrase_invalid("RYE_PASSPHRASE is not text")),
    }
}

/// The graphs that we are a step of, the outermost first.
pub(crate) fn graph_ancestors() -> Result<Vec<Ancestor>, CommandError> {
    let Some(text) = variable(rye_engine::ANCESTORS_VARIABLE) else { return Ok(Vec::new()) };
    // What cannot be read must not count for no restriction at all.
    serde_json::from_str(&text.to_string_lossy())
        .map_err(|error| CommandError::data(rye_engine::ANCESTORS_VARIABLE, error))
}

/// By what we know that we are called again for the same thing.
pub(crate) fn idempotency_key() -> Option<String> {
    variable(rye_engine::KEY_VARIABLE).and_then(|key| key.into_string().ok())
}

/// Where the process is to end, for tests. A program that was built for use has no such place.
pub(crate) fn graph_failpoint() -> Result<Option<Failpoint>, CommandError> {
    if !cfg!(debug_assertions) {
        return Ok(None);
    }
    let Some(text) = variable("RYE_GRAPH_FAILPOINT") else { return Ok(None) };
    let failpoint = text.to_string_lossy().parse();
    failpoint.map(Some).map_err(|error| CommandError::data("RYE_GRAPH_FAILPOINT", error))
}

/// Everything, because what runs inherits it.
fn all() -> ProcessEnvironment {
    std::env::vars_os().collect()
}

fn path(name: &str) -> Option<PathBuf> {
    variable(name).map(PathBuf::from)
}

/// A variable that is set to something.
#[expect(clippy::disallowed_methods, reason = "this is the list of variables")]
fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
