//! `version_manager`: an interpreter that a version manager installed.

mod folder_layout;
mod installed;
mod wanted;

use std::path::Path;

pub(super) use self::folder_layout::{MANAGERS, Manager};
use self::installed::Installed;
pub(super) use self::wanted::{Wanted, wanted_versions};
use super::Resolver;
use crate::error::OptionError;
use crate::options::Options;
use crate::report::{EnvWarning, Finding, Place};
use crate::search::{Hit, Search};

pub(super) const OPTIONS: &[&str] = &["manager", "version", "plugin", "binary"];

struct VersionManager<'a> {
    manager: &'static Manager,
    plugin: &'a str,
    version: Option<&'a str>,
    names: Vec<&'a str>,
}

/// Whether looking further makes sense.
enum Step {
    Found(Hit),
    GoOn,
    /// Whoever chose the version chose that of the system.
    System,
}

pub(super) fn read<'a>(options: &Options<'a>) -> Result<Box<dyn Resolver + 'a>, OptionError> {
    let name = options.required("manager", options.choice("manager", folder_layout::NAMES)?)?;
    let manager = options.required("manager", Manager::named(name))?;
    let plugin = options.name("plugin")?;
    let plugin = match manager.plugin {
        Some(only) => plugin.unwrap_or(only),
        None => options.required("plugin", plugin)?,
    };
    let names = options.name("binary")?.map_or_else(|| folder_layout::programs_of(plugin), |name| vec![name]);
    Ok(Box::new(VersionManager { manager, plugin, version: options.name("version")?, names }))
}

impl Resolver for VersionManager<'_> {
    fn find(&self, search: &mut Search<'_>) -> Option<Hit> {
        let roots = self.manager.roots(search);
        if roots.is_empty() {
            search.record(Place::User, Finding::NoSuchPlace);
        }
        for root in roots {
            match self.find_below(&root, search) {
                Step::Found(hit) => return Some(hit),
                Step::GoOn => {}
                Step::System => break,
            }
        }
        self.names.iter().find_map(|name| search.probe_path(name))
    }
}

impl VersionManager<'_> {
    fn find_below(&self, root: &Path, search: &mut Search<'_>) -> Step {
        let folder = self.manager.installs(root, self.plugin);
        let Some(installed) = Installed::read(search, &folder, self.manager.version_prefix) else {
            search.record(Place::Folder(folder), Finding::Missing);
            return Step::GoOn;
        };
        let wanted = match self.version {
            Some(version) => vec![Wanted::new("version", version)],
            None => wanted_versions(search, self.manager, root, self.plugin),
        };
        for wanted in &wanted {
            if wanted.is_system() {
                return Step::System;
            }
            if let Some(version) = installed.pick(&wanted.version) {
                if let Some(hit) = search.probe_installation(&folder.join(version), &self.names) {
                    return Step::Found(hit);
                }
            } else {
                let version = wanted.version.clone();
                search.record(
                    Place::Folder(folder.clone()),
                    Finding::NoVersion { wanted: Some(version.clone()) },
                );
                search.warnings.push(EnvWarning::VersionNotInstalled {
                    source_name: wanted.source.clone(),
                    wanted: version,
                });
            }
        }
        if self.version.is_some() {
            return Step::GoOn;
        }
        // A folder of that name is a link to the version that somebody chose.
        let chosen = if wanted.is_empty() { installed.pick("default") } else { None };
        if installed.is_empty() {
            search.record(Place::Folder(folder.clone()), Finding::NoVersion { wanted: None });
        }
        chosen
            .into_iter()
            .chain(installed.highest_first())
            .find_map(|version| search.probe_installation(&folder.join(version), &self.names))
            .map_or(Step::GoOn, Step::Found)
    }
}

/// The program of the version that the manager would take, found without asking it.
pub(super) fn program_of(
    search: &Search<'_>,
    manager: &'static Manager,
    root: &Path,
    plugin: &str,
    name: &str,
) -> Option<Choice> {
    let folder = manager.installs(root, plugin);
    let installed = Installed::read(search, &folder, manager.version_prefix)?;
    let wanted = wanted_versions(search, manager, root, plugin);
    if wanted.is_empty() && manager.plugin.is_some() {
        return Some(Choice::System);
    }
    wanted.iter().find_map(|wanted| {
        if wanted.is_system() {
            return Some(Choice::System);
        }
        let program = folder.join(installed.pick(&wanted.version)?).join("bin").join(name);
        search.is_program(&program).then_some(Choice::Program(program))
    })
}

/// What a manager would run.
pub(super) enum Choice {
    /// A program that it installed.
    Program(std::path::PathBuf),
    /// The next one in `PATH`.
    System,
}
