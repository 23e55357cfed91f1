//! The sections of a buffer, as what they mean.

use rye_item::{ItemKind, Space};

use super::{Dictionary, Rows, Section, TypoTable, U32s};

/// An index, borrowed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) statistics: &'a [u8],
    pub(crate) documents: DocumentColumns<'a>,
    /// Texts that documents refer to by number.
    pub(crate) values: Rows<'a>,
    pub(crate) dictionary: Dictionary<'a>,
    pub(crate) typos: TypoTable<'a>,
}

/// What is known of each document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DocumentColumns<'a> {
    pub(crate) places: &'a [u8],
    pub(crate) lengths: U32s<'a>,
    pub(crate) ids: Rows<'a>,
    pub(crate) names: U32s<'a>,
    pub(crate) name_keys: U32s<'a>,
    pub(crate) stem_keys: U32s<'a>,
    pub(crate) categories: U32s<'a>,
    pub(crate) executors: U32s<'a>,
    pub(crate) versions: U32s<'a>,
    pub(crate) tags: Rows<'a>,
    pub(crate) streams: Rows<'a>,
    pub(crate) payloads: Rows<'a>,
}

/// A space and a kind in one number. Ordered by space, then by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(u8);

impl Place {
    pub(crate) const COUNT: usize = Space::ALL.len() * ItemKind::ALL.len();

    pub(crate) fn new(kind: ItemKind, space: Space) -> Self {
        let position = Self::all().position(|place| place.kind() == kind && place.space() == space);
        Self(u8::try_from(position.unwrap_or_default()).unwrap_or_default())
    }

    pub(crate) fn from_byte(byte: u8) -> Self {
        Self(byte)
    }

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..).take(Self::COUNT).map(Self)
    }

    pub(crate) fn as_byte(self) -> u8 {
        self.0
    }

    pub(crate) fn kind(self) -> ItemKind {
        ItemKind::ALL[usize::from(self.0) % ItemKind::ALL.len()]
    }

    pub(crate) fn space(self) -> Space {
        Space::ALL[usize::from(self.0) / ItemKind::ALL.len() % Space::ALL.len()]
    }
}

impl<'a> View<'a> {
    pub(crate) fn new(section: impl Fn(Section) -> &'a [u8]) -> Self {
        let rows = |starts, bytes| Rows::new(section(starts), section(bytes));
        let column = |which| U32s::new(section(which));
        let documents = DocumentColumns {
            places: section(Section::Places),
            lengths: column(Section::Lengths),
            ids: rows(Section::IdStarts, Section::Ids),
            names: column(Section::Names),
            name_keys: column(Section::NameKeys),
            stem_keys: column(Section::StemKeys),
            categories: column(Section::Categories),
            executors: column(Section::Executors),
            versions: column(Section::Versions),
            tags: rows(Section::TagStarts, Section::Tags),
            streams: rows(Section::StreamStarts, Section::Streams),
            payloads: rows(Section::PayloadStarts, Section::Payloads),
        };
        Self {
            statistics: section(Section::Statistics),
            documents,
            values: rows(Section::ValueStarts, Section::Values),
            dictionary: Dictionary::new(&section),
            typos: TypoTable::new(&section),
        }
    }

    /// Whether the sections have the lengths that follow from the number of documents and of words, and rows do not
    /// overlap. So whoever walks through all of them walks through no more than there is.
    pub(super) fn is_consistent(&self) -> bool {
        let documents = &self.documents;
        let count = documents.len();
        let columns = [
            documents.lengths,
            documents.names,
            documents.name_keys,
            documents.stem_keys,
            documents.categories,
            documents.executors,
            documents.versions,
        ];
        let rows = [documents.ids, documents.tags, documents.streams, documents.payloads];
        u32::try_from(count).is_ok()
            && self.statistics.len() == 8 + 4 * Place::COUNT
            && documents.places.iter().all(|&place| usize::from(place) < Place::COUNT)
            && columns.iter().all(|column| column.len() == count)
            && rows.iter().all(|rows| rows.len() == count && rows.are_disjoint())
            && self.values.are_disjoint()
            && self.dictionary.is_consistent()
            && self.typos.is_consistent()
    }

    /// About how many bytes the index has.
    pub(crate) fn size(&self) -> usize {
        self.documents.streams.size()
            + self.documents.payloads.size()
            + self.dictionary.size()
            + self.len_of_rest()
    }

    fn len_of_rest(&self) -> usize {
        self.values.size() + self.documents.ids.size() + self.documents.len() * 48
    }

    /// The sum of the lengths of all documents.
    pub(crate) fn total_length(&self) -> u64 {
        self.statistics.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes))
    }

    /// How many documents there are of each place.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (Place, usize)> {
        let counts = U32s::new(self.statistics.get(8..).unwrap_or_default());
        Place::all().zip(counts.iter()).map(|(place, count)| (place, count as usize))
    }

    /// The text of a value.
    pub(crate) fn value(&self, value: u32) -> &'a str {
        self.values.text(value as usize)
    }
}

impl<'a> DocumentColumns<'a> {
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn place(&self, document: usize) -> Place {
        Place::from_byte(self.places.get(document).copied().unwrap_or_default())
    }

    /// What documents are ordered by.
    pub(crate) fn key(&self, document: usize) -> (&'a [u8], Place) {
        (self.ids.get(document), self.place(document))
    }

    pub(crate) fn tags(&self, document: usize) -> U32s<'a> {
        U32s::new(self.tags.get(document))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_round_trip_in_order() {
        for place in Place::all() {
            assert_eq!(Place::new(place.kind(), place.space()), place);
        }
        assert!(Place::new(ItemKind::Knowledge, Space::Project) < Place::new(ItemKind::Tool, Space::User));
    }
}
