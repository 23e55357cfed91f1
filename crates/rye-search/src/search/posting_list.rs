//! The documents of a word, or of several words as if they were one.

use super::collection::Part;
use crate::index::{Postings, U16s, U32s};

/// The documents that have a word in one index, in ascending order, and how much it counts in each.
#[derive(Debug, Clone)]
pub(super) enum PostingList<'a> {
    /// As it stands in the index.
    Borrowed(Postings<'a>),
    /// Made from several.
    Owned { documents: Vec<u32>, weights: Vec<u16> },
}

/// How many numbers of documents are looked at together.
const WINDOW: u32 = 8192;

/// Ascending numbers of documents.
pub(super) trait Documents: Copy {
    fn len(self) -> usize;
    fn at(self, index: usize) -> Option<u32>;
    /// Those from one position to another.
    fn between(self, start: usize, end: usize) -> impl Iterator<Item = u32>;
}

impl Documents for U32s<'_> {
    fn len(self) -> usize {
        U32s::len(self)
    }

    fn at(self, index: usize) -> Option<u32> {
        U32s::at(self, index)
    }

    fn between(self, start: usize, end: usize) -> impl Iterator<Item = u32> {
        self.slice(start, end).iter()
    }
}

impl Documents for &[u32] {
    fn len(self) -> usize {
        <[u32]>::len(self)
    }

    fn at(self, index: usize) -> Option<u32> {
        self.get(index).copied()
    }

    fn between(self, start: usize, end: usize) -> impl Iterator<Item = u32> {
        self.get(start..end).unwrap_or_default().iter().copied()
    }
}

impl<'a> PostingList<'a> {
    pub(super) const EMPTY: Self = Self::Owned { documents: Vec::new(), weights: Vec::new() };

    /// The union of several lists, in which a document counts as much as in all of them together.
    pub(super) fn union(lists: &[Postings<'a>], part: &Part<'a>) -> Self {
        match lists {
            [] => return Self::EMPTY,
            [one] => return Self::Borrowed(*one),
            _ => {}
        }
        let count: usize = lists.iter().map(|list| list.documents.len()).sum();
        let (documents, weights) = if count > part.len() as usize / 4 {
            Self::dense_union(lists, part).unzip()
        } else {
            Self::sparse_union(lists, count).into_iter().unzip()
        };
        Self::Owned { documents, weights }
    }

    /// For many postings: one counter for each document.
    fn dense_union(lists: &[Postings<'a>], part: &Part<'a>) -> impl Iterator<Item = (u32, u16)> + use<> {
        let mut sums: Vec<Option<u16>> = vec![None; part.len() as usize];
        for list in lists {
            for (index, document) in list.documents.iter().enumerate() {
                if let Some(sum) = sums.get_mut(document as usize) {
                    *sum = Some(sum.unwrap_or_default().saturating_add(list.weights.get(index)));
                }
            }
        }
        (0..).zip(sums).filter_map(|(document, sum)| Some((document, sum?)))
    }

    /// For few postings: sort them.
    fn sparse_union(lists: &[Postings<'a>], count: usize) -> Vec<(u32, u16)> {
        let mut found = Vec::with_capacity(count);
        for list in lists {
            found.extend(
                list.documents
                    .iter()
                    .enumerate()
                    .map(|(index, document)| (document, list.weights.get(index))),
            );
        }
        found.sort_by_key(|&(document, _)| document);
        found.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            is_same
        });
        found
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Borrowed(postings) => postings.documents.len(),
            Self::Owned { documents, .. } => documents.len(),
        }
    }

    /// How many of its documents are not hidden.
    pub(super) fn count_shown(&self, part: &Part<'a>) -> usize {
        match self {
            Self::Borrowed(postings) => part.count_shown(postings.documents),
            Self::Owned { documents, .. } => {
                documents.iter().filter(|&&document| part.is_shown(document)).count()
            }
        }
    }

    /// All of its documents.
    pub(super) fn documents(&self) -> Vec<u32> {
        match self {
            Self::Borrowed(postings) => postings.documents.iter().collect(),
            Self::Owned { documents, .. } => documents.clone(),
        }
    }

    /// Keeps of ascending documents those that it has.
    pub(super) fn retain_common(&self, candidates: &mut Vec<u32>) {
        match self {
            Self::Borrowed(postings) => retain_common(postings.documents, candidates),
            Self::Owned { documents, .. } => retain_common(documents.as_slice(), candidates),
        }
    }

    /// Whether a document is in the list.
    pub(super) fn contains(&self, document: u32) -> bool {
        match self {
            Self::Borrowed(postings) => postings.documents.binary_search(document).is_ok(),
            Self::Owned { documents, .. } => documents.binary_search(&document).is_ok(),
        }
    }

    /// The weights in the list, if these are all of its documents, as they are where a word is alone in a query.
    pub(super) fn weights_of_all(&self, documents: &[u32]) -> Option<U16s<'a>> {
        match self {
            Self::Borrowed(postings) if postings.documents.is(documents) => Some(postings.weights),
            Self::Borrowed(_) | Self::Owned { .. } => None,
        }
    }

    /// Calls `found` for each of the ascending `documents` that is in the list, with its position in `documents`
    /// and its weight in the list.
    pub(super) fn join(&self, documents: &[u32], mut found: impl FnMut(usize, u16)) {
        match self {
            Self::Borrowed(postings) => {
                join(postings.documents, documents, |index, position| {
                    found(position, postings.weights.get(index));
                });
            }
            Self::Owned { documents: own, weights } => {
                join(own.as_slice(), documents, |index, position| found(position, weights[index]));
            }
        }
    }
}

/// Keeps of ascending documents those that are in the list too.
fn retain_common<D: Documents>(list: D, documents: &mut Vec<u32>) {
    let windows = documents.last().map_or(0, |last| last / WINDOW) as usize;
    // To clear a window takes about as long as to look at this many numbers.
    if is_far_longer(list, documents) || windows * 64 > list.len() + documents.len() {
        let mut at = 0;
        documents.retain(|&document| {
            at = gallop(list, at, document);
            list.at(at) == Some(document)
        });
    } else {
        retain_in_windows(list, documents);
    }
}

/// The same, by a note for each number of a window: each is looked at by itself, where to walk through both lists waits at each
/// step for the one before.
fn retain_in_windows<D: Documents>(list: D, documents: &mut Vec<u32>) {
    let (mut from, mut read, mut kept) = (0, 0, 0);
    while let Some(first) = documents.get(read) {
        let window = first / WINDOW;
        from = gallop(list, from, window * WINDOW);
        let next = (window + 1).saturating_mul(WINDOW);
        let is_last = list.at(list.len().wrapping_sub(1)).is_none_or(|last| last < next);
        let end = if is_last { list.len() } else { gallop(list, from, next) };
        let mut is_there = [0_u8; WINDOW as usize];
        for document in list.between(from, end) {
            is_there[(document % WINDOW) as usize] = 1;
        }
        from = end;
        // Each is written, over the one before if that is not there: which ones are cannot be foreseen.
        while let Some(&document) = documents.get(read).filter(|&document| document / WINDOW == window) {
            documents[kept] = document;
            kept += usize::from(is_there[(document % WINDOW) as usize]);
            read += 1;
        }
    }
    documents.truncate(kept);
}

/// Whether it is better to look each document up than to walk through the list.
fn is_far_longer<D: Documents>(list: D, documents: &[u32]) -> bool {
    list.len() / 8 > documents.len()
}

/// Calls `found` with the two positions of each number that is in both.
fn join<D: Documents>(list: D, documents: &[u32], mut found: impl FnMut(usize, usize)) {
    let mut index = 0;
    if is_far_longer(list, documents) {
        for (position, &document) in documents.iter().enumerate() {
            index = gallop(list, index, document);
            if list.at(index) == Some(document) {
                found(index, position);
            }
        }
        return;
    }
    let mut position = 0;
    while let (Some(one), Some(&other)) = (list.at(index), documents.get(position)) {
        if one == other {
            found(index, position);
        }
        // Without a branch: which of the two is smaller cannot be foreseen.
        index += usize::from(one <= other);
        position += usize::from(other <= one);
    }
}

/// The first position from `start` on whose number is not below `document`.
fn gallop<D: Documents>(list: D, start: usize, document: u32) -> usize {
    let mut step = 1;
    let mut low = start;
    let is_before = |index: usize| list.at(index).is_some_and(|other| other < document);
    while is_before(low + step) {
        low += step;
        step *= 2;
    }
    let mut high = (low + step).min(list.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers of a few windows, and the greatest.
    fn number() -> impl Strategy<Value = u32> {
        prop_oneof![
            0_u32..300,
            WINDOW - 100..WINDOW + 100,
            5 * WINDOW..5 * WINDOW + 100,
            u32::MAX - 1..u32::MAX
        ]
    }

    proptest! {
        #[test]
        fn joins_find_what_is_in_both(
            list in prop::collection::btree_set(number(), 0..400),
            documents in prop::collection::btree_set(number(), 0..20),
        ) {
            let expect: Vec<u32> = list.intersection(&documents).copied().collect();
            let (list, documents): (Vec<u32>, Vec<u32>) = (list.into_iter().collect(), documents.into_iter().collect());
            let mut found = Vec::new();
            join(list.as_slice(), &documents, |index, position| {
                assert_eq!(list[index], documents[position]);
                found.push(documents[position]);
            });
            prop_assert_eq!(&found, &expect);
            for (one, mut other) in [(&list, documents.clone()), (&documents, list.clone())] {
                let mut in_windows = other.clone();
                retain_in_windows(one.as_slice(), &mut in_windows);
                prop_assert_eq!(&in_windows, &expect);
                retain_common(one.as_slice(), &mut other);
                prop_assert_eq!(&other, &expect);
            }
            found.clear();
            join(documents.as_slice(), &list, |_, position| found.push(list[position]));
            prop_assert_eq!(found, expect);
        }
    }
}
