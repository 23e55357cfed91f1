//! Stand-ins of version managers.
//!
//! Managers put small programs into `PATH` that start the manager, which then starts the interpreter. That costs a
//! tenth of a second for each run, and depends on the working directory. What the manager would choose is written in
//! files, so it is read from there, once.

use std::path::{Path, PathBuf};

use super::version_manager::{Choice, MANAGERS, Manager, program_of};
use crate::search::Search;

/// What is behind a program.
#[derive(Debug)]
pub(crate) enum Shim {
    /// Nothing, as far as one can tell: it is what it is.
    None,
    /// This program.
    Real(PathBuf),
    /// The program of the same name further on in `PATH`.
    System,
}

/// What is behind the program at `path`.
pub(crate) fn behind(search: &Search<'_>, path: &Path) -> Shim {
    choice(search, path).map_or(Shim::None, |choice| match choice {
        Choice::Program(real) => Shim::Real(real),
        Choice::System => Shim::System,
    })
}

fn choice(search: &Search<'_>, path: &Path) -> Option<Choice> {
    let folder = path.parent().filter(|folder| folder.ends_with("shims"))?;
    let root = folder.parent()?;
    let manager = manager_of(search, root)?;
    let name = path.file_name()?.to_str()?;
    let plugins = match manager.plugin {
        Some(plugin) => vec![plugin.to_owned()],
        None => plugins_of(search, path, root),
    };
    plugins.iter().find_map(|plugin| program_of(search, manager, root, plugin, name))
}

/// The manager whose folder this is, by where it should be or by what it is called.
fn manager_of(search: &Search<'_>, root: &Path) -> Option<&'static Manager> {
    let called = root.file_name()?.to_str()?;
    let by_place = MANAGERS.iter().find(|manager| manager.roots(search).iter().any(|known| known == root));
    by_place.or_else(|| MANAGERS.iter().find(|manager| called.trim_start_matches('.') == manager.name))
}

/// The plugins that a stand-in names in its comments, or all that there are.
fn plugins_of(search: &Search<'_>, shim: &Path, root: &Path) -> Vec<String> {
    let text = search.read_small_text(shim).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.strip_prefix("# asdf-plugin:"));
    let named: Vec<_> = lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    if !named.is_empty() {
        return named;
    }
    let mut plugins: Vec<_> = search.list(&root.join("installs")).into_iter().flatten().collect();
    plugins.sort();
    plugins
}
