//! The three spaces of a call.

use std::path::{Path, PathBuf};

use crate::folder::{Folder, Links, OpenError};
use crate::{Bundle, Space, SpaceError, SpaceErrorKind, SpaceRoot};

/// What decides where the spaces are. Whoever knows the environment fills it in.
#[derive(Debug, Clone)]
pub struct SpaceSettings {
    /// Where the search for a project starts: the working directory.
    pub start: PathBuf,
    /// The project, if it was named.
    pub project: Option<PathBuf>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// What replaces the home folder; if its name is `.ai`, it is the user space itself.
    pub user_space: Option<PathBuf>,
    /// A folder that replaces the bundle.
    pub system_space: Option<PathBuf>,
}

/// The three spaces of a call.
#[derive(Debug)]
pub struct Spaces {
    project: Project,
    user: Option<SpaceRoot>,
    system: SpaceRoot,
}

/// The folder that a call works in, and its space if it has one.
#[derive(Debug)]
pub struct Project {
    path: PathBuf,
    root: Option<SpaceRoot>,
}

const FOLDER: &str = ".ai";

impl Spaces {
    /// Finds the spaces. Nothing is read yet but the folders themselves.
    ///
    /// # Errors
    /// If a folder that was named is not there, or one that is there cannot be used.
    pub fn open(settings: &SpaceSettings, bundle: Bundle) -> Result<Self, SpaceError> {
        let user_path = user_path(settings);
        let user =
            user_path.as_deref().map(|path| open(Space::User, path, Links::Follow)).transpose()?.flatten();
        let system = match &settings.system_space {
            None => SpaceRoot::embedded(bundle),
            Some(path) => {
                open(Space::System, path, Links::Follow)?.ok_or_else(|| missing(Space::System, path))?
            }
        };
        Ok(Self { project: Project::open(settings, user.as_ref())?, user, system })
    }

    /// The project.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// A space, if there is such a folder.
    #[must_use]
    pub fn get(&self, space: Space) -> Option<&SpaceRoot> {
        match space {
            Space::Project => self.project.root.as_ref(),
            Space::User => self.user.as_ref(),
            Space::System => Some(&self.system),
        }
    }

    /// All spaces that there are, in order of precedence.
    pub fn all(&self) -> impl Iterator<Item = &SpaceRoot> {
        Space::ALL.into_iter().filter_map(|space| self.get(space))
    }

    /// Where the user space is, or would be.
    #[must_use]
    pub fn user_path(settings: &SpaceSettings) -> Option<PathBuf> {
        user_path(settings)
    }
}

impl Project {
    /// The user's own space is not a project, although the home folder holds it: its items would hide themselves.
    fn open(settings: &SpaceSettings, user: Option<&SpaceRoot>) -> Result<Self, SpaceError> {
        let user = user.and_then(SpaceRoot::identity);
        let is_user = |root: &SpaceRoot| user.is_some() && root.identity() == user;
        if let Some(path) = &settings.project {
            if !path.is_dir() {
                return Err(missing(Space::Project, path));
            }
            // `.` is a folder that has a name.
            let path: PathBuf = settings.start.join(path).components().collect();
            let root = open_project(&path, is_user)?;
            return Ok(Self { path, root });
        }
        for path in settings.start.ancestors() {
            if let Some(root) = open_project(path, is_user)? {
                return Ok(Self { path: path.to_owned(), root: Some(root) });
            }
        }
        Ok(Self { path: settings.start.clone(), root: None })
    }

    /// The project's folder: the one that holds `.ai`, or else the working directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn user_path(settings: &SpaceSettings) -> Option<PathBuf> {
    match &settings.user_space {
        Some(path) if path.file_name().is_some_and(|name| name == FOLDER) => Some(path.clone()),
        Some(path) => Some(path.join(FOLDER)),
        None => settings.home.as_ref().map(|home| home.join(FOLDER)),
    }
}

/// The space of a project's folder, if it has one that is not the user's.
fn open_project(path: &Path, is_user: impl Fn(&SpaceRoot) -> bool) -> Result<Option<SpaceRoot>, SpaceError> {
    let folder = path.join(FOLDER);
    match open(Space::Project, &folder, Links::Refuse) {
        Ok(root) => Ok(root.filter(|root| !is_user(root))),
        // Users may have their space elsewhere.
        Err(error) => match open(Space::Project, &folder, Links::Follow) {
            Ok(Some(root)) if is_user(&root) => Ok(None),
            _ => Err(error),
        },
    }
}

fn open(space: Space, path: &Path, links: Links) -> Result<Option<SpaceRoot>, SpaceError> {
    let kind = match Folder::open(path.to_owned(), links) {
        Ok(folder) => return Ok(Some(SpaceRoot::folder(space, folder))),
        Err(OpenError::Missing) => return Ok(None),
        Err(OpenError::Link) => SpaceErrorKind::Link,
        Err(OpenError::NotAFile) => SpaceErrorKind::Missing,
        Err(OpenError::Io(source)) => SpaceErrorKind::Open(source),
    };
    Err(SpaceError { space, path: path.to_owned(), kind })
}

fn missing(space: Space, path: &Path) -> SpaceError {
    SpaceError { space, path: path.to_owned(), kind: SpaceErrorKind::Missing }
}
