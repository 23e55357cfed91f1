//! The fields that a query can name.

use std::fmt;

use crate::text::{Letters, edit_distance};

/// What `field:value` can ask about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Tool, directive or knowledge.
    Kind,
    /// Project, user or system.
    Space,
    /// The category, or a part of its path.
    Category,
    /// Who executes the item: an id, or a part of it.
    Executor,
    /// The version, or the beginning of it.
    Version,
    /// One of the tags.
    Tag,
    /// The id, or a part of its path.
    Id,
    /// Words of the name.
    Name,
}

/// Every spelling that is understood. The first of each field is the one that is written.
const SPELLINGS: [(&str, Field); 29] = [
    ("kind", Field::Kind),
    ("type", Field::Kind),
    ("kinds", Field::Kind),
    ("item_type", Field::Kind),
    ("space", Field::Space),
    ("spaces", Field::Space),
    ("source", Field::Space),
    ("scope", Field::Space),
    ("category", Field::Category),
    ("cat", Field::Category),
    ("categories", Field::Category),
    ("folder", Field::Category),
    ("executor", Field::Executor),
    ("executor_id", Field::Executor),
    ("exec", Field::Executor),
    ("runtime", Field::Executor),
    ("version", Field::Version),
    ("ver", Field::Version),
    ("v", Field::Version),
    ("tag", Field::Tag),
    ("tags", Field::Tag),
    ("label", Field::Tag),
    ("labels", Field::Tag),
    ("keyword", Field::Tag),
    ("id", Field::Id),
    ("item_id", Field::Id),
    ("path", Field::Id),
    ("name", Field::Name),
    ("title", Field::Name),
];

impl Field {
    /// Every field.
    pub const ALL: [Self; 8] = [
        Self::Kind,
        Self::Space,
        Self::Category,
        Self::Executor,
        Self::Version,
        Self::Tag,
        Self::Id,
        Self::Name,
    ];

    /// The word for this field.
    #[must_use]
    pub fn name(self) -> &'static str {
        SPELLINGS.iter().find(|(_, field)| *field == self).map_or("", |(name, _)| name)
    }

    /// The field that is written so, by its own name or by another one, in any case.
    #[must_use]
    pub fn from_spelling(text: &str) -> Option<Self> {
        SPELLINGS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|&(_, field)| field)
    }

    /// The field that was probably meant.
    #[must_use]
    pub fn nearest(text: &str) -> Option<Self> {
        let asked = Letters::of(&text.to_lowercase())?;
        let limit = if asked.count() < 5 { 1 } else { 2 };
        let distances = SPELLINGS.iter().filter(|(name, _)| name.len() > 2).filter_map(|(name, field)| {
            edit_distance(&asked, &Letters::of(name)?, limit).map(|distance| (distance, *field))
        });
        distances.min_by_key(|&(distance, _)| distance).map(|(_, field)| field)
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_synonyms_and_neighbours() {
        assert_eq!(Field::from_spelling("Type"), Some(Field::Kind));
        assert_eq!(Field::from_spelling("executor_id"), Some(Field::Executor));
        assert_eq!(Field::from_spelling("colour"), None);
        assert_eq!(Field::nearest("catgory"), Some(Field::Category));
        assert_eq!(Field::nearest("kidn"), Some(Field::Kind));
        assert_eq!(Field::nearest("colour"), None);
        for field in Field::ALL {
            assert_eq!(Field::from_spelling(field.name()), Some(field));
        }
    }
}
