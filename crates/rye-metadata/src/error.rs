//! Why an item has no metadata at all, or an extractor cannot be used.

use crate::text::MAX_FILE_BYTES;
use crate::{ParserKind, Position, Problem};

/// An item whose metadata cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the metadata of `{path}`")]
pub struct ExtractError {
    /// The item's path, as the caller gave it.
    pub path: String,
    /// What went wrong.
    #[source]
    pub kind: ExtractErrorKind,
}

/// What went wrong in reading an item's metadata.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractErrorKind {
    /// The file is over [`MAX_FILE_BYTES`].
    #[error("{size} bytes, more than the {MAX_FILE_BYTES} that are read")]
    TooLarge {
        /// The file's size.
        size: usize,
    },
    /// The file is not text.
    #[error("invalid UTF-8 at {position}")]
    NotUtf8 {
        /// The first bad byte.
        position: Position,
    },
    /// The file has a NUL character, which no tool source has.
    #[error("NUL character at {position}")]
    Nul {
        /// The first one.
        position: Position,
    },
    /// The parser of the file's language refuses it.
    #[error("not valid {language}{}: {message}", at(*position))]
    Syntax {
        /// The language.
        language: ParserKind,
        /// The parser's words.
        message: String,
        /// Where, if the parser says so.
        position: Option<Position>,
    },
    /// The file is nested so deeply, or costs so much to read, that it is hostile or generated.
    #[error("too complex{}: {message}", at(*position))]
    TooComplex {
        /// Which limit was met.
        message: String,
        /// Where, if that is known.
        position: Option<Position>,
    },
}

/// An extractor file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid extractor")]
pub struct ExtractorError {
    /// What is wrong with it.
    #[source]
    pub kind: ExtractorErrorKind,
}

/// What is wrong with an extractor file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractorErrorKind {
    /// It is not a YAML text.
    #[error(transparent)]
    Unreadable(ExtractErrorKind),
    /// It says things that make no sense; all of them.
    #[error("{}", lines(problems))]
    Invalid {
        /// Each of them.
        problems: Vec<Problem>,
    },
}

fn at(position: Option<Position>) -> String {
    position.map_or_else(String::new, |position| format!(" at {position}"))
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
