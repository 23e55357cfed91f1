//! A search from the request to the results.

use std::cmp::Ordering;
use std::slice;
use std::sync::Arc;

use super::evaluate::{Evaluation, difference};
use super::literal::Literal;
use super::plan::{Plan, Spelling, words};
use super::score::scores;
use super::top::Top;
use super::{
    Collection, FoundWord, Hit, Rank, SearchRequest, SearchResults, Searched, Sort, Why, near_misses,
};
use crate::query::{ParsedQuery, Query};
use crate::text::fold;

/// With fewer hits than this, the spelling of rare words is doubted.
const FEW: usize = 3;

/// A document that matches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) index: usize,
    pub(super) document: u32,
    pub(super) rank: Rank,
    pub(super) score: f32,
    /// Which of the plans found it.
    pub(super) plan: usize,
    /// The rank and the score in one number, the best first.
    standing: u64,
}

/// What a plan has found in one index.
struct Found<'d> {
    index: usize,
    plan: usize,
    documents: &'d [u32],
    scores: Vec<f32>,
}

impl Collection<'_> {
    /// Searches. There is no query that fails; what was done to read it is in the notes.
    #[must_use]
    pub fn search(&self, request: &SearchRequest) -> SearchResults {
        let ParsedQuery { query, mut notes } = Query::parse(&request.query);
        let trusted = Plan::new(self, &query, &request.filters, Spelling::Trusted, &mut notes);
        let found = self.matching(&trusted);
        let mut total: usize = found.iter().map(Vec::len).sum();
        let mut plans = vec![(trusted, found)];
        if let Some(spelling) = self.doubts(&plans[0].0, total) {
            let doubted = Plan::new(self, &query, &request.filters, spelling, &mut notes);
            let found = self.matching(&doubted).into_iter().zip(&plans[0].1);
            let found: Vec<_> = found.map(|(found, before)| difference(found, before)).collect();
            total += found.iter().map(Vec::len).sum::<usize>();
            plans.push((doubted, found));
        }
        let order = |one: &Candidate, other: &Candidate| self.compare(request.sort, one, other);
        let mut top = Top::new(request.offset.saturating_add(request.limit).min(total), order);
        self.rank(&plans, Literal::of(&query).as_ref(), request.sort, &mut top);
        let mut hits = Vec::with_capacity(request.limit.min(total));
        for candidate in top.into_sorted().into_iter().skip(request.offset) {
            let (plan, _) = &plans[candidate.plan];
            let words = plan.words_of_all.clone();
            hits.push(candidate.hit(words.unwrap_or_else(|| candidate.words(slice::from_ref(plan)))));
        }
        let near_misses = (total == 0).then(|| near_misses::find(self, request, &query, &plans[0].0));
        SearchResults { total, hits, near_misses, searched: self.searched(request), notes, query }
    }

    /// Whether to look for words that are spelt alike, although those that were typed are there.
    fn doubts(&self, plan: &Plan<'_>, total: usize) -> Option<Spelling> {
        // What one document in a hundred has is a word, however it is spelt.
        let below = if total == 0 { (self.len() / 100).max(10) } else { FEW };
        let is_doubtful = total < FEW && plan.rarest.is_some_and(|rarest| rarest < below);
        is_doubtful.then_some(Spelling::Doubted(below))
    }

    /// The documents of each index that match.
    fn matching(&self, plan: &Plan<'_>) -> Vec<Vec<u32>> {
        let parts = self.parts().iter().enumerate();
        let evaluations = parts.map(|(number, part)| Evaluation { part, number, features: &plan.features });
        evaluations.map(|evaluation| evaluation.documents(&plan.root)).collect()
    }

    /// Gives `top` what the plans have found.
    fn rank(
        &self,
        plans: &[(Plan<'_>, Vec<Vec<u32>>)],
        literal: Option<&Literal>,
        sort: Sort,
        top: &mut Top<Candidate, impl Fn(&Candidate, &Candidate) -> Ordering>,
    ) {
        for (number, (plan, documents)) in plans.iter().enumerate() {
            for (index, part) in self.parts().iter().enumerate() {
                let documents = &documents[index];
                let scores = scores(plan, (index, part), self.average_length(), documents);
                let found = Found { index, plan: number, documents, scores };
                match literal.and_then(|literal| literal.in_part(part)) {
                    _ if number > 0 => found.rank(sort, top, |_| Rank::Misspelt),
                    Some(ranks) => found.rank(sort, top, |document| ranks.rank(document)),
                    None => found.rank(sort, top, |_| Rank::Words),
                }
            }
        }
    }

    /// The order of two documents. No two are equal but copies of the same item.
    #[inline]
    pub(super) fn compare(&self, sort: Sort, one: &Candidate, other: &Candidate) -> Ordering {
        let order = match sort {
            Sort::Score => one.standing.cmp(&other.standing),
            Sort::Id => Ordering::Equal,
            Sort::Name => self.compare_names(one, other),
            Sort::Version => self.compare_versions(one, other).reverse(),
        };
        order.then_with(|| {
            // Documents of one index are in this order already.
            if one.index == other.index {
                one.document.cmp(&other.document)
            } else {
                self.compare_keys(one, other)
            }
        })
    }

    fn compare_keys(&self, one: &Candidate, other: &Candidate) -> Ordering {
        let key = |candidate: &Candidate| {
            let documents = &self.parts()[candidate.index].view.documents;
            (documents.key(candidate.document as usize), candidate.index)
        };
        key(one).cmp(&key(other))
    }

    fn compare_names(&self, one: &Candidate, other: &Candidate) -> Ordering {
        let name = |candidate: &Candidate| {
            let document = self.document(candidate.index, candidate.document);
            document.map(|document| fold(document.name()))
        };
        name(one).cmp(&name(other))
    }

    fn compare_versions(&self, one: &Candidate, other: &Candidate) -> Ordering {
        let version = |candidate: &Candidate| {
            let document = self.document(candidate.index, candidate.document);
            document.and_then(|document| document.version()).unwrap_or_default()
        };
        compare_versions(version(one), version(other))
    }

    fn searched(&self, request: &SearchRequest) -> Vec<Searched> {
        let filters = &request.filters;
        let counts = self.counts().filter(|&(place, count)| {
            count > 0
                && (filters.kinds.is_empty() || filters.kinds.contains(&place.kind()))
                && (filters.spaces.is_empty() || filters.spaces.contains(&place.space()))
        });
        counts.map(|(place, count)| Searched { space: place.space(), kind: place.kind(), count }).collect()
    }
}

impl Found<'_> {
    /// Gives `top` each of them, but for those that come after all that it keeps.
    fn rank(
        &self,
        sort: Sort,
        top: &mut Top<Candidate, impl Fn(&Candidate, &Candidate) -> Ordering>,
        rank: impl Fn(u32) -> Rank,
    ) {
        // Nearly all come after those that are kept, and one number tells that. In one index they come in this order.
        let end = |top: &Top<Candidate, _>| match top.last() {
            Some(last) if sort == Sort::Score => last.standing + u64::from(last.index != self.index),
            _ => u64::MAX,
        };
        let mut too_late = end(top);
        for (&document, &score) in self.documents.iter().zip(&self.scores) {
            let rank = rank(document);
            if standing(rank, score) < too_late {
                top.push(Candidate::new((self.index, document), rank, score, self.plan));
                too_late = end(top);
            }
        }
    }
}

impl Candidate {
    /// A document of an index, which one of the plans has found.
    pub(super) fn new((index, document): (usize, u32), rank: Rank, score: f32, plan: usize) -> Self {
        Self { index, document, rank, score, plan, standing: standing(rank, score) }
    }

    /// The words that the plans have found in it.
    pub(super) fn words(&self, plans: &[Plan<'_>]) -> Arc<[FoundWord]> {
        let features = plans.iter().flat_map(Plan::wanted);
        let here = features.filter(|feature| feature.lists[self.index].contains(self.document));
        words(here)
    }

    pub(super) fn hit(self, words: Arc<[FoundWord]>) -> Hit {
        let Candidate { index, document, rank, score, .. } = self;
        Hit { index, document, score, why: Why { rank, words } }
    }
}

/// A rank and a score in one number, the best first. No score is below zero, so that the order of its bits is its own. One id in
/// several spaces: the space decides, not the words.
fn standing(rank: Rank, score: f32) -> u64 {
    let score_bits = if rank == Rank::ExactId { 0 } else { score.to_bits() };
    ((rank as u64) << 32) | u64::from(!score_bits)
}

/// Compares versions number by number. One with more to say after a dash comes before the one without.
fn compare_versions(one: &str, other: &str) -> Ordering {
    let split = |version: &str| {
        let version = version.trim_start_matches(['v', 'V']);
        let version = version.split_once('+').map_or(version, |(version, _)| version);
        let (release, pre) =
            version.split_once('-').map_or((version, None), |(release, pre)| (release, Some(pre)));
        let numbers: Vec<u64> = release.split('.').map(|number| number.parse().unwrap_or(0)).collect();
        (!release.is_empty(), numbers, pre.is_none(), pre.map(str::to_owned))
    };
    split(one).cmp(&split(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        let ascending = ["", "0.9", "1.2.3", "1.10.0-rc.1", "1.10.0", "v2.0.0"];
        for (index, one) in ascending.iter().enumerate() {
            for (position, other) in ascending.iter().enumerate() {
                assert_eq!(compare_versions(one, other), index.cmp(&position), "{one} {other}");
            }
        }
    }
}
