//! Why a graph's template or condition cannot be read, or not be filled in.

use super::{MAX_PATTERN_BYTES, MAX_VALUE_DEPTH};

/// A text with a `${…}` that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at character {character}: {kind}")]
pub struct ExpressionError {
    /// Where in the text, in characters from 1.
    pub character: usize,
    /// What is wrong there.
    pub kind: ExpressionErrorKind,
}

/// What is wrong with a `${…}`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionErrorKind {
    /// The text ends before the expression does.
    #[error("`${{` has no closing brace; write `$${{` for the characters themselves")]
    Unclosed,
    /// Neither a path nor a value where one has to be.
    #[error("expected a path such as `state.name`, or a value, {}", met(*found))]
    NoTerm {
        /// What is there.
        found: Option<char>,
    },
    /// Something else after a path or a value.
    #[error("expected `||` or the end, {}", met(*found))]
    NoOperator {
        /// What is there.
        found: Option<char>,
    },
    /// A path that goes on in a way that paths do not.
    #[error("expected a name after `.`, or `[0]` or `[\"key\"]`, {}", met(*found))]
    BadStep {
        /// What is there.
        found: Option<char>,
    },
    /// A value that is not JSON.
    #[error("not a JSON value: {message}")]
    BadLiteral {
        /// The words of the parser.
        message: String,
    },
}

/// Why a template cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InterpolateError {
    /// No alternative leads to a value.
    #[error("there is no `{expression}`")]
    Missing {
        /// The expression as it was written.
        expression: String,
    },
    /// What comes out is larger than is allowed.
    #[error("the value becomes larger than {limit} bytes")]
    TooLarge {
        /// The most that is allowed.
        limit: usize,
    },
    /// What comes out is nested deeper than is allowed.
    #[error("the value is nested more than {MAX_VALUE_DEPTH} levels deep")]
    TooDeep,
}

/// A regular expression that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// It is longer than is allowed.
    #[error("the pattern has more than {MAX_PATTERN_BYTES} bytes")]
    TooLong,
    /// It is not valid, or takes too much memory.
    #[error("{message}")]
    Invalid {
        /// The words of the parser, on one line.
        message: String,
    },
}

fn met(found: Option<char>) -> String {
    match found {
        Some(character) => format!("found `{character}`"),
        None => "found the end".to_owned(),
    }
}
