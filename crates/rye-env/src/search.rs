//! Looking for a file that can be executed, and remembering where.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Access, FileType, access, stat};
use rustix::io::Errno;

use crate::dotenv::{DotEnvFile, Owner};
use crate::expand::expand;
use crate::regular_file::read_small_text;
use crate::report::{CommandRun, EnvWarning, Finding, LookedAt, Place};
use crate::request::{EnvRequest, Places, ResolveCommands};
use crate::resolvers::shim::{Shim, behind};
use crate::survey::Consulted;

/// What the operator says about where things are: the process environment, and the user's own `.env` file.
///
/// Looking for interpreters depends on nothing else, so that no `.env` file of a project can steer it.
#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    request: &'a EnvRequest<'a>,
    user_file: Option<&'a DotEnvFile>,
    canonical_project: OnceCell<Option<PathBuf>>,
    consulted: RefCell<Vec<Consulted>>,
}

/// The search for one interpreter.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    surroundings: &'a Surroundings<'a>,
    pub(crate) looked_at: Vec<LookedAt>,
    pub(crate) warnings: Vec<EnvWarning>,
    pub(crate) command: Option<CommandRun>,
}

/// A file that can be executed.
#[derive(Debug)]
pub(crate) struct Hit {
    pub(crate) path: PathBuf,
    pub(crate) inside_project: bool,
}

impl<'a> Surroundings<'a> {
    pub(crate) fn new(request: &'a EnvRequest<'a>, files: &'a [DotEnvFile]) -> Self {
        let user_file = files.iter().find(|file| file.owner == Owner::User);
        Self { request, user_file, canonical_project: OnceCell::new(), consulted: RefCell::default() }
    }

    /// Notes what the answer depends on, before it is looked at.
    fn consult(&self, what: Consulted) {
        let mut consulted = self.consulted.borrow_mut();
        if !consulted.contains(&what) {
            consulted.push(what);
        }
    }

    pub(crate) fn into_consulted(self) -> Vec<Consulted> {
        self.consulted.into_inner()
    }

    /// The value of a variable that is set to something.
    pub(crate) fn variable(&self, name: &str) -> Option<&'a OsStr> {
        let in_file = self.user_file.and_then(|file| file.variables.iter().rfind(|var| var.name == name));
        let value = match in_file {
            Some(variable) => Some(OsStr::new(&variable.value)),
            None => self.request.process.get(name),
        };
        value.filter(|value| !value.is_empty())
    }

    /// All of it.
    pub(crate) fn to_map(&self) -> BTreeMap<OsString, OsString> {
        let mut map = self.request.process.as_map().clone();
        for variable in self.user_file.iter().flat_map(|file| &file.variables) {
            map.insert(variable.name.clone().into(), variable.value.clone().into());
        }
        map
    }

    /// Whether a file lies inside the project, by its name or by where it leads.
    fn is_inside_project(&self, path: &Path) -> bool {
        let Some(project) = self.request.places.project else { return false };
        if normalize(path).starts_with(normalize(project.root)) {
            return true;
        }
        let canonical = self.canonical_project.get_or_init(|| {
            self.consult(Consulted::Entry(project.root.to_owned()));
            project.root.canonicalize().ok()
        });
        let Some(canonical) = canonical else { return false };
        let leads_inside = |path: &Path| path.canonicalize().is_ok_and(|path| path.starts_with(canonical));
        // A link to a file elsewhere is still the project's if the project can replace it.
        let is_replaceable = || path.parent().is_some_and(leads_inside);
        leads_inside(path) || (!project.is_trusted() && is_replaceable())
    }
}

impl<'a> Search<'a> {
    pub(crate) fn new(surroundings: &'a Surroundings<'a>) -> Self {
        Self { surroundings, looked_at: Vec::new(), warnings: Vec::new(), command: None }
    }

    pub(crate) fn places(&self) -> &'a Places<'a> {
        &self.surroundings.request.places
    }

    pub(crate) fn commands(&self) -> ResolveCommands {
        self.surroundings.request.commands
    }

    pub(crate) fn surroundings(&self) -> &'a Surroundings<'a> {
        self.surroundings
    }

    /// The value of a variable that is set to something.
    pub(crate) fn variable(&self, name: &str) -> Option<&'a OsStr> {
        self.surroundings.variable(name)
    }

    /// The folder that a variable names, if it is an absolute path.
    pub(crate) fn folder_variable(&self, name: &str) -> Option<&'a Path> {
        self.variable(name).map(Path::new).filter(|path| path.is_absolute())
    }

    /// A text of the declaration with its placeholders filled in.
    pub(crate) fn expand(&self, text: &str) -> PathBuf {
        let expanded = expand(text, |name| self.variable(name), self.places().names);
        expanded.map_or_else(|_| text.into(), PathBuf::from)
    }

    /// Looks at one file.
    pub(crate) fn probe(&mut self, path: PathBuf) -> Option<Hit> {
        if self.looked_at.iter().any(|seen| matches!(&seen.place, Place::File(seen) if *seen == path)) {
            return None;
        }
        match self.judge(&path) {
            Ok(hit) => match behind(self, &path) {
                Shim::None => {
                    self.record(Place::File(path), Finding::Chosen);
                    Some(hit)
                }
                Shim::System => {
                    self.record(Place::File(path), Finding::StandsForSystem);
                    None
                }
                Shim::Real(real) => {
                    self.record(Place::File(path), Finding::StandsFor(real.clone()));
                    let judged = self.judge(&real);
                    let finding = judged.as_ref().err().cloned().unwrap_or(Finding::Chosen);
                    self.record(Place::File(real), finding);
                    judged.ok()
                }
            },
            Err(finding) => {
                self.record(Place::File(path), finding);
                None
            }
        }
    }

    /// Looks for one of the names in a folder.
    pub(crate) fn probe_names(&mut self, folder: &Path, names: &[&str]) -> Option<Hit> {
        names.iter().find_map(|name| self.probe(folder.join(name)))
    }

    /// Looks for one of the names where an installation has its programs: in `bin`, and in `Scripts` as an `.exe`.
    pub(crate) fn probe_installation(&mut self, prefix: &Path, names: &[&str]) -> Option<Hit> {
        if !self.has_folder(prefix) {
            return None;
        }
        self.probe_names(&prefix.join("bin"), names).or_else(|| {
            let scripts = prefix.join("Scripts");
            names.iter().find_map(|name| self.probe(scripts.join(format!("{name}.exe"))))
        })
    }

    /// Whether there is a folder. If there is none, that is all there is to say about what could be below it.
    pub(crate) fn has_folder(&mut self, folder: &Path) -> bool {
        self.surroundings.consult(Consulted::Entry(folder.to_owned()));
        let finding = match stat(folder) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => return true,
            Ok(_) => Finding::Missing,
            Err(errno) => refusal(errno),
        };
        self.record(Place::Folder(folder.to_owned()), finding);
        false
    }

    /// Looks for a program in `PATH`, or at its path if it is an absolute one.
    pub(crate) fn probe_path(&mut self, program: &str) -> Option<Hit> {
        if Path::new(program).is_absolute() {
            return self.probe(program.into());
        }
        let Some(path) = self.variable("PATH") else {
            self.record(Place::SearchPath, Finding::NoSuchPlace);
            return None;
        };
        std::env::split_paths(path).find_map(|entry| {
            if entry.is_absolute() {
                self.probe(entry.join(program))
            } else {
                self.record(Place::PathEntry(entry), Finding::Relative);
                None
            }
        })
    }

    /// The text of a small file, or nothing if it cannot be had, for whatever reason.
    pub(crate) fn read_small_text(&self, path: &Path) -> Option<String> {
        self.surroundings.consult(Consulted::Content(path.to_owned()));
        read_small_text(path)
    }

    /// The names in a folder; nothing if it cannot be listed.
    pub(crate) fn list(&self, folder: &Path) -> Option<impl Iterator<Item = String> + use<>> {
        self.surroundings.consult(Consulted::Names(folder.to_owned()));
        let entries = folder.read_dir().ok()?.filter_map(Result::ok);
        Some(entries.filter_map(|entry| entry.file_name().into_string().ok()))
    }

    /// Whether a path is that of a regular file that can be executed.
    pub(crate) fn is_program(&self, path: &Path) -> bool {
        self.surroundings.consult(Consulted::Entry(path.to_owned()));
        stat(path).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile)
            && access(path, Access::EXEC_OK).is_ok()
    }

    /// Remembers what was at a place, once.
    pub(crate) fn record(&mut self, place: Place, finding: Finding) {
        let looked_at = LookedAt { place, finding };
        if !self.looked_at.contains(&looked_at) {
            self.looked_at.push(looked_at);
        }
    }

    /// Whether a file can be executed, and counts.
    fn judge(&self, path: &Path) -> Result<Hit, Finding> {
        // Where the file leads to, and its folder, are part of what is at this path.
        self.surroundings.consult(Consulted::Entry(path.to_owned()));
        let mode = stat(path).map_err(refusal)?.st_mode;
        if FileType::from_raw_mode(mode) != FileType::RegularFile {
            return Err(Finding::NotAFile);
        }
        access(path, Access::EXEC_OK).map_err(|_| Finding::NotExecutable)?;
        let inside_project = self.surroundings.is_inside_project(path);
        let is_untrusted = self.places().project.is_some_and(|project| !project.is_trusted());
        if inside_project && is_untrusted {
            return Err(Finding::InUntrustedProject);
        }
        Ok(Hit { path: path.to_owned(), inside_project })
    }
}

fn refusal(errno: Errno) -> Finding {
    match errno {
        Errno::NOENT | Errno::NOTDIR => Finding::Missing,
        errno => Finding::Refused(std::io::Error::from(errno).kind()),
    }
}

/// The path without `.` and `..`, by its text alone.
fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            component => normal.push(component),
        }
    }
    normal
}
