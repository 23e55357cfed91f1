//! `homebrew`: a program of a formula that Homebrew installed.

use std::path::PathBuf;

use super::Resolver;
use crate::error::OptionError;
use crate::options::Options;
use crate::search::{Hit, Search};

pub(super) const OPTIONS: &[&str] = &["formula", "binary"];

/// Where Homebrew installs, beside where `HOMEBREW_PREFIX` says.
const PREFIXES: &[&str] = &["/opt/homebrew", "/usr/local", "/home/linuxbrew/.linuxbrew"];

struct Homebrew<'a> {
    formula: &'a str,
    names: Vec<String>,
}

pub(super) fn read<'a>(options: &Options<'a>) -> Result<Box<dyn Resolver + 'a>, OptionError> {
    let formula = options.required("formula", options.name("formula")?)?;
    let names = match options.name("binary")? {
        Some(binary) => vec![binary.to_owned()],
        None => usual_names(formula),
    };
    Ok(Box::new(Homebrew { formula, names }))
}

/// `python@3.11` installs `python3.11`, and `python` and `python3` where nothing else of that name is in the way.
fn usual_names(formula: &str) -> Vec<String> {
    match formula.split_once('@') {
        None => vec![formula.to_owned()],
        Some((name, version)) => {
            let major = version.split('.').next().unwrap_or(version);
            let mut names = vec![format!("{name}{version}"), name.to_owned()];
            if major != version {
                names.insert(1, format!("{name}{major}"));
            }
            names
        }
    }
}

impl Resolver for Homebrew<'_> {
    fn find(&self, search: &mut Search<'_>) -> Option<Hit> {
        let chosen = search.folder_variable("HOMEBREW_PREFIX").map(PathBuf::from);
        let own = search.places().home.map(|home| home.join(".linuxbrew"));
        let prefixes: Vec<_> =
            chosen.into_iter().chain(PREFIXES.iter().map(PathBuf::from)).chain(own).collect();
        let names: Vec<_> = self.names.iter().map(String::as_str).collect();
        prefixes.iter().find_map(|prefix| {
            let keg = prefix.join("opt").join(self.formula);
            if !search.has_folder(&keg) {
                return None;
            }
            let in_bin = search.probe_names(&keg.join("bin"), &names);
            in_bin.or_else(|| search.probe_names(&keg.join("libexec/bin"), &names))
        })
    }
}
