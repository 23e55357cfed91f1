//! The layout of the buffer: a header, a table of sections, and the sections.
//!
//! ```text
//! 0   magic, 8 bytes
//! 8   version, u32
//! 12  CRC-32 of everything that follows, u32
//! 16  for each section its offset and its length, u64 each
//! ..  the sections
//! ```
//!
//! All numbers are little-endian. Documents are in ascending order of id, space and kind; words and values in
//! ascending order of their bytes.

pub(crate) const MAGIC: [u8; 8] = *b"ryeindex";
pub(crate) const VERSION: u32 = 1;
pub(crate) const HEADER_LENGTH: usize = TABLE_OFFSET + Section::COUNT * 16;

const CHECKSUM_OFFSET: usize = 12;
const TABLE_OFFSET: usize = 16;

/// A part of the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    /// The sum of all lengths (u64) and the number of documents of each [place](super::Place) (u32).
    Statistics,
    /// The place of each document (u8).
    Places,
    /// How long each document is, in units of weight (u32).
    Lengths,
    /// For each document the value (u32) that is its name, and so on.
    Names,
    NameKeys,
    StemKeys,
    Categories,
    Executors,
    Versions,
    /// Where each row begins (u32, and one more for the end of the last), and their bytes.
    IdStarts,
    Ids,
    TagStarts,
    /// The rows are values (u32).
    Tags,
    PayloadStarts,
    Payloads,
    StreamStarts,
    /// The rows are the words of a document in order; see [`super::stream`].
    Streams,
    ValueStarts,
    Values,
    WordStarts,
    Words,
    /// For each word the word (u32) under which its postings are.
    Stems,
    /// For each word where its postings begin, and one more for the end of the last (u32).
    PostingStarts,
    /// For each posting the document (u32) and how much the word counts there (u16).
    PostingDocuments,
    PostingWeights,
    /// Where the words of each length begin in the next two (u32).
    TypoStarts,
    /// Which letters a word has (u32), and the word (u32).
    TypoSignatures,
    TypoWords,
}

impl Section {
    pub(crate) const COUNT: usize = Self::TypoWords as usize + 1;
}

/// Where the offset and the length of a section stand.
pub(super) fn table_entry(section: Section) -> usize {
    TABLE_OFFSET + section as usize * 16
}

pub(super) fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes.get(TABLE_OFFSET..).unwrap_or_default())
}

pub(super) fn stored_checksum(bytes: &[u8]) -> Option<u32> {
    let stored = bytes.get(CHECKSUM_OFFSET..)?.first_chunk()?;
    Some(u32::from_le_bytes(*stored))
}

/// Writes the header over the first bytes of the buffer.
pub(crate) fn seal(bytes: &mut [u8], sections: &[(usize, usize); Section::COUNT]) {
    let mut header = Vec::with_capacity(HEADER_LENGTH);
    header.extend_from_slice(&MAGIC);
    header.extend_from_slice(&VERSION.to_le_bytes());
    header.extend_from_slice(&[0; 4]);
    for &(offset, length) in sections {
        header.extend_from_slice(&(offset as u64).to_le_bytes());
        header.extend_from_slice(&(length as u64).to_le_bytes());
    }
    bytes[..HEADER_LENGTH].copy_from_slice(&header);
    let checksum = checksum(bytes);
    bytes[CHECKSUM_OFFSET..TABLE_OFFSET].copy_from_slice(&checksum.to_le_bytes());
}
