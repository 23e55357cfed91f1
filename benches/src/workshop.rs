//! A project with signed tools, and a user who trusts it.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lillux::clock::{Clock as _, SystemClock};
use rye_engine::{
    Engine, EngineSettings, ExecuteRequest, Executed, Lifetime, PendingRecord, SignRequest, SpaceSettings,
    Warm,
};
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_run::runner::Outcome;
use rye_trust::{ExistingKey, KeyFolder, NewSigningKey};

use crate::Result;

/// A project with signed tools, and a user who trusts it.
pub(crate) struct Workshop {
    folder: tempfile::TempDir,
}

/// Whether an engine keeps processes ready.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Warmth {
    Cold,
    Warm,
}

/// A tool that is the same command as `bash -c "echo hello"`. To read a script takes bash longer than that.
pub(crate) const HELLO_COMMAND: &str = "version: \"1.0.0\"\ntool_type: bash\nexecutor_id: rye/core/runtimes/bash/bash\ndescription: x\nconfig:\n  command: echo hello\n";

/// How long it takes until a file or folder counts as old. What has changed a moment ago is looked at again by every call,
/// because it may change once more without its times doing so.
const YOUTH: Duration = Duration::from_secs(3);

/// Waits until what was made is old, as it is for whoever uses it.
pub(crate) fn settle() {
    std::thread::sleep(YOUTH);
}

impl Workshop {
    /// Makes the tools, by their paths below `tools`, and signs them. A program is a file without an extension.
    pub(crate) fn new(tools: &[(&str, impl AsRef<[u8]>)]) -> Result<Self> {
        Self::below(&std::env::temp_dir(), tools)
    }

    /// The same where nothing waits for a disk, if the machine has such a place.
    pub(crate) fn in_memory(tools: &[(&str, String)]) -> Result<Self> {
        let memory = Path::new("/dev/shm");
        Self::below(if memory.is_dir() { memory } else { Path::new("/tmp") }, tools)
    }

    fn below(folder: &Path, tools: &[(&str, impl AsRef<[u8]>)]) -> Result<Self> {
        let workshop = Self { folder: tempfile::tempdir_in(folder)? };
        fs::create_dir_all(workshop.path("home"))?;
        for (name, content) in tools {
            let path = workshop.tool(name);
            fs::create_dir_all(path.parent().ok_or("a tool is in a folder")?)?;
            fs::write(&path, content)?;
            if path.extension().is_none() {
                fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
            }
        }
        sign(&workshop.engine(Warmth::Cold), &workshop.path("home"))?;
        Ok(workshop)
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.path("project")
    }

    /// The file of a tool.
    pub(crate) fn tool(&self, below: &str) -> PathBuf {
        self.path("project/.ai/tools").join(below)
    }

    /// What programs are given: where others are, and a home.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        let path = std::env::vars_os().find(|(name, _)| name == "PATH");
        path.into_iter().chain([("HOME".into(), self.path("home").into_os_string())]).collect()
    }

    /// An engine that lives long.
    pub(crate) fn engine(&self, warmth: Warmth) -> Engine {
        let spaces = SpaceSettings {
            start: self.project(),
            project: None,
            home: Some(self.path("home")),
            user_space: None,
            system_space: None,
        };
        Engine::new(EngineSettings {
            cache: Some(self.path("home/.cache/rye")),
            lifetime: Lifetime::Long,
            environment: self.environment().into_iter().collect(),
            warm: match warmth {
                Warmth::Warm => Warm::Pool(Arc::default()),
                Warmth::Cold => Warm::Cold,
            },
            ..EngineSettings::new(spaces)
        })
    }
}

/// Makes a key for whoever has this home, has them trust the project, and signs what is below `demo`.
pub(crate) fn sign(engine: &Engine, home: &Path) -> Result<()> {
    let keys = KeyFolder::at(&home.join(".ai"));
    let now = SystemClock.now();
    keys.generate(&NewSigningKey { owner: "bench", passphrase: None, existing: ExistingKey::Refuse, now })?;
    engine.trust_project()?;
    let request = SignRequest { pattern: "demo/*".to_owned(), kind: None, space: None };
    let report = engine.sign(&request, &keys.signing_key(None)?, &|_| {})?;
    match report.items.into_iter().find_map(|item| item.result.err()) {
        Some(refused) => Err(refused.to_string().into()),
        None => Ok(()),
    }
}

/// Runs a tool, which has to succeed.
pub(crate) fn must_succeed(engine: &Engine, request: &ExecuteRequest) -> Result<Box<Outcome>> {
    answer(engine, request).map(|(outcome, _)| outcome)
}

/// The same, before its record is written.
pub(crate) fn answer(engine: &Engine, request: &ExecuteRequest) -> Result<(Box<Outcome>, PendingRecord)> {
    let (report, record) = engine.execute(request, None, &mut |_| {})?;
    match report.result {
        Executed::Run { outcome, .. } if outcome.is_success() => Ok((outcome, record)),
        other => Err(format!("`{}` failed: {other:?}", request.item).into()),
    }
}

/// A request to run a tool without parameters.
pub(crate) fn request(id: &str) -> Result<ExecuteRequest> {
    Ok(ExecuteRequest::new(ItemRef::new(ItemKind::Tool, ItemId::new(id)?)))
}
