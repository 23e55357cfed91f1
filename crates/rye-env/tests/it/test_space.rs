//! A machine in a temporary folder: a home, a project, folders for `PATH`.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rye_env::{
    DeclaredEnv, EnvError, EnvRequest, Environment, Places, ProcessEnvironment, Project, ProjectTrust,
    ResolveCommands, dotenv_names, resolve,
};
use rye_metadata::metadata::EnvConfig;
use rye_metadata::{Extractor, ItemPath};
use rye_template::{ContextName, Names};
use tempfile::TempDir;

/// A machine in a temporary folder.
pub(crate) struct TestSpace {
    folder: TempDir,
    pub(crate) is_trusted: bool,
    pub(crate) commands: ResolveCommands,
    /// Whether there is a project, a home and a user space at all.
    pub(crate) has_places: bool,
    /// The names that the operator was shown, if they are not those that are there.
    pub(crate) shown: Option<BTreeSet<String>>,
    variables: Vec<(String, String)>,
}

static YAML: LazyLock<Extractor> = LazyLock::new(|| {
    let text = include_bytes!("../../../../bundle/.ai/tools/rye/core/extractors/yaml.yaml");
    Extractor::parse(text).unwrap()
});

impl TestSpace {
    /// An empty home, an empty trusted project, and a `PATH` of `bin1` and `bin2`.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut space = Self {
            folder,
            is_trusted: true,
            commands: ResolveCommands::Leave,
            has_places: true,
            shown: None,
            variables: Vec::new(),
        };
        for name in ["home/.ai", "project/.ai", "bin1", "bin2"] {
            fs::create_dir_all(space.path(name)).unwrap();
        }
        space.set("PATH", "{space}/bin1:{space}/bin2");
        space
    }

    pub(crate) fn untrusted() -> Self {
        Self { is_trusted: false, ..Self::new() }
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(below)
    }

    /// Sets a variable of the process environment. `{space}` is the folder of everything.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        let value = value.replace("{space}", self.path("").to_str().unwrap().trim_end_matches('/'));
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value));
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.set(name, value);
        self
    }

    pub(crate) fn write(&self, below: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Makes a file that can be executed.
    pub(crate) fn program(&self, below: &str) -> PathBuf {
        self.script(below, "#!/bin/sh\nexit 9\n")
    }

    pub(crate) fn script(&self, below: &str, text: &str) -> PathBuf {
        let path = self.write(below, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub(crate) fn link(&self, below: &str, target: impl AsRef<Path>) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, &path).unwrap();
        path
    }

    pub(crate) fn process(&self) -> ProcessEnvironment {
        self.variables.iter().cloned().collect()
    }

    /// Resolves with one declaration, which is that of `runtime`.
    pub(crate) fn resolve(&self, env_config: &str) -> Result<Environment, EnvError> {
        self.resolve_all(&[("runtime", env_config)], &[])
    }

    pub(crate) fn resolve_all(
        &self,
        configs: &[(&str, &str)],
        tool_env: &[(&str, &str)],
    ) -> Result<Environment, EnvError> {
        self.resolve_in(&self.process(), configs, tool_env)
    }

    pub(crate) fn resolve_in(
        &self,
        process: &ProcessEnvironment,
        configs: &[(&str, &str)],
        tool_env: &[(&str, &str)],
    ) -> Result<Environment, EnvError> {
        let parsed: Vec<_> = configs.iter().map(|(element, text)| (*element, env_config(text))).collect();
        let declared: Vec<_> =
            parsed.iter().map(|(element, config)| DeclaredEnv { element, config }).collect();
        let (home, project) = (self.path("home"), self.path("project"));
        let user_space = home.join(".ai");
        let mut names = Names::new();
        names.set_context(ContextName::AnchorPath, self.path("anchor").to_str().unwrap().to_owned());
        let shown = dotenv_names(&project).into_iter().flat_map(|(_, names)| names);
        let shown = self.shown.clone().unwrap_or_else(|| shown.collect());
        let trusted = ProjectTrust::Trusted { variables: &shown };
        let trust = if self.is_trusted { trusted } else { ProjectTrust::Untrusted };
        resolve(&EnvRequest {
            process,
            configs: &declared,
            tool_env,
            places: Places {
                project: self.has_places.then_some(Project { root: &project, trust }),
                home: self.has_places.then_some(&home),
                user_space: self.has_places.then_some(&user_space),
                names: &names,
            },
            commands: self.commands,
        })
    }

    /// The interpreter, or why there is none, with every place that was looked at.
    pub(crate) fn story(&self, env_config: &str) -> String {
        let mut text = String::new();
        match self.resolve(env_config) {
            Ok(environment) => {
                for report in environment.interpreters() {
                    let chosen = report.chosen.as_ref();
                    let path = chosen.map_or("nothing".into(), |chosen| chosen.path.display().to_string());
                    write!(text, "{}={path}", report.var).unwrap();
                    let facts = [
                        (report.is_fallback(), "fallback"),
                        (chosen.is_some_and(|chosen| chosen.inside_project), "in the project"),
                        (report.command.is_some(), "a command ran"),
                    ];
                    for (_, fact) in facts.iter().filter(|(holds, _)| *holds) {
                        write!(text, " ({fact})").unwrap();
                    }
                    for looked_at in &report.looked_at {
                        write!(text, "\n  {looked_at}").unwrap();
                    }
                    for warning in &report.warnings {
                        write!(text, "\n  warning: {warning}").unwrap();
                    }
                    text.push('\n');
                }
            }
            Err(error) => text = problems(&error),
        }
        self.filtered(&text)
    }

    /// The path of the interpreter, or `None`.
    pub(crate) fn chosen(&self, env_config: &str) -> Option<PathBuf> {
        let environment = self.resolve(env_config).ok()?;
        Some(environment.interpreters().first()?.chosen.as_ref()?.path.clone())
    }

    pub(crate) fn filtered(&self, text: &str) -> String {
        text.replace(self.path("").to_str().unwrap().trim_end_matches('/'), "")
    }
}

/// Every problem, with its causes.
pub(crate) fn problems(error: &EnvError) -> String {
    let mut text = String::new();
    for problem in error.problems() {
        text.push_str(&problem.to_string());
        let mut cause = problem.source();
        while let Some(error) = cause {
            write!(text, ": {error}").unwrap();
            cause = error.source();
        }
        text.push('\n');
    }
    text
}

fn env_config(text: &str) -> EnvConfig {
    let indented = text.replace('\n', "\n  ");
    let file = format!("version: 1.0.0\ntool_type: runtime\nexecutor_id: x\nenv_config:\n  {indented}\n");
    let extraction = YAML.extract(ItemPath::new("runtime.yaml"), file.as_bytes()).unwrap();
    extraction.metadata.env_config.unwrap_or_else(|| panic!("{text}: {:?}", extraction.problems))
}
