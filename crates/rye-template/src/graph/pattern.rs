//! Regular expressions of conditions.

use std::fmt;

use regex::{Regex, RegexBuilder};

use super::PatternError;

/// How long a pattern may be, in bytes.
pub const MAX_PATTERN_BYTES: usize = 1000;

/// How much memory a pattern may take once it is compiled, in bytes.
const MAX_COMPILED_BYTES: usize = 1024 * 1024;

/// A regular expression. It is searched for in a text in time proportional to the text.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// If it is too long, not valid, or takes too much memory.
    pub fn parse(pattern: &str) -> Result<Self, PatternError> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(PatternError::TooLong);
        }
        let built = RegexBuilder::new(pattern)
            .size_limit(MAX_COMPILED_BYTES)
            .dfa_size_limit(MAX_COMPILED_BYTES)
            .build();
        built.map(Self).map_err(|error| {
            let words = error.to_string();
            let last = words.lines().last().unwrap_or_default();
            PatternError::Invalid { message: last.strip_prefix("error: ").unwrap_or(last).to_owned() }
        })
    }

    /// Whether it is found anywhere in a text.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}
