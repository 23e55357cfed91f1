//! The kinds of items.

use std::fmt;
use std::str::FromStr;

/// What an item is for. Each kind has its folder in a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemKind {
    /// Something that can be executed, or that takes part in executing.
    Tool,
    /// A text with placeholders, for an agent to follow.
    Directive,
    /// A text to read.
    Knowledge,
}

/// A word that names no kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a kind of item: expected tool, directive or knowledge")]
pub struct ParseKindError {
    text: String,
}

impl ItemKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Tool, Self::Directive, Self::Knowledge];

    /// The word for one item of this kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Directive => "directive",
            Self::Knowledge => "knowledge",
        }
    }

    /// The folder of this kind in a space.
    #[must_use]
    pub fn folder(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::Directive => "directives",
            Self::Knowledge => "knowledge",
        }
    }
}

impl fmt::Display for ItemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ItemKind {
    type Err = ParseKindError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text || kind.folder() == text);
        found.ok_or_else(|| ParseKindError { text: text.to_owned() })
    }
}
