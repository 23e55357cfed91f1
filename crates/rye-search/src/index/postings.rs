//! The words of an index, and where they occur.

use super::{Rows, Section, U16s, U32s};

/// The words in ascending order, and their postings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dictionary<'a> {
    pub(crate) words: Rows<'a>,
    pub(crate) stems: U32s<'a>,
    starts: U32s<'a>,
    documents: U32s<'a>,
    weights: U16s<'a>,
}

/// The documents that have a word, in ascending order, and how much it counts in each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Postings<'a> {
    pub(crate) documents: U32s<'a>,
    pub(crate) weights: U16s<'a>,
}

impl<'a> Dictionary<'a> {
    pub(super) fn new(section: &impl Fn(Section) -> &'a [u8]) -> Self {
        Self {
            words: Rows::new(section(Section::WordStarts), section(Section::Words)),
            stems: U32s::new(section(Section::Stems)),
            starts: U32s::new(section(Section::PostingStarts)),
            documents: U32s::new(section(Section::PostingDocuments)),
            weights: U16s::new(section(Section::PostingWeights)),
        }
    }

    pub(super) fn is_consistent(&self) -> bool {
        let (words, count) = (self.words.len(), self.documents.len());
        self.words.are_disjoint()
            && self.stems.len() == words
            && self.starts.len() == words + 1
            && self.starts.are_starts(count)
            && self.weights.len() == count
    }

    /// About how many bytes it has.
    pub(super) fn size(&self) -> usize {
        self.words.size() + self.words.len() * 20 + self.documents.len() * 6
    }

    /// The postings of a word by its number: none, if they are under its stem.
    pub(crate) fn postings(&self, word: usize) -> Postings<'a> {
        let (start, end) = (self.starts.get(word) as usize, self.starts.get(word + 1) as usize);
        Postings { documents: self.documents.slice(start, end), weights: self.weights.slice(start, end) }
    }

    /// The postings of a stem.
    pub(crate) fn find(&self, stem: &str) -> Option<Postings<'a>> {
        let word = self.words.find(stem.as_bytes())?;
        Some(self.postings(word)).filter(|postings| postings.documents.len() > 0)
    }
}
