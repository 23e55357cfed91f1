//! A home, a user space with a key, a project and a cache, all of them the test's own.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use lillux::clock::{Clock as _, SystemClock};
use lillux::keys::SigningKey;
use rye_engine::{
    Engine, EngineError, EngineSettings, ErrorCode, ExecuteReport, ExecuteRequest, Executed, Lifetime,
    SignRequest, SpaceSettings,
};
use rye_env::ProcessEnvironment;
use rye_item::{ItemId, ItemKind, ItemRef, Space};
use rye_plan::Parameters;
use rye_run::runner::Outcome;
use rye_trust::{ExistingKey, KeyFolder, NewSigningKey, Strictness};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) struct Ground {
    folder: TempDir,
    pub(crate) key: SigningKey,
}

/// Where programs are on every machine.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

impl Ground {
    /// An operator with a key, and a project that they have not decided about.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["project/.ai/tools", "home/.ai/tools", "cache", "elsewhere"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        fs::set_permissions(folder.path().join("cache"), fs::Permissions::from_mode(0o700)).unwrap();
        let keys = KeyFolder::at(&folder.path().join("home/.ai"));
        let new = NewSigningKey {
            owner: "operator",
            passphrase: None,
            existing: ExistingKey::Refuse,
            now: SystemClock.now(),
        };
        keys.generate(&new).unwrap();
        let key = keys.signing_key(None).unwrap();
        Self { folder, key }
    }

    /// The same, with a project that they trust as it is.
    pub(crate) fn trusted() -> Self {
        let ground = Self::new();
        ground.trust();
        ground
    }

    pub(crate) fn trust(&self) {
        self.engine().trust_project().unwrap();
    }

    pub(crate) fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(below)
    }

    /// The file that whatever must not run leaves behind.
    pub(crate) fn marker(&self) -> PathBuf {
        self.path("marker")
    }

    /// A shell command that leaves it.
    pub(crate) fn touch(&self) -> String {
        format!("/bin/touch {}", self.marker().display())
    }

    /// A Python expression that leaves it.
    pub(crate) fn python_touch(&self) -> String {
        format!("open({:?}, 'w').close()", self.marker().display().to_string())
    }

    /// A JavaScript expression that leaves it.
    pub(crate) fn node_touch(&self) -> String {
        format!("require('fs').writeFileSync({:?}, '')", self.marker().display().to_string())
    }

    /// Writes a file, and makes the folders on the way to it.
    pub(crate) fn write(&self, below: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes a file that can be executed.
    pub(crate) fn write_program(&self, below: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.write(below, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub(crate) fn read(&self, below: &str) -> Vec<u8> {
        fs::read(self.path(below)).unwrap()
    }

    pub(crate) fn settings(&self) -> EngineSettings {
        let home = self.path("home");
        EngineSettings {
            spaces: SpaceSettings {
                start: self.path("project"),
                project: None,
                home: Some(home.clone()),
                user_space: None,
                system_space: None,
            },
            cache: Some(self.path("cache")),
            lifetime: Lifetime::Long,
            keeps_signatures: true,
            strictness: Strictness::Strict,
            environment: [("PATH", PATH.into()), ("HOME", home.into_os_string())].into_iter().collect(),
            program: "/bin/false".into(),
            state: None,
            warm: rye_engine::Warm::Cold,
            sessions: None,
        }
    }

    pub(crate) fn engine(&self) -> Engine {
        Engine::new(self.settings())
    }

    /// An engine whose caller has more variables.
    pub(crate) fn engine_with_variables(&self, more: &[(&str, &str)]) -> Engine {
        let mut settings = self.settings();
        let old = settings.environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let new = more.iter().map(|&(name, value)| (name.into(), value.into()));
        settings.environment = old.chain(new).collect::<ProcessEnvironment>();
        Engine::new(settings)
    }

    /// Signs items of a space with the operator's key.
    pub(crate) fn sign_in(&self, space: Space, pattern: &str) {
        self.sign_as(&self.key, space, pattern);
    }

    /// Signs items of the project with the operator's key.
    pub(crate) fn sign(&self, pattern: &str) {
        self.sign_in(Space::Project, pattern);
    }

    pub(crate) fn sign_as(&self, key: &SigningKey, space: Space, pattern: &str) {
        let request = SignRequest { pattern: pattern.to_owned(), kind: None, space: Some(space) };
        let report = self.engine().sign(&request, key, &|_| {}).unwrap();
        for item in &report.items {
            assert!(item.result.is_ok(), "{}: {:?}", item.item, item.result);
        }
        for manifest in &report.manifests {
            assert!(manifest.error.is_none(), "{:?}", manifest.error);
        }
    }

    /// Asserts that a tool does not run, and why.
    #[track_caller]
    pub(crate) fn refuses(&self, id: &str, code: ErrorCode) {
        self.refuses_on(&self.engine(), id, code);
    }

    #[track_caller]
    pub(crate) fn refuses_on(&self, engine: &Engine, id: &str, code: ErrorCode) {
        match execute(engine, id, &[]) {
            Err(error) => assert_eq!(error.code(), code, "{}", rye_engine::with_sources(&*error)),
            Ok(report) => panic!("`{id}` ran: {:?}", report.result),
        }
        self.assert_unmarked();
    }

    /// Asserts that a tool runs and what it says, and that nothing else ran.
    #[track_caller]
    pub(crate) fn says(&self, id: &str, text: &str) {
        self.says_on(&self.engine(), id, &[], text);
    }

    #[track_caller]
    pub(crate) fn says_on(&self, engine: &Engine, id: &str, parameters: &[(&str, Value)], text: &str) {
        let outcome = outcome(engine, id, parameters);
        let output = String::from_utf8_lossy(&outcome.output.bytes);
        assert!(outcome.is_success(), "{output}\n{}", outcome.errors_tail());
        assert_eq!(output.trim_end(), text, "{}", outcome.errors_tail());
        self.assert_unmarked();
    }

    #[track_caller]
    pub(crate) fn assert_unmarked(&self) {
        assert!(!self.marker().exists(), "something ran that must not");
    }

    /// Asserts that the marker is there, so that a test knows that its fixture would have left one.
    #[track_caller]
    pub(crate) fn assert_marked(&self) {
        fs::remove_file(self.marker()).expect("nothing ran");
    }

    /// A shell tool that leaves the marker.
    pub(crate) fn shell_marker(&self) -> String {
        shell(&self.touch())
    }
}

/// A request to run a tool.
pub(crate) fn request(id: &str) -> ExecuteRequest {
    ExecuteRequest::new(ItemRef::new(ItemKind::Tool, ItemId::new(id).unwrap()))
}

/// Runs a tool with parameters.
pub(crate) fn execute(
    engine: &Engine,
    id: &str,
    parameters: &[(&str, Value)],
) -> Result<ExecuteReport, Box<EngineError>> {
    let parameters = parameters.iter().map(|(name, value)| (*name, value.clone()));
    let request = ExecuteRequest { parameters: Parameters::from_pairs(parameters).unwrap(), ..request(id) };
    Ok(engine.execute(&request, None, &mut |_| {}).map(|(report, _)| report)?)
}

/// Runs a tool with parameters, and tells what came of it.
#[track_caller]
pub(crate) fn outcome(engine: &Engine, id: &str, parameters: &[(&str, Value)]) -> Outcome {
    match execute(engine, id, parameters) {
        Ok(ExecuteReport { result: Executed::Run { outcome, .. }, .. }) => *outcome,
        Ok(report) => panic!("`{id}` is a text: {:?}", report.result),
        Err(error) => panic!("`{id}`: {}", rye_engine::with_sources(&*error)),
    }
}

/// A shell tool.
pub(crate) fn shell(code: &str) -> String {
    format!(
        "#!/bin/bash\n# version: 1.0.0\n# tool_type: shell\n# executor_id: rye/core/runtimes/bash/bash\n\
         # description: A tool\n{code}\n"
    )
}

/// A Python tool that is run as a program.
pub(crate) fn python(code: &str) -> String {
    format!(
        "__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n\
         __executor_id__ = \"rye/core/runtimes/python/script\"\n__tool_description__ = \"A tool\"\n{code}\n"
    )
}

/// A Python tool whose function is called.
pub(crate) fn python_function(code: &str) -> String {
    python(code).replace("python/script", "python/function")
}

/// A JavaScript tool.
pub(crate) fn node(code: &str) -> String {
    format!(
        "const __version__ = \"1.0.0\";\nconst __tool_type__ = \"javascript\";\n\
         const __executor_id__ = \"rye/core/runtimes/node/node\";\nconst __tool_description__ = \"A tool\";\n{code}\n"
    )
}
