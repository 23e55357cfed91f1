//! `pipx`: a program of a package that pipx installed.

use std::path::PathBuf;

use super::Resolver;
use crate::error::OptionError;
use crate::options::Options;
use crate::report::{Finding, Place};
use crate::search::{Hit, Search};

pub(super) const OPTIONS: &[&str] = &["package", "binary"];

struct Pipx<'a> {
    package: &'a str,
    binary: &'a str,
}

pub(super) fn read<'a>(options: &Options<'a>) -> Result<Box<dyn Resolver + 'a>, OptionError> {
    let package = options.required("package", options.name("package")?)?;
    Ok(Box::new(Pipx { package, binary: options.name("binary")?.unwrap_or(package) }))
}

impl Resolver for Pipx<'_> {
    fn find(&self, search: &mut Search<'_>) -> Option<Hit> {
        let home = search.places().home;
        let mut homes: Vec<PathBuf> = Vec::new();
        if let Some(folder) = search.folder_variable("PIPX_HOME") {
            homes.push(folder.into());
        } else {
            homes.extend(search.folder_variable("XDG_DATA_HOME").map(|folder| folder.join("pipx")));
            homes.extend(home.map(|home| home.join(".local/share/pipx")));
            homes.extend(home.map(|home| home.join(".local/pipx")));
        }
        if homes.is_empty() {
            search.record(Place::User, Finding::NoSuchPlace);
        }
        let in_venv = homes.iter().find_map(|pipx| {
            search.probe_installation(&pipx.join("venvs").join(self.package), &[self.binary])
        });
        in_venv.or_else(|| {
            let chosen = search.folder_variable("PIPX_BIN_DIR").map(PathBuf::from);
            let folder = chosen.or_else(|| home.map(|home| home.join(".local/bin")))?;
            search.probe(folder.join(self.binary))
        })
    }
}
