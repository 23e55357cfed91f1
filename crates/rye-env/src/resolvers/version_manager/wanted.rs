//! Which version somebody wants.

use std::path::{Path, PathBuf};

use super::folder_layout::{Base, Manager, VersionFile};
use crate::options::is_plain_name;
use crate::search::Search;

/// A version that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::resolvers) struct Wanted {
    /// The file or variable that says so.
    pub(super) source: String,
    /// Whole (`20.11.1`), in part (`20`), or a word (`latest`, `system`).
    pub(super) version: String,
}

impl Wanted {
    pub(super) fn new(source: impl Into<String>, version: &str) -> Self {
        Self { source: source.into(), version: version.to_owned() }
    }

    /// Whether it is what the system has, and nothing that the manager installed.
    pub(super) fn is_system(&self) -> bool {
        self.version == "system"
    }
}

/// What the manager itself would go by, the strongest first: a variable, a file of the project if that is trusted,
/// and its global choice. Only the first that says something counts.
pub(in crate::resolvers) fn wanted_versions(
    search: &Search<'_>,
    manager: &Manager,
    root: &Path,
    plugin: &str,
) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    let read = |path: &Path| search.read_small_text(path);
    if let Some(variable) = manager.version_variable {
        let variable = variable.replace("{PLUGIN}", &plugin.to_ascii_uppercase().replace('-', "_"));
        let value = search.variable(&variable).and_then(|value| value.to_str()).unwrap_or_default();
        let versions = value.split([':', ' ']).filter_map(|version| resolve_alias(root, version, &read));
        wanted.extend(versions.map(|version| Wanted::new(&variable, &version)));
    }
    let of_project = search
        .places()
        .trusted_project()
        .into_iter()
        .flat_map(|project| manager.project_files.iter().map(|file| (project.join(file.path()), *file)));
    let of_user = manager
        .global_files
        .iter()
        .filter_map(|(base, file)| Some((base_folder(search, *base, root)?.join(file.path()), *file)));
    for (path, file) in of_project.chain(of_user) {
        if !wanted.is_empty() {
            break;
        }
        let text = read(&path).unwrap_or_default();
        let versions = versions_in(&text, file, plugin);
        let versions = versions.iter().filter_map(|version| resolve_alias(root, version, &read));
        wanted.extend(versions.map(|version| Wanted::new(path.display().to_string(), &version)));
    }
    wanted
}

fn base_folder(search: &Search<'_>, base: Base, root: &Path) -> Option<PathBuf> {
    match base {
        Base::Root => Some(root.to_owned()),
        Base::Home => search.places().home.map(Path::to_owned),
        Base::Variable(name) => search.folder_variable(name).map(Path::to_owned),
    }
}

/// The versions that the text of a file names, in order.
fn versions_in(text: &str, file: VersionFile, plugin: &str) -> Vec<String> {
    let mut lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    match file {
        VersionFile::Plain(_) => lines.flat_map(str::split_whitespace).map(str::to_owned).collect(),
        VersionFile::Aliases(_) => {
            let defaults = lines.filter_map(|line| line.strip_prefix("default="));
            defaults.map(str::to_owned).collect()
        }
        VersionFile::ToolVersions(_) => {
            let of_plugin = |line: &str| {
                let mut words = line.split_whitespace();
                let is_meant = words.next() == Some(plugin);
                is_meant.then(|| words.map(str::to_owned).collect())
            };
            lines.find_map(of_plugin).unwrap_or_default()
        }
        VersionFile::ToolsTable(_) => tools_in(text, plugin).unwrap_or_default(),
    }
}

/// `tools.plugin` of a TOML file: a version, a table with one, or a list of either.
fn tools_in(text: &str, plugin: &str) -> Option<Vec<String>> {
    let table: toml::Table = text.parse().ok()?;
    let version = |value: &toml::Value| {
        let value = value.get("version").unwrap_or(value);
        value.as_str().map(str::to_owned)
    };
    match table.get("tools")?.get(plugin)? {
        toml::Value::Array(values) => Some(values.iter().filter_map(version).collect()),
        value => Some(version(value).into_iter().collect()),
    }
}

/// Follows names like `default` and `lts/*` through the manager's `alias` folder, for a few steps.
///
/// Nothing if the text cannot be the name of a folder, whoever wrote it.
fn resolve_alias(root: &Path, version: &str, read: &dyn Fn(&Path) -> Option<String>) -> Option<String> {
    let mut version = version.to_owned();
    for _ in 0..5 {
        if !version.split('/').all(is_plain_name) {
            return None;
        }
        let Some(text) = read(&root.join("alias").join(&version)) else { break };
        text.trim().clone_into(&mut version);
    }
    let version = version.strip_prefix("latest:").or(version.strip_prefix("prefix:")).unwrap_or(&version);
    is_plain_name(version).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_name_versions() {
        let check = |file, text: &str, expect: &[&str]| {
            assert_eq!(versions_in(text, file, "node"), expect, "{text}");
        };
        check(VersionFile::Plain(""), "3.2.1\n", &["3.2.1"]);
        check(VersionFile::Plain(""), "# note\n3.12 3.11\nsystem # x", &["3.12", "3.11", "system"]);
        check(VersionFile::Plain(""), "", &[]);
        check(VersionFile::Aliases(""), "other=1\ndefault=ruby-3.2.1\n", &["ruby-3.2.1"]);
        check(VersionFile::ToolVersions(""), "python 3.1\nnode 20.1 18 # x\nnode 1", &["20.1", "18"]);
        check(VersionFile::ToolVersions(""), "nodejs 1\n", &[]);
        check(VersionFile::ToolsTable(""), "[tools]\nnode = '20'", &["20"]);
        check(VersionFile::ToolsTable(""), "[tools]\nnode = ['20', {version = '18'}]", &["20", "18"]);
        check(VersionFile::ToolsTable(""), "[tools.node]\nversion = '20'", &["20"]);
        check(VersionFile::ToolsTable(""), "tools = 3", &[]);
        check(VersionFile::ToolsTable(""), "][", &[]);
    }

    #[test]
    fn hostile_names_are_no_versions() {
        let root = Path::new("/nowhere");
        for version in ["../../x", "/x", "..", ".", "a\0", "", "path:/x", "a/b"] {
            assert_eq!(resolve_alias(root, version, &|_| None), None, "{version:?}");
        }
        assert_eq!(resolve_alias(root, "latest:20", &|_| None).as_deref(), Some("20"));
    }
}
