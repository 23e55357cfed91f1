//! Conditions as a person would write them, for drawings and messages.

use std::fmt;

use super::{Comparison, Condition, Test, ValueTemplate};

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Test { path, test: Test::Compare(comparison, value) } => {
                write!(f, "{path} {comparison} {value}")
            }
            Self::Test { path, test: Test::Matches(pattern) } => write!(f, "{path} ~ /{pattern}/"),
            Self::Test { path, test: Test::Exists } => write!(f, "{path} exists"),
            Self::Test { path, test: Test::Empty } => write!(f, "{path} is empty"),
            Self::All(inner) => joined(f, inner, " and ", "always"),
            Self::Any(inner) => joined(f, inner, " or ", "never"),
            Self::Not(inner) => write!(f, "not ({inner})"),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Eq => "=",
            Self::Neq => "≠",
            Self::Gt => ">",
            Self::Gte => "≥",
            Self::Lt => "<",
            Self::Lte => "≤",
            Self::In => "in",
            Self::Contains => "contains",
        })
    }
}

/// A value as it stands in the file, in one line.
impl fmt::Display for ValueTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(value) => write!(f, "{value}"),
            Self::Text(text) => match text.as_expression() {
                Some(expression) => f.write_str(expression.source()),
                None => write!(f, "{:?}", text.source()),
            },
            Self::List(_) => f.write_str("[…]"),
            Self::Map(_) => f.write_str("{…}"),
        }
    }
}

fn joined(f: &mut fmt::Formatter<'_>, inner: &[Condition], word: &str, none: &str) -> fmt::Result {
    if inner.is_empty() {
        return f.write_str(none);
    }
    for (index, condition) in inner.iter().enumerate() {
        if index > 0 {
            f.write_str(word)?;
        }
        match condition {
            Condition::All(_) | Condition::Any(_) => write!(f, "({condition})")?,
            Condition::Test { .. } | Condition::Not(_) => write!(f, "{condition}")?,
        }
    }
    Ok(())
}
