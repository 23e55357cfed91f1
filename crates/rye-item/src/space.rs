//! The three spaces, and which of them comes first.

use std::fmt;
use std::str::FromStr;

/// Where an item lives. Ordered by precedence: what comes first wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// The project's own `.ai` folder.
    Project,
    /// The user's `.ai` folder.
    User,
    /// What comes with the program.
    System,
}

/// A word that names no space.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a space: expected project, user or system")]
pub struct ParseSpaceError {
    text: String,
}

impl Space {
    /// Every space, in order of precedence.
    pub const ALL: [Self; 3] = [Self::Project, Self::User, Self::System];

    /// The word for this space.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::System => "system",
        }
    }

    /// Whether an item of this space may build on one of `other`.
    ///
    /// Nothing may build on a space that comes before its own: that would let a project change what a user's or
    /// the system's item does.
    #[must_use]
    pub fn may_depend_on(self, other: Self) -> bool {
        self <= other
    }

    /// The spaces that an item of this space may build on, in the order in which they are searched.
    pub fn reachable(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |&other| self.may_depend_on(other))
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Space {
    type Err = ParseSpaceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|space| space.name() == text);
        found.ok_or_else(|| ParseSpaceError { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::Space::{self, Project, System, User};

    #[test]
    fn dependencies_point_to_equal_or_lower_precedence() {
        let check = |child: Space, parent, expect| {
            assert_eq!(child.may_depend_on(parent), expect, "{child} {parent}");
        };
        check(Project, User, true);
        check(Project, System, true);
        check(User, System, true);
        check(User, Project, false);
        check(System, Project, false);
        check(System, User, false);
        check(Project, Project, true);
        check(User, User, true);
        check(System, System, true);
    }

    #[test]
    fn a_search_starts_at_the_own_space() {
        assert_eq!(Project.reachable().collect::<Vec<_>>(), [Project, User, System]);
        assert_eq!(User.reachable().collect::<Vec<_>>(), [User, System]);
        assert_eq!(System.reachable().collect::<Vec<_>>(), [System]);
    }
}
