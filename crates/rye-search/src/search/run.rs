//! A search from the request to the results.

use std::cmp::Ordering;
use std::sync::Arc;

use super::evaluate::{Evaluation, difference};
use super::literal::Literal;
use super::plan::{Plan, Spelling};
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
        self.rank(&plans, Literal::of(&query).as_ref(), |candidate| {
            let is_after = |last| request.sort == Sort::Score && candidate.is_clearly_after(last);
            if !top.last().is_some_and(is_after) {
                top.push(candidate);
            }
        });
        let page = top.into_sorted().into_iter().skip(request.offset);
        let hits = page.map(|candidate| candidate.hit(&plans[candidate.plan].0)).collect();
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

    /// Calls `found` for each document that one of the plans has found.
    fn rank(
        &self,
        plans: &[(Plan<'_>, Vec<Vec<u32>>)],
        literal: Option<&Literal>,
        mut found: impl FnMut(Candidate),
    ) {
        for (number, (plan, documents)) in plans.iter().enumerate() {
            for (index, part) in self.parts().iter().enumerate() {
                let documents = &documents[index];
                let scores = scores(&plan.features, (index, part), self.average_length(), documents);
                let ranks = literal.and_then(|literal| literal.in_part(part));
                for (&document, score) in documents.iter().zip(scores) {
                    let rank = match &ranks {
                        _ if number > 0 => Rank::Misspelt,
                        Some(ranks) => ranks.rank(document),
                        None => Rank::Words,
                    };
                    found(Candidate::new((index, document), rank, score, number));
                }
            }
        }
    }

    /// The order of two documents. No two are equal but copies of the same item.
    pub(super) fn compare(&self, sort: Sort, one: &Candidate, other: &Candidate) -> Ordering {
        let view = |candidate: &Candidate| self.document(candidate.index, candidate.document);
        let order = match sort {
            Sort::Score => one.standing.cmp(&other.standing),
            Sort::Id => Ordering::Equal,
            Sort::Name => {
                let name = |candidate| view(candidate).map(|document| fold(document.name()));
                name(one).cmp(&name(other))
            }
            Sort::Version => {
                let version = |candidate| view(candidate).and_then(|document| document.version());
                compare_versions(version(other).unwrap_or_default(), version(one).unwrap_or_default())
            }
        };
        order.then_with(|| {
            // Documents of one index are in this order already.
            if one.index == other.index {
                return one.document.cmp(&other.document);
            }
            let key = |candidate: &Candidate| {
                let documents = &self.parts()[candidate.index].view.documents;
                (documents.key(candidate.document as usize), candidate.index)
            };
            key(one).cmp(&key(other))
        })
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

impl Candidate {
    /// A document of an index, which one of the plans has found.
    pub(super) fn new((index, document): (usize, u32), rank: Rank, score: f32, plan: usize) -> Self {
        // No score is below zero, so that the order of its bits is its own. One id in several spaces: the space decides, not
        // the words.
        let score_bits = if rank == Rank::ExactId { 0 } else { score.to_bits() };
        let standing = ((rank as u64) << 32) | u64::from(!score_bits);
        Self { index, document, rank, score, plan, standing }
    }

    /// Whether it comes after another one by its score, or next to it in the same index: nearly all do, and it is quick.
    fn is_clearly_after(&self, last: &Self) -> bool {
        let is_behind = self.index == last.index && self.document > last.document;
        self.standing > last.standing || (self.standing == last.standing && is_behind)
    }

    /// The hit, with the words that the plan found in it.
    pub(super) fn hit(self, plan: &Plan<'_>) -> Hit {
        let Candidate { index, document, rank, score, .. } = self;
        let mut words: Vec<Arc<FoundWord>> = Vec::new();
        for feature in plan.features.iter().filter(|feature| feature.weight > 0.0) {
            if feature.lists[index].contains(document) && !words.contains(&feature.word) {
                words.push(Arc::clone(&feature.word));
            }
        }
        Hit { index, document, score, why: Why { rank, words } }
    }
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
