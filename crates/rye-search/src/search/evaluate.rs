//! Which documents match.

use super::collection::Part;
use super::plan::{Feature, Matcher};
use super::posting_list::PostingList;
use crate::index::{Token, read_tokens};

/// One index, and the features of the plan.
#[derive(Clone, Copy)]
pub(super) struct Evaluation<'p, 'a> {
    pub(super) part: &'p Part<'a>,
    /// The number of the index in the collection.
    pub(super) number: usize,
    pub(super) features: &'p [Feature<'a>],
}

impl<'a> Evaluation<'_, 'a> {
    /// The documents that match and are not hidden, in ascending order.
    pub(super) fn documents(&self, matcher: &Matcher) -> Vec<u32> {
        let mut found = self.among(matcher, None);
        self.part.retain_shown(&mut found);
        found
    }

    /// The documents among the candidates that match, or all that do if there are none.
    pub(super) fn among(&self, matcher: &Matcher, candidates: Option<&[u32]>) -> Vec<u32> {
        match matcher {
            Matcher::All => candidates.map_or_else(|| (0..self.part.len()).collect(), <[u32]>::to_vec),
            Matcher::Nothing => Vec::new(),
            Matcher::Feature(feature) => match candidates {
                Some(candidates) => {
                    let mut found = candidates.to_vec();
                    self.list(*feature).retain_common(&mut found);
                    found
                }
                None => self.list(*feature).documents(),
            },
            Matcher::Phrase(features, stems) => self.phrase(features, stems, candidates),
            Matcher::Field(test) => test.documents_among(self.part, candidates),
            Matcher::IdPrefix(prefix) => self.id_prefix(prefix, candidates),
            Matcher::And(parts) => self.all_of(parts.iter().collect(), candidates),
            Matcher::Or(parts) => {
                let found = parts.iter().map(|part| self.among(part, candidates));
                found.reduce(|one, other| union(&one, &other)).unwrap_or_default()
            }
            Matcher::Not(inner) => {
                let candidates = candidates.map_or_else(|| (0..self.part.len()).collect(), <[u32]>::to_vec);
                let excluded = self.among(inner, Some(&candidates));
                difference(candidates, &excluded)
            }
        }
    }

    /// Begins with what has the fewest documents, so that the others are looked up in few places only.
    fn all_of(&self, mut parts: Vec<&Matcher>, candidates: Option<&[u32]>) -> Vec<u32> {
        parts.sort_by_key(|part| self.cost(part));
        let mut found: Option<Vec<u32>> = None;
        for part in parts {
            match (part, &mut found) {
                (Matcher::Feature(feature), Some(found)) => self.list(*feature).retain_common(found),
                _ => found = Some(self.among(part, found.as_deref().or(candidates))),
            }
            if found.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        found.unwrap_or_default()
    }

    fn list(&self, feature: usize) -> &PostingList<'a> {
        &self.features[feature].lists[self.number]
    }

    /// About how many documents match.
    fn cost(&self, matcher: &Matcher) -> usize {
        let everything = self.part.len() as usize;
        let length = |feature: &usize| self.list(*feature).len();
        match matcher {
            Matcher::Nothing => 0,
            Matcher::Feature(feature) => length(feature),
            Matcher::IdPrefix(_) => everything / 16,
            // Looking into documents costs more than looking them up.
            Matcher::Phrase(features, _) => features.iter().map(length).min().unwrap_or_default() * 4,
            Matcher::And(parts) => parts.iter().map(|part| self.cost(part)).min().unwrap_or_default(),
            Matcher::Or(parts) => parts.iter().map(|part| self.cost(part)).sum(),
            Matcher::All | Matcher::Field(_) => everything,
            Matcher::Not(_) => everything + 1,
        }
    }

    fn id_prefix(&self, prefix: &str, candidates: Option<&[u32]>) -> Vec<u32> {
        let range = self.part.view.documents.ids.with_prefix(prefix.as_bytes());
        match candidates {
            Some(candidates) => {
                candidates.iter().copied().filter(|&document| range.contains(&(document as usize))).collect()
            }
            None => range.filter_map(|document| u32::try_from(document).ok()).collect(),
        }
    }

    fn phrase(&self, features: &[usize], stems: &[String], candidates: Option<&[u32]>) -> Vec<u32> {
        let words = features.iter().map(|&feature| Matcher::Feature(feature)).collect::<Vec<_>>();
        let mut found = self.all_of(words.iter().collect(), candidates);
        let dictionary = &self.part.view.dictionary;
        let numbers = stems.iter().map(|stem| u32::try_from(dictionary.words.find(stem.as_bytes())?).ok());
        let Some(numbers) = numbers.collect::<Option<Vec<u32>>>() else {
            return Vec::new();
        };
        let mut stream = Vec::new();
        found.retain(|&document| {
            stream.clear();
            stream.extend(read_tokens(self.part.view.documents.streams.get(document as usize)).filter_map(
                |token| match token {
                    Token::Word(word) => Some(Some(dictionary.stems.get(word as usize))),
                    Token::Gap => Some(None),
                    Token::Whole(_) => None,
                },
            ));
            let is_phrase =
                |window: &[Option<u32>]| window.iter().zip(&numbers).all(|(one, other)| *one == Some(*other));
            stream.windows(numbers.len()).any(is_phrase)
        });
        found
    }
}

fn union(one: &[u32], other: &[u32]) -> Vec<u32> {
    let mut found = Vec::with_capacity(one.len() + other.len());
    let (mut i, mut j) = (0, 0);
    while i < one.len() && j < other.len() {
        found.push(one[i].min(other[j]));
        let (from_one, from_other) = (one[i] <= other[j], other[j] <= one[i]);
        i += usize::from(from_one);
        j += usize::from(from_other);
    }
    found.extend_from_slice(&one[i..]);
    found.extend_from_slice(&other[j..]);
    found
}

pub(super) fn difference(mut documents: Vec<u32>, excluded: &[u32]) -> Vec<u32> {
    let mut excluded = excluded.iter().peekable();
    documents.retain(|document| {
        while excluded.next_if(|excluded| *excluded < document).is_some() {}
        excluded.peek() != Some(&document)
    });
    documents
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sets_are_joined_and_parted(
            one in prop::collection::btree_set(0_u32..40, 0..30),
            other in prop::collection::btree_set(0_u32..40, 0..30),
        ) {
            let all: Vec<u32> = one.union(&other).copied().collect();
            let rest: Vec<u32> = one.difference(&other).copied().collect();
            let (one, other): (Vec<u32>, Vec<u32>) = (one.into_iter().collect(), other.into_iter().collect());
            prop_assert_eq!(union(&one, &other), all);
            prop_assert_eq!(difference(one, &other), rest);
        }
    }
}
