//! Words that are spelt like a word.

use std::collections::BTreeMap;

use super::Collection;
use crate::index::can_be_misspelt;
use crate::text::{Letters, stem};

/// A word that may have been meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alternative {
    pub(super) word: String,
    pub(super) stem: String,
    pub(super) distance: usize,
    pub(super) frequency: usize,
}

/// The most alternatives of one word.
const MAX_ALTERNATIVES: usize = 8;

/// The words of the collection with the fewest edits from `word`, the most frequent first.
///
/// Only words that are in more than `than` documents count: a slip is rarer than what was meant.
pub(super) fn alternatives(
    collection: &Collection<'_>,
    word: &str,
    limit: usize,
    than: usize,
) -> Vec<Alternative> {
    let mut found = near_words(collection, word, limit);
    found.retain(|alternative| alternative.frequency > than);
    let nearest = found.first().map_or(0, |alternative| alternative.distance);
    found.retain(|alternative| alternative.distance == nearest);
    found.truncate(MAX_ALTERNATIVES);
    found
}

/// The words of the collection within `limit` edits, one for each stem: the nearest first, then the most frequent.
pub(super) fn near_words(collection: &Collection<'_>, word: &str, limit: usize) -> Vec<Alternative> {
    let Some(asked) = Letters::of(word).filter(|_| limit > 0 && can_be_misspelt(word)) else {
        return Vec::new();
    };
    let mut distances: BTreeMap<&str, usize> = BTreeMap::new();
    for part in collection.parts() {
        part.view.typos.near(part.view.dictionary.words, &asked, limit, |word, distance| {
            distances.insert(word, distance);
        });
    }
    let own_stem = stem(word);
    let mut by_stem: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    for (word, distance) in distances {
        let stem = stem(word);
        if stem != own_stem {
            let nearest = by_stem.entry(stem.into_owned()).or_insert((distance, word));
            *nearest = (*nearest).min((distance, word));
        }
    }
    let with_frequency = by_stem.into_iter().map(|(stem, (distance, word))| {
        let frequency = collection.frequency(&stem);
        Alternative { word: word.to_owned(), stem, distance, frequency }
    });
    let mut found: Vec<Alternative> =
        with_frequency.filter(|alternative| alternative.frequency > 0).collect();
    found.sort_by(|one, other| {
        let order = one.distance.cmp(&other.distance).then(other.frequency.cmp(&one.frequency));
        order.then_with(|| one.word.cmp(&other.word))
    });
    found
}
