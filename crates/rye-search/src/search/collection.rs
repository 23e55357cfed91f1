//! Several indexes that are searched as one.

use crate::index::{DocumentSet, DocumentView, Index, Place, U32s, View};

/// Indexes that are searched together: a word is as rare as it is in all of them.
///
/// Documents that are out of date can be hidden, and what they are now can be in another index: so a small index of
/// what has changed lies over a large one, and gives the same results as one that was built from scratch.
#[derive(Debug, Clone, Default)]
pub struct Collection<'a> {
    parts: Vec<Part<'a>>,
    count: usize,
    total_length: u64,
}

/// One index of a collection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) view: View<'a>,
    hidden: &'a DocumentSet,
}

impl<'a> Collection<'a> {
    /// A collection of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an index without the documents that are hidden, and returns its number in the collection.
    pub fn add<B: AsRef<[u8]>>(&mut self, index: &'a Index<B>, hidden: &'a DocumentSet) -> usize {
        let view = index.view();
        let part = Part { view, hidden };
        let hidden_length: u64 =
            part.hidden().map(|document| u64::from(view.documents.lengths.get(document))).sum();
        self.count += view.documents.len() - part.hidden().count();
        let shown_length = view.total_length().saturating_sub(hidden_length);
        self.total_length = self.total_length.saturating_add(shown_length);
        self.parts.push(part);
        self.parts.len() - 1
    }

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no document.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// A document by the number of its index in the collection and its number there.
    #[must_use]
    pub fn document(&self, index: usize, document: u32) -> Option<DocumentView<'a>> {
        let view = &self.parts.get(index)?.view;
        ((document as usize) < view.documents.len()).then(|| DocumentView::new(view, document))
    }

    pub(crate) fn parts(&self) -> &[Part<'a>] {
        &self.parts
    }

    /// The mean length of a document, and never zero.
    #[expect(clippy::cast_precision_loss, reason = "a mean need not be exact")]
    pub(crate) fn average_length(&self) -> f32 {
        (self.total_length as f32 / self.count.max(1) as f32).max(1.0)
    }

    /// In how many documents a stem occurs.
    pub(crate) fn frequency(&self, stem: &str) -> usize {
        let postings = self.parts.iter().map(|part| (part, part.view.dictionary.find(stem)));
        postings
            .map(|(part, postings)| postings.map_or(0, |postings| part.count_shown(postings.documents)))
            .sum()
    }

    /// How many documents there are of each place.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (Place, usize)> {
        let mut counts = [0_usize; Place::COUNT];
        for part in &self.parts {
            for (place, count) in part.view.counts() {
                counts[usize::from(place.as_byte())] += count;
            }
            for document in part.hidden() {
                let place = part.view.documents.place(document);
                let count = &mut counts[usize::from(place.as_byte())];
                *count = count.saturating_sub(1);
            }
        }
        Place::all().zip(counts)
    }
}

impl<'a> Part<'a> {
    /// How many documents there are, hidden ones included.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.view.documents.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn is_shown(&self, document: u32) -> bool {
        document < self.len() && !self.hidden.contains(document)
    }

    /// Takes out of the documents those that are hidden.
    pub(crate) fn retain_shown(&self, documents: &mut Vec<u32>) {
        let count = self.len();
        // Nearly always everything stays, and to see that is faster than to move each document.
        let greatest = documents.iter().copied().fold(0, u32::max);
        if greatest >= count || !self.hidden.is_empty() {
            documents.retain(|&document| self.is_shown(document));
        }
    }

    /// How many of ascending documents are not hidden.
    pub(crate) fn count_shown(&self, documents: U32s<'a>) -> usize {
        if self.hidden.len() > documents.len() / 8 {
            return documents.iter().filter(|&document| !self.hidden.contains(document)).count();
        }
        let hidden = self.hidden.iter().filter(|&document| documents.binary_search(document).is_ok()).count();
        documents.len() - hidden
    }

    fn hidden(&self) -> impl Iterator<Item = usize> {
        let count = self.view.documents.len();
        self.hidden.iter().map(|document| document as usize).filter(move |&document| document < count)
    }
}
