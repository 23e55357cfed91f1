//! The `.env` files: which there are, and which of their lines count.

mod open;
mod parse;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use self::parse::{Assignment, LineError, LineErrorKind, parse_dotenv};

use self::open::{read_anywhere, read_below};
use crate::error::{DotEnvError, DotEnvErrorKind};
use crate::request::{Places, Project, ProjectTrust};
use crate::resolvers::protected_variables::{Protection, protection_of};
use crate::survey::Consulted;

/// The most bytes that a `.env` file can have.
pub const MAX_DOTENV_BYTES: u64 = 1024 * 1024;

/// A line of a `.env` file that sets a variable which such a file may not set. It was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedLine {
    /// The variable.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// Why it may not be set there.
    pub protection: Protection,
}

/// Whose a `.env` file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    User,
    Project,
}

/// A file that was read.
#[derive(Debug)]
pub(crate) struct DotEnvFile {
    pub(crate) path: PathBuf,
    pub(crate) owner: Owner,
    pub(crate) variables: Vec<DotEnvVariable>,
    pub(crate) refused: Vec<RefusedLine>,
}

/// A variable that counts.
#[derive(Debug)]
pub(crate) struct DotEnvVariable {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) line: usize,
}

/// Where a project may have such files, in order of application.
pub const PROJECT_DOTENV_FILES: [&str; 3] = [".ai/.env", ".env", ".env.local"];

/// Reads the files that there are, in order of application: the user's, and those of a trusted project.
pub(crate) fn read_files(
    places: &Places<'_>,
    problems: &mut Vec<DotEnvError>,
    consulted: &mut Vec<Consulted>,
) -> Vec<DotEnvFile> {
    let mut files = Vec::new();
    if let Some(user_space) = places.user_space {
        let path = user_space.join(".env");
        consulted.push(Consulted::Entry(path.clone()));
        let opened = read_anywhere(&path);
        files.extend(read(path, Owner::User, opened, problems));
    }
    if let Some(Project { root, trust: ProjectTrust::Trusted { variables } }) = places.project {
        match open::open_folder(root) {
            Ok(folder) => {
                for below in PROJECT_DOTENV_FILES {
                    consulted.push(Consulted::Entry(root.join(below)));
                    let opened = read_below(&folder, Path::new(below));
                    if let Some(mut file) = read(root.join(below), Owner::Project, opened, problems) {
                        // Whoever decided has read the file before us, and it may be another one now.
                        file.refuse_all_but(variables);
                        files.push(file);
                    }
                }
            }
            Err(source) => {
                let kind = DotEnvErrorKind::Io(source);
                problems.push(DotEnvError { path: root.to_owned(), kind });
            }
        }
    }
    files
}

impl DotEnvFile {
    /// Leaves out what nobody has agreed to.
    fn refuse_all_but(&mut self, agreed: &BTreeSet<String>) {
        let path = &self.path;
        for variable in self.variables.extract_if(.., |variable| !agreed.contains(&variable.name)) {
            let DotEnvVariable { name, line, .. } = variable;
            self.refused.push(RefusedLine {
                name,
                path: path.clone(),
                line,
                protection: Protection::NotDecided,
            });
        }
    }
}

/// The `.env` files of a project and the names of the variables that they set, without those that such files may not set.
/// Nothing counts here before the project is trusted: this is what its operator is shown.
#[must_use]
pub fn dotenv_names(project: &Path) -> Vec<(PathBuf, Vec<String>)> {
    let Ok(folder) = open::open_folder(project) else { return Vec::new() };
    let mut files = Vec::new();
    for below in PROJECT_DOTENV_FILES {
        let opened = read_below(&folder, Path::new(below));
        let Some(file) = read(project.join(below), Owner::Project, opened, &mut Vec::new()) else { continue };
        let mut names: Vec<String> = file.variables.into_iter().map(|variable| variable.name).collect();
        names.sort();
        names.dedup();
        files.push((file.path, names));
    }
    files
}

fn read(
    path: PathBuf,
    owner: Owner,
    opened: Result<Option<Vec<u8>>, DotEnvErrorKind>,
    problems: &mut Vec<DotEnvError>,
) -> Option<DotEnvFile> {
    let assignments = opened.and_then(|bytes| {
        let Some(bytes) = bytes else { return Ok(None) };
        Ok(Some(parse_dotenv(&bytes)?))
    });
    let assignments = match assignments {
        Ok(assignments) => assignments?,
        Err(kind) => {
            problems.push(DotEnvError { path, kind });
            return None;
        }
    };
    let mut file = DotEnvFile { path, owner, variables: Vec::new(), refused: Vec::new() };
    for Assignment { name, value, line } in assignments {
        match protection_of(&name) {
            Some(protection) if owner == Owner::Project || protection.binds_user() => {
                file.refused.push(RefusedLine { name, path: file.path.clone(), line, protection });
            }
            _ => file.variables.push(DotEnvVariable { name, value, line }),
        }
    }
    Some(file)
}
