//! What an environment is made from.

use std::collections::BTreeSet;
use std::path::Path;

use rye_metadata::metadata::EnvConfig;
use rye_template::Names;

use crate::ProcessEnvironment;

/// Everything that an environment is made from.
#[derive(Debug, Clone, Copy)]
pub struct EnvRequest<'a> {
    /// The environment of our own process.
    pub process: &'a ProcessEnvironment,
    /// What the elements of the chain declare, in order of application: the primitive first, the tool last.
    pub configs: &'a [DeclaredEnv<'a>],
    /// The tool's own `config.env`, in declared order.
    pub tool_env: &'a [(&'a str, &'a str)],
    /// Where things are.
    pub places: Places<'a>,
    /// What becomes of interpreters that a command finds.
    pub commands: ResolveCommands,
}

/// The `env_config` of one element of the chain.
#[derive(Debug, Clone, Copy)]
pub struct DeclaredEnv<'a> {
    /// The element's id.
    pub element: &'a str,
    /// What it declares.
    pub config: &'a EnvConfig,
}

/// Where things are. All paths are absolute.
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    /// The project, if there is one.
    pub project: Option<Project<'a>>,
    /// The user's home folder.
    pub home: Option<&'a Path>,
    /// The user space, which is the folder called `.ai` itself.
    pub user_space: Option<&'a Path>,
    /// What `{name}` means in values and in folders to search, such as `anchor_path`.
    pub names: &'a Names<'a>,
}

/// A project, and what its operator said about it.
#[derive(Debug, Clone, Copy)]
pub struct Project<'a> {
    /// The folder that has `.ai` in it.
    pub root: &'a Path,
    /// Whether it is trusted.
    pub trust: ProjectTrust<'a>,
}

/// What the operator said about a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectTrust<'a> {
    /// Its `.env` files and interpreters count.
    Trusted {
        /// What the operator was shown that the files set. A name that has come since then does not count.
        variables: &'a BTreeSet<String>,
    },
    /// They do not.
    Untrusted,
}

/// Whether commands that find an interpreter are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResolveCommands {
    /// They are. This is for chains whose elements are all verified.
    Run,
    /// They are not, and their interpreters stay unknown. Nothing has side effects then.
    #[default]
    Leave,
}

impl Project<'_> {
    /// Whether it is trusted.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.trust != ProjectTrust::Untrusted
    }
}

impl<'a> Places<'a> {
    /// The root of the project, if it is trusted.
    pub(crate) fn trusted_project(&self) -> Option<&'a Path> {
        self.project.filter(Project::is_trusted).map(|project| project.root)
    }
}
