//! `local_binary`: a program below the project, or below other folders that the declaration names.

use std::path::{Path, PathBuf};

use super::Resolver;
use crate::error::OptionError;
use crate::options::Options;
use crate::report::{Finding, Place};
use crate::search::{Hit, Search};

pub(super) const OPTIONS: &[&str] = &["binary", "candidates", "search_paths", "search_roots"];

struct LocalBinary<'a> {
    /// The names to try in each folder, in order.
    names: Vec<&'a str>,
    paths: Vec<&'a str>,
    /// Empty for the project's root.
    roots: Vec<&'a str>,
}

pub(super) fn read<'a>(options: &Options<'a>) -> Result<Box<dyn Resolver + 'a>, OptionError> {
    let binary = options.name("binary")?;
    let candidates = options.names("candidates")?.unwrap_or_default();
    let mut names: Vec<_> = binary.into_iter().chain(candidates).collect();
    if names.is_empty() {
        names.push(options.required("binary", options.fallback())?);
    }
    Ok(Box::new(LocalBinary {
        names,
        paths: options.texts("search_paths")?.unwrap_or_else(|| vec!["."]),
        roots: options.texts("search_roots")?.unwrap_or_default(),
    }))
}

impl Resolver for LocalBinary<'_> {
    fn find(&self, search: &mut Search<'_>) -> Option<Hit> {
        self.roots(search).iter().find_map(|root| {
            self.paths.iter().find_map(|path| {
                // Collecting the components leaves out each `.`.
                let folder: PathBuf = root.join(search.expand(path)).components().collect();
                if is_scripts(&folder) {
                    let exe = |name: &&str| search.probe(folder.join(format!("{name}.exe")));
                    return self.names.iter().find_map(exe);
                }
                search.probe_names(&folder, &self.names)
            })
        })
    }
}

impl LocalBinary<'_> {
    fn roots(&self, search: &mut Search<'_>) -> Vec<PathBuf> {
        let project = search.places().project.map(|project| project.root);
        if self.roots.is_empty() {
            if project.is_none() {
                search.record(Place::Project, Finding::NoSuchPlace);
            }
            return project.map(Path::to_owned).into_iter().collect();
        }
        let mut roots = Vec::new();
        for root in &self.roots {
            let root = search.expand(root);
            match project {
                _ if root.is_absolute() => roots.push(root),
                Some(project) => roots.push(project.join(root)),
                None => search.record(Place::Project, Finding::NoSuchPlace),
            }
        }
        roots
    }
}

/// Whether a folder is one where programs have the ending `.exe`.
fn is_scripts(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == "Scripts")
}
