//! From bytes to an index.

use std::ops::Range;

use rye_item::{ItemId, ItemKind, Space};

use super::format::{self, HEADER_LENGTH, MAGIC, Section, VERSION};
use super::{DocumentView, Place, View};

/// An index in a buffer, which may be a mapped file. Nothing is unpacked: it is read where it is.
#[derive(Debug, Clone)]
pub struct Index<B> {
    bytes: B,
    sections: [Range<usize>; Section::COUNT],
}

impl<'a> Index<&'a [u8]> {
    /// An index of bytes that were just written here.
    pub(crate) fn written(bytes: &'a [u8]) -> Self {
        Self { bytes, sections: sections(bytes).unwrap_or([const { 0..0 }; Section::COUNT]) }
    }
}

/// The bytes are not an index that can be used. It has to be built again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot use the index of {length} bytes")]
pub struct OpenIndexError {
    length: usize,
    #[source]
    kind: OpenIndexErrorKind,
}

/// What is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenIndexErrorKind {
    /// It does not begin as an index does.
    #[error("it is not an index")]
    NotAnIndex,
    /// It was written by another version of this program.
    #[error("it has format {found}, not {VERSION}")]
    OtherVersion {
        /// The format it has.
        found: u32,
    },
    /// It is not what was written.
    #[error("its checksum is wrong")]
    Damaged,
    /// Its parts do not fit together.
    #[error("its sections do not fit together")]
    Inconsistent,
}

impl OpenIndexError {
    /// What is wrong with it.
    #[must_use]
    pub fn kind(&self) -> &OpenIndexErrorKind {
        &self.kind
    }
}

impl<B: AsRef<[u8]>> Index<B> {
    /// Checks the bytes and makes an index of them.
    ///
    /// Whatever the bytes are, neither this nor a search in the index panics; and if they are not those that were
    /// written, this is an error.
    ///
    /// # Errors
    /// If the bytes are not a whole, unchanged index of this format.
    pub fn open(bytes: B) -> Result<Self, OpenIndexError> {
        match check(bytes.as_ref()) {
            Ok(sections) => Ok(Self { bytes, sections }),
            Err(kind) => Err(OpenIndexError { length: bytes.as_ref().len(), kind }),
        }
    }

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.view().documents.len()
    }

    /// Whether there is no document.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The document with this number, if there is one.
    #[must_use]
    pub fn document(&self, number: u32) -> Option<DocumentView<'_>> {
        ((number as usize) < self.len()).then(|| DocumentView::new(&self.view(), number))
    }

    /// Every document, in ascending order of id, space and kind.
    pub fn documents(&self) -> impl ExactSizeIterator<Item = DocumentView<'_>> {
        let view = self.view();
        (0..u32::try_from(view.documents.len()).unwrap_or(u32::MAX))
            .map(move |number| DocumentView::new(&view, number))
    }

    /// The document of this item, if there is one.
    #[must_use]
    pub fn find(&self, kind: ItemKind, id: &ItemId, space: Space) -> Option<DocumentView<'_>> {
        let view = self.view();
        let sought = (id.as_str().as_bytes(), Place::new(kind, space));
        let (mut low, mut high) = (0, view.documents.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if view.documents.key(middle) < sought {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let is_found = low < view.documents.len() && view.documents.key(low) == sought;
        self.document(u32::try_from(low).ok()?).filter(|_| is_found)
    }

    /// The buffer.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// The buffer, given back.
    #[must_use]
    pub fn into_bytes(self) -> B {
        self.bytes
    }

    pub(crate) fn view(&self) -> View<'_> {
        let bytes = self.bytes.as_ref();
        View::new(|section| bytes.get(self.sections[section as usize].clone()).unwrap_or_default())
    }
}

fn check(bytes: &[u8]) -> Result<[Range<usize>; Section::COUNT], OpenIndexErrorKind> {
    let version = bytes.strip_prefix(&MAGIC).and_then(<[u8]>::first_chunk);
    let version = version.ok_or(OpenIndexErrorKind::NotAnIndex)?;
    let found = u32::from_le_bytes(*version);
    if found != VERSION {
        return Err(OpenIndexErrorKind::OtherVersion { found });
    }
    if bytes.len() < HEADER_LENGTH || format::stored_checksum(bytes) != Some(format::checksum(bytes)) {
        return Err(OpenIndexErrorKind::Damaged);
    }
    let ranges = sections(bytes).ok_or(OpenIndexErrorKind::Inconsistent)?;
    let view = View::new(|section| bytes.get(ranges[section as usize].clone()).unwrap_or_default());
    if view.is_consistent() { Ok(ranges) } else { Err(OpenIndexErrorKind::Inconsistent) }
}

fn sections(bytes: &[u8]) -> Option<[Range<usize>; Section::COUNT]> {
    let start = format::table_entry(Section::Statistics);
    let (table, _) = bytes.get(start..HEADER_LENGTH)?.as_chunks::<8>();
    let mut ranges = [const { 0..0 }; Section::COUNT];
    for (range, entry) in ranges.iter_mut().zip(table.chunks_exact(2)) {
        let offset = usize::try_from(u64::from_le_bytes(entry[0])).ok()?;
        let length = usize::try_from(u64::from_le_bytes(entry[1])).ok()?;
        let end = offset.checked_add(length).filter(|&end| end <= bytes.len())?;
        *range = offset..end;
    }
    Some(ranges)
}
