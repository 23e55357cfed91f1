//! What becomes of a client's configuration, as pieces of text that take the place of others.

use std::ops::Range;

/// What clients call this server.
pub(super) const NAME: &str = "rye";
/// What some editors put before the text.
const MARK: char = '\u{feff}';

/// What telling a client comes to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EntryEdit {
    /// It has our entry, and that says what it should.
    Already,
    /// It had no entry of ours; this is the text with one.
    Added(String),
    /// Its entry said something else; this is the text in which it is right.
    Changed(String),
}

impl EntryEdit {
    /// The same for a text that has something before it.
    pub(super) fn behind(self, mark: &str) -> Self {
        match self {
            Self::Already => Self::Already,
            Self::Added(text) => Self::Added(mark.to_owned() + &text),
            Self::Changed(text) => Self::Changed(mark.to_owned() + &text),
        }
    }

    /// The edit, if the text that it makes is one in which nothing is left to do. A file that would be read otherwise than
    /// it was meant is better left alone.
    pub(super) fn checked(self, again: impl Fn(&str) -> Result<Self, String>) -> Result<Self, String> {
        let (Self::Added(text) | Self::Changed(text)) = &self else { return Ok(self) };
        match again(text) {
            Ok(Self::Already) => Ok(self),
            Ok(_) => Err("the change would not be read as it is meant".to_owned()),
            Err(reason) => Err(format!("the change would spoil it: {reason}")),
        }
    }
}

/// A piece of text that takes the place of another one.
#[derive(Debug)]
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

impl Splice {
    pub(super) fn at(place: usize, text: impl Into<String>) -> Self {
        Self { range: place..place, text: text.into() }
    }
}

/// The text with its pieces replaced. Those for the same place stay in their order.
pub(super) fn spliced(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| splice.range.start);
    let (mut result, mut done) = (String::new(), 0);
    for splice in splices {
        result.push_str(&text[done..splice.range.start]);
        result.push_str(&splice.text);
        done = splice.range.end;
    }
    result.push_str(&text[done..]);
    result
}

/// A text and the byte order mark before it.
pub(super) fn split_mark(text: &str) -> (&str, &str) {
    let without = text.strip_prefix(MARK).unwrap_or(text);
    text.split_at(text.len() - without.len())
}

/// How the lines of a text end.
pub(super) fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
