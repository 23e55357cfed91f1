//! What an item is called.

use std::fmt;
use std::str::FromStr;

use crate::ItemKind;

/// The path of an item below its kind's folder, without extension.
///
/// A segment begins with an ASCII letter, a digit or `_`, and goes on with those and `.`, `+`, `-`. So an id can
/// neither leave its folder nor name a hidden file, looks the same everywhere, and needs no quoting.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(String);

/// A kind and an id: the whole name of an item, written `kind:id`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemRef {
    /// The kind.
    pub kind: ItemKind,
    /// The id within the kind.
    pub id: ItemId,
}

/// A text that cannot be the id of an item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` cannot be the id of an item", text.escape_debug())]
pub struct InvalidId {
    text: String,
    #[source]
    kind: InvalidIdKind,
}

/// What is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidIdKind {
    /// There is nothing.
    #[error("it is empty")]
    Empty,
    /// It is longer than any path that would hold it.
    #[error("it is longer than {} bytes", ItemId::MAX_LENGTH)]
    TooLong,
    /// It has a leading, trailing or doubled slash.
    #[error("it has an empty part: ids are relative paths, as `my/tools/name`")]
    EmptySegment,
    /// It would leave its folder.
    #[error("`{segment}` would leave the folder")]
    Traversal {
        /// The part.
        segment: String,
    },
    /// A character that no id contains.
    #[error("`{}` is not allowed; use letters, digits, `_`, `.`, `+`, `-`, and `/` between the parts", character.escape_debug())]
    Character {
        /// The character.
        character: char,
    },
    /// A character that no part begins with.
    #[error("a part cannot begin with `{character}`")]
    Start {
        /// The character.
        character: char,
    },
}

impl ItemId {
    /// The most bytes that an id can have.
    pub const MAX_LENGTH: usize = 512;

    /// Reads an id.
    ///
    /// # Errors
    /// If the text does not have the form of an id.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidId> {
        let text = text.into();
        match check(&text) {
            Ok(()) => Ok(Self(text)),
            Err(kind) => Err(InvalidId { text, kind }),
        }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last part: what a bare name is compared with.
    #[must_use]
    pub fn stem(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The part before the last slash, if there is one.
    #[must_use]
    pub fn parent(&self) -> Option<&str> {
        self.0.rsplit_once('/').map(|(parent, _)| parent)
    }

    /// Whether the id is a single part, and so may name an item anywhere below the kind's folder.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        !self.0.contains('/')
    }
}

impl ItemRef {
    /// A name from its parts.
    #[must_use]
    pub fn new(kind: ItemKind, id: ItemId) -> Self {
        Self { kind, id }
    }
}

impl InvalidId {
    /// What is wrong with it.
    #[must_use]
    pub fn kind(&self) -> &InvalidIdKind {
        &self.kind
    }
}

/// Whether a name of a file or folder can be a part of an id.
pub(crate) fn is_segment(name: &str) -> bool {
    check_segment(name).is_ok()
}

fn check(text: &str) -> Result<(), InvalidIdKind> {
    if text.is_empty() {
        return Err(InvalidIdKind::Empty);
    }
    if text.len() > ItemId::MAX_LENGTH {
        return Err(InvalidIdKind::TooLong);
    }
    text.split('/').try_for_each(check_segment)
}

fn check_segment(segment: &str) -> Result<(), InvalidIdKind> {
    if segment == "." || segment == ".." {
        return Err(InvalidIdKind::Traversal { segment: segment.to_owned() });
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '+' | '-');
    if let Some(character) = segment.chars().find(|&c| !allowed(c)) {
        return Err(InvalidIdKind::Character { character });
    }
    match segment.chars().next() {
        None => Err(InvalidIdKind::EmptySegment),
        Some(first) if first.is_ascii_alphanumeric() || first == '_' => Ok(()),
        Some(character) => Err(InvalidIdKind::Start { character }),
    }
}

impl FromStr for ItemId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl AsRef<str> for ItemId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl serde::Serialize for ItemId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> serde::Deserialize<'de> for ItemId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for ItemRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.id)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &Result<(), InvalidIdKind>) {
        assert_eq!(ItemId::new(text).map(drop).map_err(|error| error.kind), *expect, "{text:?}");
    }

    #[test]
    fn ids_are_relative_paths_of_plain_names() {
        for good in ["git", "rye/core/runtimes/python/script", "my/a_b-c.d+e", "_x/1", "a.b"] {
            check(good, &Ok(()));
        }
        let segment = |segment: &str| InvalidIdKind::Traversal { segment: segment.to_owned() };
        check("", &Err(InvalidIdKind::Empty));
        check("/etc/passwd", &Err(InvalidIdKind::EmptySegment));
        check("a//b", &Err(InvalidIdKind::EmptySegment));
        check("a/", &Err(InvalidIdKind::EmptySegment));
        check("../a", &Err(segment("..")));
        check("a/../b", &Err(segment("..")));
        check("a/./b", &Err(segment(".")));
        check(".hidden", &Err(InvalidIdKind::Start { character: '.' }));
        check("-flag", &Err(InvalidIdKind::Start { character: '-' }));
        check("a\0b", &Err(InvalidIdKind::Character { character: '\0' }));
        check("a b", &Err(InvalidIdKind::Character { character: ' ' }));
        check("a\\b", &Err(InvalidIdKind::Character { character: '\\' }));
        check("a@1", &Err(InvalidIdKind::Character { character: '@' }));
        check("schlüssel", &Err(InvalidIdKind::Character { character: 'ü' }));
        check("\u{202e}abc", &Err(InvalidIdKind::Character { character: '\u{202e}' }));
        check(&"a".repeat(513), &Err(InvalidIdKind::TooLong));
    }

    #[test]
    fn an_invalid_id_is_shown_without_its_control_characters() {
        let error = ItemId::new("a\u{1b}[31m\u{202e}").unwrap_err();
        assert_eq!(error.to_string(), r"`a\u{1b}[31m\u{202e}` cannot be the id of an item");
        assert_eq!(
            error.kind().to_string(),
            r"`\u{1b}` is not allowed; use letters, digits, `_`, `.`, `+`, `-`, and `/` between the parts"
        );
    }

    proptest! {
        #[test]
        fn whatever_is_an_id_stays_below_its_folder(text in any::<String>()) {
            if let Ok(id) = ItemId::new(text) {
                let path = std::path::Path::new(id.as_str());
                prop_assert!(path.components().all(|part| matches!(part, std::path::Component::Normal(_))));
                prop_assert_eq!(ItemId::new(id.to_string()), Ok(id));
            }
        }

        #[test]
        fn ids_round_trip(text in "[a-z_0-9][a-zA-Z0-9_.+-]{0,9}(/[a-z_0-9][a-zA-Z0-9_.+-]{0,9}){0,5}") {
            let id = ItemId::new(text.clone()).unwrap();
            prop_assert_eq!(id.as_str(), &text);
            prop_assert_eq!(id.parent().map_or(id.stem().to_owned(), |parent| format!("{parent}/{}", id.stem())), text);
        }
    }
}
