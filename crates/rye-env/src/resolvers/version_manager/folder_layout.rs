//! The version managers, and how each lays out its folder.

use std::path::{Path, PathBuf};

use crate::search::Search;

/// A version manager.
#[derive(Debug)]
pub(in crate::resolvers) struct Manager {
    pub(in crate::resolvers) name: &'static str,
    /// Variables that name its folder. If one is set, it is nowhere else.
    root_variables: &'static [&'static str],
    /// Where its folder is otherwise.
    roots: &'static [Root],
    /// Where the versions are, below its folder; `{plugin}` stands for the plugin.
    installs: &'static str,
    /// What it installs, if that is only one thing.
    pub(in crate::resolvers) plugin: Option<&'static str>,
    /// What the folder of a version has before the number.
    pub(super) version_prefix: &'static str,
    /// The variable that chooses a version; `{PLUGIN}` stands for the plugin.
    pub(super) version_variable: Option<&'static str>,
    /// Files at the root of a project that choose a version, in order.
    pub(super) project_files: &'static [VersionFile],
    /// Files that choose the version everywhere else, in order.
    pub(super) global_files: &'static [(Base, VersionFile)],
}

/// Where a folder is by default.
#[derive(Debug)]
enum Root {
    Home(&'static str),
    Below { variable: &'static str, path: &'static str },
    Absolute(&'static str),
}

/// What the path of a file is relative to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Base {
    /// The manager's folder.
    Root,
    /// The home folder.
    Home,
    /// The folder of settings that a variable names, if it is set.
    Variable(&'static str),
}

/// A file that chooses a version.
#[derive(Debug, Clone, Copy)]
pub(super) enum VersionFile {
    /// One version in each line.
    Plain(&'static str),
    /// `plugin version…` in each line.
    ToolVersions(&'static str),
    /// A TOML file with a table `tools`.
    ToolsTable(&'static str),
    /// `name=version` in each line, of which the name `default` counts.
    Aliases(&'static str),
}

impl VersionFile {
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Plain(path) | Self::ToolVersions(path) | Self::ToolsTable(path) | Self::Aliases(path) => {
                path
            }
        }
    }
}

/// What the option `manager` can be.
pub(super) const NAMES: &[&str] = &["rbenv", "rvm", "nvm", "asdf", "pyenv", "mise"];

pub(in crate::resolvers) const MANAGERS: &[Manager] = &[
    Manager {
        name: "rbenv",
        root_variables: &["RBENV_ROOT"],
        roots: &[Root::Home(".rbenv")],
        installs: "versions",
        plugin: Some("ruby"),
        version_prefix: "ruby-",
        version_variable: Some("RBENV_VERSION"),
        project_files: &[VersionFile::Plain(".ruby-version")],
        global_files: &[(Base::Root, VersionFile::Plain("version"))],
    },
    Manager {
        name: "rvm",
        root_variables: &["rvm_path", "RVM_PATH"],
        roots: &[Root::Home(".rvm"), Root::Absolute("/usr/local/rvm")],
        installs: "rubies",
        plugin: Some("ruby"),
        version_prefix: "ruby-",
        version_variable: None,
        project_files: &[VersionFile::Plain(".ruby-version")],
        global_files: &[
            (Base::Root, VersionFile::Aliases("config/alias")),
            (Base::Root, VersionFile::Plain("alias/default")),
        ],
    },
    Manager {
        name: "nvm",
        root_variables: &["NVM_DIR"],
        roots: &[Root::Below { variable: "XDG_CONFIG_HOME", path: "nvm" }, Root::Home(".nvm")],
        installs: "versions/node",
        plugin: Some("node"),
        version_prefix: "v",
        version_variable: None,
        project_files: &[VersionFile::Plain(".nvmrc")],
        global_files: &[(Base::Root, VersionFile::Plain("alias/default"))],
    },
    Manager {
        name: "asdf",
        root_variables: &["ASDF_DATA_DIR"],
        roots: &[Root::Home(".asdf")],
        installs: "installs/{plugin}",
        plugin: None,
        version_prefix: "",
        version_variable: Some("ASDF_{PLUGIN}_VERSION"),
        project_files: &[VersionFile::ToolVersions(".tool-versions")],
        global_files: &[(Base::Home, VersionFile::ToolVersions(".tool-versions"))],
    },
    Manager {
        name: "pyenv",
        root_variables: &["PYENV_ROOT"],
        roots: &[Root::Home(".pyenv")],
        installs: "versions",
        plugin: Some("python"),
        version_prefix: "",
        version_variable: Some("PYENV_VERSION"),
        project_files: &[VersionFile::Plain(".python-version")],
        global_files: &[(Base::Root, VersionFile::Plain("version"))],
    },
    Manager {
        name: "mise",
        root_variables: &["MISE_DATA_DIR"],
        roots: &[Root::Below { variable: "XDG_DATA_HOME", path: "mise" }, Root::Home(".local/share/mise")],
        installs: "installs/{plugin}",
        plugin: None,
        version_prefix: "",
        version_variable: Some("MISE_{PLUGIN}_VERSION"),
        project_files: &[
            VersionFile::ToolsTable("mise.toml"),
            VersionFile::ToolsTable(".mise.toml"),
            VersionFile::ToolVersions(".tool-versions"),
        ],
        global_files: &[
            (Base::Variable("MISE_CONFIG_DIR"), VersionFile::ToolsTable("config.toml")),
            (Base::Variable("XDG_CONFIG_HOME"), VersionFile::ToolsTable("mise/config.toml")),
            (Base::Home, VersionFile::ToolsTable(".config/mise/config.toml")),
            (Base::Home, VersionFile::ToolVersions(".tool-versions")),
        ],
    },
];

impl Manager {
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        MANAGERS.iter().find(|manager| manager.name == name)
    }

    /// The folders that it may have, in order.
    pub(in crate::resolvers) fn roots(&self, search: &Search<'_>) -> Vec<PathBuf> {
        if let Some(root) = self.root_variables.iter().find_map(|name| search.folder_variable(name)) {
            return vec![root.to_owned()];
        }
        let home = search.places().home;
        let path = |root: &Root| match root {
            Root::Home(path) => home.map(|home| home.join(path)),
            Root::Below { variable, path } => search.folder_variable(variable).map(|base| base.join(path)),
            Root::Absolute(path) => Some(PathBuf::from(path)),
        };
        self.roots.iter().filter_map(path).collect()
    }

    /// The folder with the versions of a plugin.
    pub(super) fn installs(&self, root: &Path, plugin: &str) -> PathBuf {
        root.join(self.installs.replace("{plugin}", plugin))
    }
}

/// The programs that run what a plugin installs, the best first.
pub(super) fn programs_of(plugin: &str) -> Vec<&str> {
    match plugin {
        "python" => vec!["python", "python3"],
        "nodejs" => vec!["node"],
        "golang" => vec!["go"],
        "rust" => vec!["cargo"],
        plugin => vec![plugin],
    }
}
