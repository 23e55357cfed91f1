//! Finding the words that a misspelt one may stand for.
//!
//! The words are kept by length, each with the set of its letters as 32 bits. One edit changes the length by one and
//! the set by two bits at most, so that nearly all words are ruled out by looking at a few contiguous numbers.

use super::{Rows, Section, U32s};
use crate::text::{Letters, edit_distance};

/// Words of up to this many letters can be misspelt.
const MAX_LENGTH: usize = 40;
/// The number of starts in the table: one for each length, and the end.
pub(crate) const LENGTHS: usize = MAX_LENGTH + 2;

#[derive(Debug, Clone, Copy)]
pub(crate) struct TypoTable<'a> {
    starts: U32s<'a>,
    signatures: U32s<'a>,
    words: U32s<'a>,
}

/// Whether a word can be one that was meant: digits are not misspelt, and short words are all alike.
pub(crate) fn can_be_misspelt(word: &str) -> bool {
    word.len() > 2 && word.chars().all(char::is_alphabetic) && word.chars().count() <= MAX_LENGTH
}

/// How many slips are forgiven in a word of so many letters.
pub(crate) fn allowed_distance(letters: usize) -> usize {
    match letters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

impl<'a> TypoTable<'a> {
    pub(super) fn new(section: &impl Fn(Section) -> &'a [u8]) -> Self {
        Self {
            starts: U32s::new(section(Section::TypoStarts)),
            signatures: U32s::new(section(Section::TypoSignatures)),
            words: U32s::new(section(Section::TypoWords)),
        }
    }

    pub(super) fn is_consistent(&self) -> bool {
        let count = self.words.len();
        self.starts.len() == LENGTHS && self.starts.are_starts(count) && self.signatures.len() == count
    }

    /// Calls `found` with each word of at most `limit` edits from `asked`, and with that number.
    pub(crate) fn near(
        &self,
        words: Rows<'a>,
        asked: &Letters,
        limit: usize,
        mut found: impl FnMut(&'a str, usize),
    ) {
        let shortest = asked.count().saturating_sub(limit);
        let longest = (asked.count() + limit).min(MAX_LENGTH);
        let start = self.starts.get(shortest) as usize;
        let end = self.starts.get(longest + 1) as usize;
        let signatures = self.signatures.slice(start, end).iter();
        let budget = u32::try_from(2 * limit).unwrap_or(u32::MAX);
        for (signature, word) in signatures.zip(self.words.slice(start, end).iter()) {
            if (signature ^ asked.signature()).count_ones() > budget {
                continue;
            }
            let word = words.text(word as usize);
            if let Some(letters) = Letters::of(word)
                && let Some(distance) = edit_distance(asked, &letters, limit)
            {
                found(word, distance);
            }
        }
    }
}
