//! Why parameters cannot be read, or a schema cannot be used.

use rye_metadata::Position;

use super::{MAX_DEPTH, MAX_SCHEMA_DEPTH, ValueType, Violation};

/// Why parameters cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParametersError {
    /// The text has bytes that are no characters.
    #[error("invalid UTF-8 at {position}")]
    NotUtf8 {
        /// The first of them.
        position: Position,
    },
    /// The text is not JSON.
    #[error("not valid JSON at {position}: {message}")]
    Syntax {
        /// Where the text stops to be JSON.
        position: Position,
        /// What is wrong there.
        message: String,
    },
    /// The text is JSON, but has no names in it.
    #[error("parameters are a JSON object, this is {found}")]
    NotAnObject {
        /// What it is.
        found: ValueType,
    },
    /// The values are nested too deeply.
    #[error("nested more than {MAX_DEPTH} levels deep at {position}")]
    TooDeep {
        /// The first bracket that is too many.
        position: Position,
    },
    /// One object has the same name twice, so that readers would disagree about its value.
    #[error("`{name}` occurs twice in one object, again at {position}")]
    RepeatedName {
        /// The name.
        name: String,
        /// Its second place.
        position: Position,
    },
    /// A string has half of a surrogate pair, which is no character.
    #[error("the string at {position} has an escape that is not a character")]
    NotACharacter {
        /// Where the string begins.
        position: Position,
    },
}

impl ParametersError {
    /// The error that the reader of `text` has met.
    pub(super) fn syntax(text: &str, error: &serde_json::Error) -> Self {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        // The reader counts bytes, up to the one at fault.
        let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
        let before = &line.as_bytes()[..error.column().saturating_sub(1).min(line.len())];
        let position = Position {
            line: number(error.line().max(1)),
            column: number(String::from_utf8_lossy(before).chars().count() + 1),
        };
        let message = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        Self::Syntax { position, message: message.strip_suffix(&place).unwrap_or(&message).to_owned() }
    }
}

/// A schema that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("not a usable JSON Schema")]
pub struct SchemaError {
    /// What is wrong with it.
    #[source]
    pub kind: SchemaErrorKind,
}

/// What is wrong with a schema.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaErrorKind {
    /// It is not what JSON Schema says a schema is.
    #[error("{}", lines(violations))]
    Invalid {
        /// Every place that is wrong.
        violations: Vec<Violation>,
    },
    /// It refers to another document. None is ever fetched or opened.
    #[error("refers to `{reference}`, which is not a part of the schema itself")]
    External {
        /// The reference.
        reference: String,
    },
    /// It refers to a part of itself that is not there, or in a way that makes no sense.
    #[error("has a reference that leads nowhere: {message}")]
    Dangling {
        /// What was looked for.
        message: String,
    },
    /// Its `$schema` is no version of JSON Schema.
    #[error("`$schema` is `{dialect}`, which is no known version of JSON Schema")]
    UnknownDialect {
        /// What it says.
        dialect: String,
    },
    /// It is nested too deeply.
    #[error("nested more than {MAX_SCHEMA_DEPTH} levels deep")]
    TooDeep,
}

fn lines(violations: &[Violation]) -> String {
    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
