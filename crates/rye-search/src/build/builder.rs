//! Building an index, from documents and from what is still right in another index.

use super::draft::Draft;
use super::merge::{Source, merge};
use super::writer::IndexTooLarge;
use crate::document::Document;
use crate::index::{DocumentSet, Index, View};

/// After so many documents the words are written out, so that memory does not grow with their number.
const DRAFT_DOCUMENTS: usize = 1 << 15;

/// Gathers documents and turns them into one flat buffer.
///
/// The buffer depends on the documents alone, not on where they come from: an index that is kept in part and extended
/// is the same, byte for byte, as one that is built afresh, unless two documents have the same id, kind and space.
#[derive(Debug, Default)]
pub struct IndexBuilder<'a> {
    draft: Draft,
    written: Vec<Vec<u8>>,
    kept: Vec<(View<'a>, &'a DocumentSet)>,
}

impl<'a> IndexBuilder<'a> {
    /// A builder that has no document.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document.
    ///
    /// # Errors
    /// If there are too many.
    pub fn add(&mut self, document: Document) -> Result<(), IndexTooLarge> {
        self.draft.add(document);
        if self.draft.len() == DRAFT_DOCUMENTS {
            self.written.push(std::mem::take(&mut self.draft).encode()?);
        }
        Ok(())
    }

    /// Adds the documents of another index except for some. Their texts are not cut into words again.
    pub fn keep<B: AsRef<[u8]>>(&mut self, index: &'a Index<B>, except: &'a DocumentSet) {
        self.kept.push((index.view(), except));
    }

    /// The buffer.
    ///
    /// # Errors
    /// If there are too many documents.
    pub fn finish(mut self) -> Result<Vec<u8>, IndexTooLarge> {
        if self.draft.len() > 0 || (self.kept.is_empty() && self.written.is_empty()) {
            self.written.push(self.draft.encode()?);
        }
        if self.kept.is_empty() && self.written.len() == 1 {
            return self.written.pop().ok_or(IndexTooLarge);
        }
        let none = DocumentSet::new();
        let indexes: Vec<Index<&[u8]>> = self.written.iter().map(|bytes| Index::written(bytes)).collect();
        let kept = self.kept.iter().map(|&(view, except)| Source { view, except });
        let written = indexes.iter().map(|index| Source { view: index.view(), except: &none });
        merge(&kept.chain(written).collect::<Vec<_>>())
    }
}
