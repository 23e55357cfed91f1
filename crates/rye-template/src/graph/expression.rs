//! What stands between `${` and `}`.

use std::borrow::Cow;

use serde_json::Value;

use super::{InterpolateError, Path, Roots};

/// Alternatives, of which the first that has a value counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    pub(super) terms: Vec<Term>,
    /// As it was written.
    pub(super) source: String,
}

/// One alternative.
#[derive(Debug, Clone, PartialEq)]
pub enum Term {
    /// What a path leads to.
    Path(Path),
    /// A value that was written out.
    Literal(Value),
}

impl Expression {
    /// The alternatives, of which there is at least one.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The expression as it was written, without `${` and `}`.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The first alternative that is there and not null; null if one is there, and all of those are null.
    ///
    /// # Errors
    /// If no alternative is there.
    pub fn find<'v>(&'v self, roots: &Roots<'v>) -> Result<&'v Value, InterpolateError> {
        let mut null = None;
        for term in &self.terms {
            match term.find(roots) {
                None => {}
                Some(Value::Null) => null = Some(&Value::Null),
                Some(value) => return Ok(value),
            }
        }
        null.ok_or_else(|| InterpolateError::Missing { expression: self.source.clone() })
    }
}

impl Term {
    fn find<'v>(&'v self, roots: &Roots<'v>) -> Option<&'v Value> {
        match self {
            Self::Path(path) => path.find(roots),
            Self::Literal(value) => Some(value),
        }
    }
}

/// How a value looks inside of a text.
pub(super) fn text_of(value: &Value) -> Cow<'_, str> {
    crate::name_value::json_text(value)
}
