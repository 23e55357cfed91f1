//! The words of the option `search`: `project`, `kiwi`, `user`, `system`.

use std::path::PathBuf;

use crate::error::OptionError;
use crate::options::Options;
use crate::report::{Finding, Place};
use crate::search::Search;

/// Where to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchWord {
    /// The project's own environment.
    Project,
    /// The environment of the project's tools, below `.ai/scripts`.
    Kiwi,
    /// The user's environment.
    User,
    /// `PATH`.
    System,
}

const WORDS: &[&str] = &["project", "kiwi", "user", "system"];

impl SearchWord {
    /// What to search if the declaration does not say.
    pub(super) const DEFAULT: [Self; 3] = [Self::Kiwi, Self::User, Self::System];

    /// The words of the declaration, if it has any.
    pub(super) fn read(options: &Options<'_>) -> Result<Option<Vec<Self>>, OptionError> {
        let words = options.choices("search", WORDS)?;
        Ok(words.map(|words| words.into_iter().map(Self::named).collect()))
    }

    fn named(word: &str) -> Self {
        match word {
            "project" => Self::Project,
            "kiwi" => Self::Kiwi,
            "user" => Self::User,
            _ => Self::System,
        }
    }

    /// The folders that may hold an environment of this kind, in order. `PATH` has none.
    pub(super) fn folders(self, search: &mut Search<'_>) -> Vec<PathBuf> {
        let places = search.places();
        let project = places.project.map(|project| project.root);
        let (folders, place): (Vec<_>, _) = match self {
            Self::Project => (project.map(PathBuf::from).into_iter().collect(), Place::Project),
            Self::Kiwi => {
                (project.map(|root| root.join(".ai/scripts")).into_iter().collect(), Place::Project)
            }
            Self::User => {
                let folders = [places.user_space, places.home];
                (folders.into_iter().flatten().map(PathBuf::from).collect(), Place::User)
            }
            Self::System => return Vec::new(),
        };
        if folders.is_empty() {
            search.record(place, Finding::NoSuchPlace);
        }
        folders
    }
}
