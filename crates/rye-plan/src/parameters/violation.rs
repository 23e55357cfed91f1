//! In what way parameters do not fit a schema.

use std::fmt;

use serde_json::Value;

use super::ValueType;

/// How many choices are told in words.
const MAX_CHOICES: usize = 20;

/// Parameters that do not fit their schema.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", lines(violations, *more))]
pub struct ParameterErrors {
    /// Each way in which they do not fit.
    pub violations: Vec<Violation>,
    /// Whether there may be more violations than are listed. All are listed unless there are over a thousand, or
    /// the parameters consist of over a hundred thousand values.
    pub more: bool,
}

/// One way in which a value does not fit a schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// The place as a JSON pointer (`/options/count`), which is empty for the whole value. For a name that is
    /// missing or unknown it is the place where that name is or would be.
    pub path: String,
    /// What is wrong there.
    pub kind: ViolationKind,
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ViolationKind {
    /// It has to be there.
    Missing {
        /// An unknown name in the same object that is much like it.
        similar: Option<String>,
    },
    /// It must not be there.
    Unknown {
        /// A known name that is much like it.
        nearest: Option<String>,
    },
    /// It has the wrong type.
    WrongType {
        /// The types that it may have.
        expected: Vec<ValueType>,
        /// The type that it has.
        found: ValueType,
    },
    /// It is none of the values that it may be.
    NotAChoice {
        /// All of them.
        choices: Vec<Value>,
    },
    /// Something else that the schema says does not hold.
    Unfit {
        /// What has to hold, as the end of a sentence about the value.
        reason: String,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "the whole {}", self.kind),
            path => write!(f, "`{path}` {}", self.kind),
        }
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { similar: None } => f.write_str("is missing"),
            Self::Missing { similar: Some(name) } => {
                write!(f, "is missing, is it `{name}` that was meant for it?")
            }
            Self::Unknown { nearest: None } => f.write_str("is unknown"),
            Self::Unknown { nearest: Some(name) } => write!(f, "is unknown, did you mean `{name}`?"),
            Self::WrongType { expected, found } => {
                let expected: Vec<_> = expected.iter().map(ToString::to_string).collect();
                write!(f, "must be {}, not {found}", expected.join(" or "))
            }
            Self::NotAChoice { choices } => {
                let told: Vec<_> = choices.iter().take(MAX_CHOICES).map(ToString::to_string).collect();
                let one_of = if choices.len() == 1 { "" } else { "one of " };
                write!(f, "must be {one_of}{}", told.join(", "))?;
                match choices.len().saturating_sub(MAX_CHOICES) {
                    0 => Ok(()),
                    rest => write!(f, " or {rest} others"),
                }
            }
            Self::Unfit { reason } => f.write_str(reason),
        }
    }
}

fn lines(violations: &[Violation], more: bool) -> String {
    let mut lines: Vec<_> = violations.iter().map(ToString::to_string).collect();
    if more {
        lines.push("and maybe more".to_owned());
    }
    lines.join("\n")
}
