//! Putting the sections of an index one after the other.

use crate::index::{HEADER_LENGTH, Place, Section, TYPO_LENGTHS, can_be_misspelt, seal};
use crate::text::Letters;

/// A section of the index would be larger than 4 GiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the documents do not fit into an index: one of its sections would be larger than 4 GiB")]
pub struct IndexTooLarge;

#[derive(Debug)]
pub(super) struct Writer {
    bytes: Vec<u8>,
    sections: [(usize, usize); Section::COUNT],
    is_too_large: bool,
}

impl Writer {
    pub(super) fn new(capacity: usize) -> Self {
        let mut bytes = Vec::with_capacity(capacity + HEADER_LENGTH);
        bytes.resize(HEADER_LENGTH, 0);
        Self { bytes, sections: [(0, 0); Section::COUNT], is_too_large: false }
    }

    /// Writes a section as a whole.
    pub(super) fn section<T>(&mut self, section: Section, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        let start = self.bytes.len();
        let result = write(&mut self.bytes);
        let length = self.bytes.len() - start;
        self.is_too_large |= u32::try_from(length).is_err();
        self.sections[section as usize] = (start, length);
        result
    }

    /// Writes a section of numbers.
    pub(super) fn column(&mut self, section: Section, numbers: impl Iterator<Item = u32>) {
        self.section(section, |bytes| bytes.extend(numbers.flat_map(u32::to_le_bytes)));
    }

    /// Writes rows with `write`, which is called for each of them, and then where they begin.
    pub(super) fn rows<R>(
        &mut self,
        (starts, bytes): (Section, Section),
        rows: impl Iterator<Item = R>,
        mut write: impl FnMut(R, &mut Vec<u8>),
    ) {
        let starts_of_rows = self.section(bytes, |bytes| {
            let begin = bytes.len();
            let mut starts = vec![0];
            for row in rows {
                write(row, bytes);
                starts.push(bytes.len() - begin);
            }
            starts
        });
        // If one does not fit, the section is too large, which is told at the end.
        self.column(starts, starts_of_rows.into_iter().map(|start| u32::try_from(start).unwrap_or(u32::MAX)));
    }

    /// Writes the places and lengths of the documents, and their sums.
    pub(super) fn measures(&mut self, measures: &[(Place, u32)]) {
        self.section(Section::Places, |bytes| {
            bytes.extend(measures.iter().map(|(place, _)| place.as_byte()));
        });
        self.column(Section::Lengths, measures.iter().map(|&(_, length)| length));
        let mut counts = [0_u32; Place::COUNT];
        for (place, _) in measures {
            counts[usize::from(place.as_byte())] += 1;
        }
        let total: u64 = measures.iter().map(|&(_, length)| u64::from(length)).sum();
        self.section(Section::Statistics, |bytes| {
            bytes.extend_from_slice(&total.to_le_bytes());
            bytes.extend(counts.into_iter().flat_map(u32::to_le_bytes));
        });
    }

    /// Writes the table of the words that can be meant by a misspelt one. Stems are among them: they are mostly words, too.
    pub(super) fn typos<'a>(&mut self, words: impl Iterator<Item = (u32, &'a str)>) {
        let mut by_length: [Vec<(u32, u32)>; TYPO_LENGTHS] = [const { Vec::new() }; TYPO_LENGTHS];
        for (number, word) in words.filter(|(_, word)| can_be_misspelt(word)) {
            if let Some(letters) = Letters::of(word) {
                by_length[letters.count()].push((letters.signature(), number));
            }
        }
        let lengths = by_length.iter().map(Vec::len).take(TYPO_LENGTHS - 1);
        let ends = lengths.scan(0, |end, length| {
            *end += length;
            Some(*end)
        });
        let starts = std::iter::once(0).chain(ends).map(|start| u32::try_from(start).unwrap_or(u32::MAX));
        self.column(Section::TypoStarts, starts);
        self.column(Section::TypoSignatures, by_length.iter().flatten().map(|&(signature, _)| signature));
        self.column(Section::TypoWords, by_length.iter().flatten().map(|&(_, number)| number));
    }

    pub(super) fn finish(mut self) -> Result<Vec<u8>, IndexTooLarge> {
        if self.is_too_large {
            return Err(IndexTooLarge);
        }
        seal(&mut self.bytes, &self.sections);
        Ok(self.bytes)
    }
}
