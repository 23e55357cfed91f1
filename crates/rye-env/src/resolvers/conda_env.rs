//! `conda_env`: a program of a conda environment, by default its Python.

use std::path::{Path, PathBuf};

use super::Resolver;
use crate::error::OptionError;
use crate::options::Options;
use crate::search::{Hit, Search};

pub(super) const OPTIONS: &[&str] = &["env_name", "binary"];

/// What installers call their folder, below the home folder and below `/opt`.
const DISTRIBUTIONS: &[&str] =
    &["miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", "miniconda", "anaconda"];

struct CondaEnv<'a> {
    env_name: &'a str,
    binary: &'a str,
}

pub(super) fn read<'a>(options: &Options<'a>) -> Result<Box<dyn Resolver + 'a>, OptionError> {
    Ok(Box::new(CondaEnv {
        env_name: options.required("env_name", options.name("env_name")?)?,
        binary: options.name("binary")?.unwrap_or("python"),
    }))
}

impl Resolver for CondaEnv<'_> {
    fn find(&self, search: &mut Search<'_>) -> Option<Hit> {
        let prefixes =
            if self.env_name == "base" { installations(search) } else { self.environments(search) };
        prefixes.iter().find_map(|prefix| search.probe_installation(prefix, &[self.binary]))
    }
}

impl CondaEnv<'_> {
    fn environments(&self, search: &Search<'_>) -> Vec<PathBuf> {
        let lists = ["CONDA_ENVS_DIRS", "CONDA_ENVS_PATH"];
        let listed = lists.iter().filter_map(|name| search.variable(name)).flat_map(std::env::split_paths);
        let mut folders: Vec<_> = listed.filter(|folder| folder.is_absolute()).collect();
        folders.extend(installations(search).iter().map(|installation| installation.join("envs")));
        folders.extend(search.places().home.map(|home| home.join(".conda/envs")));
        folders.iter().map(|folder| folder.join(self.env_name)).collect()
    }
}

/// Where conda itself may be installed.
fn installations(search: &Search<'_>) -> Vec<PathBuf> {
    let of_program = search.folder_variable("CONDA_EXE").and_then(Path::parent).and_then(Path::parent);
    let of_mamba = search.folder_variable("MAMBA_ROOT_PREFIX");
    let mut folders: Vec<_> = of_program.into_iter().chain(of_mamba).map(Path::to_owned).collect();
    let parents = [search.places().home, Some(Path::new("/opt"))];
    for parent in parents.into_iter().flatten() {
        folders.extend(DISTRIBUTIONS.iter().map(|name| parent.join(name)));
    }
    folders.push("/opt/conda".into());
    folders
}
