//! A text in which `*` stands for anything.

use std::fmt;

/// A word or value as it was typed, in which each `*` stands for any characters or none.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern(String);

impl Pattern {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text as it was typed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is a `*` in it.
    #[must_use]
    pub fn is_wild(&self) -> bool {
        self.0.contains('*')
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Whether `text` is what `glob` describes. Both are folded already.
pub(crate) fn glob_matches(glob: &str, text: &str) -> bool {
    let Some((first, rest)) = glob.split_once('*') else {
        return glob == text;
    };
    let Some(mut text) = text.strip_prefix(first) else {
        return false;
    };
    let mut pieces = rest.split('*').peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return text.ends_with(piece);
        }
        // Taking the first place for each piece leaves the most for the others.
        let Some(at) = text.find(piece) else {
            return false;
        };
        text = &text[at + piece.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::glob_matches;

    #[test]
    fn stars_stand_for_anything() {
        for (glob, text, expect) in [
            ("read", "read", true),
            ("read", "reader", false),
            ("read*", "reader", true),
            ("read*", "read", true),
            ("*ness", "darkness", true),
            ("*ness", "ness", true),
            ("*ness", "nest", false),
            ("*ar*", "darkness", true),
            ("d*k*s", "darkness", true),
            ("ab*ba", "aba", false),
            ("a*a", "a", false),
            ("*", "", true),
            ("a**b", "ab", true),
        ] {
            assert_eq!(glob_matches(glob, text), expect, "{glob} {text}");
        }
    }
}
