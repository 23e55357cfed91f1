//! From a query to the postings that answer it.

use std::collections::BTreeSet;
use std::slice;
use std::sync::Arc;

use super::field_test::FieldTest;
use super::posting_list::PostingList;
use super::spelling::{Alternative, alternatives};
use super::{Collection, Filters, FoundWord};
use crate::index::allowed_distance;
use crate::query::{Field, Note, Pattern, Query, glob_matches};
use crate::text::{Compound, compounds, fold, is_stop_word, plain_word, squash, stem};

/// How a query is answered by a collection.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) root: Matcher,
    /// What adds to the score, and what the root refers to.
    pub(super) features: Vec<Feature<'a>>,
    /// The words that are in no document, nor any word like them.
    pub(super) missing: Vec<String>,
    /// How often the rarest of the words that are spelt right occurs.
    pub(super) rarest: Option<usize>,
    /// The words that are found in every document that matches, if no other word is found in one.
    pub(super) words_of_all: Option<Arc<[FoundWord]>>,
}

/// A word in all indexes.
#[derive(Debug)]
pub(super) struct Feature<'a> {
    pub(super) word: FoundWord,
    /// What it adds to a score at most: nothing, if it is there only to exclude.
    pub(super) weight: f32,
    /// One list for each index.
    pub(super) lists: Vec<PostingList<'a>>,
}

/// What a document has to be.
#[derive(Debug, Clone)]
pub(super) enum Matcher {
    All,
    Nothing,
    /// One of the features.
    Feature(usize),
    /// The features, with these stems one after the other.
    Phrase(Vec<usize>, Vec<String>),
    Field(FieldTest),
    IdPrefix(String),
    And(Vec<Matcher>),
    Or(Vec<Matcher>),
    Not(Box<Matcher>),
}

/// How far words may be from what was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Only where a word is in no document.
    Trusted,
    /// For every word that is in fewer documents than this.
    Doubted(usize),
}

/// How much a word counts that was not typed so, by the number of edits.
const MISSPELT: [f32; 3] = [0.6, 0.5, 0.3];

/// Whether a part of the query is wanted or to be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Wanted,
    Unwanted,
}

struct Planner<'c, 'a> {
    collection: &'c Collection<'a>,
    spelling: Spelling,
    plan: Plan<'a>,
    notes: &'c mut Vec<Note>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        collection: &Collection<'a>,
        query: &Query,
        filters: &Filters,
        spelling: Spelling,
        notes: &mut Vec<Note>,
    ) -> Self {
        let plan = Self {
            root: Matcher::Nothing,
            features: Vec::new(),
            missing: Vec::new(),
            rarest: None,
            words_of_all: None,
        };
        let mut planner = Planner { collection, spelling, plan, notes };
        let root = planner.query(query, Sign::Wanted);
        let mut parts = vec![root];
        parts.extend(filter_tests(filters).map(Matcher::Field));
        let mut plan = planner.plan;
        plan.root = Matcher::and(parts);
        plan.words_of_all = plan.are_all_in_all().then(|| words(plan.wanted()));
        plan
    }

    /// The features that add to the score.
    pub(super) fn wanted(&self) -> impl Iterator<Item = &Feature<'a>> {
        self.features.iter().filter(|feature| feature.weight > 0.0)
    }

    /// Whether every feature that adds to the score is in every document that matches.
    fn are_all_in_all(&self) -> bool {
        let parts = match &self.root {
            Matcher::And(parts) => parts,
            root => slice::from_ref(root),
        };
        let is_in_all = |wanted: usize| {
            parts.iter().any(|part| matches!(part, Matcher::Feature(feature) if *feature == wanted))
        };
        (0..).zip(&self.features).all(|(number, feature)| feature.weight == 0.0 || is_in_all(number))
    }
}

/// The words of features, each once.
pub(super) fn words<'f, 'a: 'f>(features: impl Iterator<Item = &'f Feature<'a>>) -> Arc<[FoundWord]> {
    let mut words: Vec<FoundWord> = Vec::new();
    for Feature { word, .. } in features {
        if !words.contains(word) {
            words.push(word.clone());
        }
    }
    words.into()
}

impl Matcher {
    pub(super) fn and(mut parts: Vec<Self>) -> Self {
        parts.retain(|part| !matches!(part, Self::All));
        if parts.iter().any(|part| matches!(part, Self::Nothing)) {
            return Self::Nothing;
        }
        match parts.len() {
            0 => Self::All,
            1 => parts.remove(0),
            _ => Self::And(parts),
        }
    }

    pub(super) fn or(mut parts: Vec<Self>) -> Self {
        parts.retain(|part| !matches!(part, Self::Nothing));
        match parts.len() {
            0 => Self::Nothing,
            1 => parts.remove(0),
            _ => Self::Or(parts),
        }
    }
}

impl<'a> Planner<'_, 'a> {
    fn query(&mut self, query: &Query, sign: Sign) -> Matcher {
        match query {
            Query::All => Matcher::All,
            Query::Word(pattern) if pattern.is_wild() => self.wild(pattern, sign),
            Query::Word(pattern) => self.word(pattern.as_str(), sign),
            Query::Phrase(text) => self.phrase(text, sign),
            Query::Field { field, value } => Matcher::Field(FieldTest::new(*field, value, self.notes)),
            Query::And(parts) => self.and(parts, sign),
            Query::Or(parts) => Matcher::or(parts.iter().map(|part| self.query(part, sign)).collect()),
            Query::Not(inner) => {
                let inverse = if sign == Sign::Wanted { Sign::Unwanted } else { Sign::Wanted };
                match self.query(inner, inverse) {
                    Matcher::Nothing => Matcher::All,
                    inner => Matcher::Not(Box::new(inner)),
                }
            }
        }
    }

    fn and(&mut self, parts: &[Query], sign: Sign) -> Matcher {
        let are_stops: Vec<bool> = parts.iter().map(is_stop_text).collect();
        let has_other_text = parts.iter().zip(&are_stops).any(|(part, is_stop)| !is_stop && has_text(part));
        let mut matchers = Vec::with_capacity(parts.len() + 1);
        for (part, is_stop) in parts.iter().zip(are_stops) {
            if has_other_text && sign == Sign::Wanted && is_stop {
                self.stop_text(part);
            } else {
                matchers.push(self.query(part, sign));
            }
        }
        Matcher::and(matchers)
    }

    /// Words that count where they are, and need not be there.
    fn stop_text(&mut self, part: &Query) {
        if let Query::Word(pattern) = part {
            for part in compounds(pattern.as_str()).flat_map(|compound| compound.parts) {
                self.exact(&part, &stem(&part), 1.0, Sign::Wanted);
            }
        }
    }

    fn word(&mut self, text: &str, sign: Sign) -> Matcher {
        if let Some(word) = plain_word(text) {
            return self.part(word, sign);
        }
        let words: Vec<Compound> = compounds(text).collect();
        if words.is_empty() {
            return Matcher::Nothing;
        }
        let found = Matcher::and(words.iter().map(|word| self.compound(word, sign)).collect());
        if text.contains('/') {
            let path = text.trim_start_matches('/').to_owned();
            return Matcher::or(vec![found, Matcher::IdPrefix(path)]);
        }
        found
    }

    fn compound(&mut self, compound: &Compound, sign: Sign) -> Matcher {
        let Some(whole) = &compound.whole else {
            return compound.parts.first().map_or(Matcher::Nothing, |part| self.part(part, sign));
        };
        let whole = self.exact(whole, &stem(whole), 1.0, sign);
        let missing = self.plan.missing.len();
        let parts = Matcher::and(compound.parts.iter().map(|part| self.part(part, sign)).collect());
        if !matches!(whole, Matcher::Nothing) {
            // The word is there as a whole, so that nothing is missing.
            self.plan.missing.truncate(missing);
        }
        Matcher::or(vec![whole, parts])
    }

    /// A word without joints, or one that is spelt like it.
    fn part(&mut self, word: &str, sign: Sign) -> Matcher {
        let stem = stem(word);
        let lists = self.lists(&stem);
        let frequency = self.frequency(&lists);
        let exact = self.feature_of(word, word, 1.0, (lists, frequency), sign);
        if sign == Sign::Unwanted {
            return exact;
        }
        let is_doubted = match self.spelling {
            Spelling::Trusted => frequency == 0,
            Spelling::Doubted(below) => frequency < below,
        };
        if frequency > 0 {
            self.plan.rarest = Some(self.plan.rarest.map_or(frequency, |rarest| rarest.min(frequency)));
        }
        if !is_doubted {
            return exact;
        }
        let limit = allowed_distance(word.chars().count());
        let mut found = vec![exact];
        for alternative in alternatives(self.collection, word, limit, frequency) {
            let Alternative { word: spelt, stem, distance, .. } = alternative;
            found.push(self.exact_as(word, &spelt, &stem, MISSPELT[distance.min(2)], sign));
        }
        if found.iter().all(|matcher| matches!(matcher, Matcher::Nothing)) {
            found.extend(self.two_words(word, sign));
        }
        let found = Matcher::or(found);
        if matches!(found, Matcher::Nothing) && !self.plan.missing.iter().any(|missing| missing == word) {
            self.plan.missing.push(word.to_owned());
        }
        found
    }

    /// Two words between which the space is missing.
    fn two_words(&mut self, word: &str, sign: Sign) -> Option<Matcher> {
        const MIN_LETTERS: usize = 3;
        let cuts = word.char_indices().map(|(at, _)| word.split_at(at));
        let long = cuts.filter(|(one, other)| one.chars().count().min(other.chars().count()) >= MIN_LETTERS);
        let frequent = long.map(|(one, other)| {
            let frequency = |word: &str| self.collection.frequency(&stem(word));
            (frequency(one).min(frequency(other)), one, other)
        });
        let (_, one, other) =
            frequent.filter(|&(count, _, _)| count > 0).max_by_key(|&(count, _, _)| count)?;
        let found = [one, other].map(|half| self.exact_as(word, half, &stem(half), MISSPELT[1], sign));
        Some(Matcher::and(found.into()))
    }

    fn phrase(&mut self, text: &str, sign: Sign) -> Matcher {
        let parts: Vec<String> = compounds(text).flat_map(|compound| compound.parts).collect();
        let stems: Vec<String> = parts.iter().map(|part| stem(part).into_owned()).collect();
        let mut features = Vec::with_capacity(parts.len());
        for (part, stem) in parts.iter().zip(&stems) {
            match self.exact(part, stem, 1.0, sign) {
                Matcher::Feature(feature) => features.push(feature),
                _ if sign == Sign::Wanted => self.plan.missing.push(part.clone()),
                _ => {}
            }
        }
        match features.as_slice() {
            _ if features.len() < parts.len() => Matcher::Nothing,
            [] => Matcher::Nothing,
            [one] => Matcher::Feature(*one),
            _ => Matcher::Phrase(features, stems),
        }
    }

    fn wild(&mut self, pattern: &Pattern, sign: Sign) -> Matcher {
        if pattern.as_str().contains('/') {
            return Matcher::Field(FieldTest::new(Field::Id, pattern, self.notes));
        }
        let glob: String =
            squash(pattern.as_str()).chars().filter(|&c| c.is_alphanumeric() || c == '*').collect();
        if glob.chars().all(|c| c == '*') {
            return Matcher::All;
        }
        let lists = wild_lists(self.collection, &glob);
        self.feature(pattern.as_str(), pattern.as_str(), 1.0, lists, sign)
    }

    fn exact(&mut self, word: &str, stem: &str, weight: f32, sign: Sign) -> Matcher {
        self.exact_as(word, word, stem, weight, sign)
    }

    fn exact_as(&mut self, asked: &str, found: &str, stem: &str, weight: f32, sign: Sign) -> Matcher {
        self.feature(asked, found, weight, self.lists(stem), sign)
    }

    /// The postings of a stem in each index.
    fn lists(&self, stem: &str) -> Vec<PostingList<'a>> {
        let found = self.collection.parts().iter().map(|part| part.view.dictionary.find(stem));
        found.map(|postings| postings.map_or(PostingList::EMPTY, PostingList::Borrowed)).collect()
    }

    /// How many documents are in lists, one for each index.
    fn frequency(&self, lists: &[PostingList<'a>]) -> usize {
        self.collection.parts().iter().zip(lists).map(|(part, list)| list.count_shown(part)).sum()
    }

    /// Adds a feature, unless it is in no document.
    fn feature(
        &mut self,
        asked: &str,
        found: &str,
        weight: f32,
        lists: Vec<PostingList<'a>>,
        sign: Sign,
    ) -> Matcher {
        let frequency = self.frequency(&lists);
        self.feature_of(asked, found, weight, (lists, frequency), sign)
    }

    /// The same for lists of which it is known how many documents they have.
    fn feature_of(
        &mut self,
        asked: &str,
        found: &str,
        weight: f32,
        (lists, frequency): (Vec<PostingList<'a>>, usize),
        sign: Sign,
    ) -> Matcher {
        if frequency == 0 {
            return Matcher::Nothing;
        }
        let weight = match sign {
            Sign::Wanted => weight * rarity(self.collection.len(), frequency),
            Sign::Unwanted => 0.0,
        };
        let text: Arc<str> = asked.into();
        let word =
            FoundWord { found: if found == asked { Arc::clone(&text) } else { found.into() }, asked: text };
        self.plan.features.push(Feature { word, weight, lists });
        Matcher::Feature(self.plan.features.len() - 1)
    }
}

/// How much the rarity of a word says: the more, the fewer documents have it.
#[expect(clippy::cast_precision_loss, reason = "a logarithm need not be exact")]
fn rarity(count: usize, frequency: usize) -> f32 {
    let (count, frequency) = (count.max(frequency) as f32, frequency as f32);
    (1.0 + (count - frequency + 0.5) / (frequency + 0.5)).ln()
}

/// For each index the postings of all words that match, as if they were one.
///
/// A word that matches stands for its stem. The stem may be in another index than the word.
fn wild_lists<'a>(collection: &Collection<'a>, glob: &str) -> Vec<PostingList<'a>> {
    let mut words_of_parts = Vec::with_capacity(collection.parts().len());
    let mut elsewhere: BTreeSet<&str> = BTreeSet::new();
    let prefix = glob.split('*').next().unwrap_or_default();
    let is_prefix = glob.len() == prefix.len() + 1;
    for part in collection.parts() {
        let dictionary = &part.view.dictionary;
        let mut found: BTreeSet<usize> = BTreeSet::new();
        for word in dictionary.words.with_prefix(prefix.as_bytes()) {
            if is_prefix || glob_matches(glob, dictionary.words.text(word)) {
                let stem = dictionary.stems.get(word) as usize;
                found.insert(word);
                if found.insert(stem) && collection.parts().len() > 1 {
                    elsewhere.insert(dictionary.words.text(stem));
                }
            }
        }
        words_of_parts.push(found);
    }
    for (part, words) in collection.parts().iter().zip(&mut words_of_parts) {
        words.extend(elsewhere.iter().filter_map(|stem| part.view.dictionary.words.find(stem.as_bytes())));
    }
    let lists = collection.parts().iter().zip(words_of_parts).map(|(part, words)| {
        let postings = words.into_iter().map(|word| part.view.dictionary.postings(word));
        let postings: Vec<_> = postings.filter(|postings| postings.documents.len() > 0).collect();
        PostingList::union(&postings, part)
    });
    lists.collect()
}

pub(super) fn filter_tests(filters: &Filters) -> impl Iterator<Item = FieldTest> {
    let kinds = (!filters.kinds.is_empty()).then(|| FieldTest::Kinds(filters.kinds.clone()));
    let spaces = (!filters.spaces.is_empty()).then(|| FieldTest::Spaces(filters.spaces.clone()));
    let path = |text: &String| fold(text).trim_matches('/').to_owned();
    let category = filters.category.as_ref().map(|category| FieldTest::CategoryBelow(path(category)));
    let executor = filters.executor.as_ref().map(|executor| FieldTest::Executor(path(executor)));
    let tags = filters.tags.iter().map(|tag| FieldTest::Tag(fold(tag).into_owned()));
    [kinds, spaces, category, executor].into_iter().flatten().chain(tags.collect::<Vec<_>>())
}

/// Whether a part of a query wants words of a text.
pub(super) fn has_text(query: &Query) -> bool {
    match query {
        Query::Word(_) | Query::Phrase(_) => true,
        Query::And(parts) | Query::Or(parts) => parts.iter().any(has_text),
        Query::All | Query::Field { .. } | Query::Not(_) => false,
    }
}

/// Whether a part of a query is nothing but a stop word.
pub(super) fn is_stop_text(query: &Query) -> bool {
    let Query::Word(pattern) = query else {
        return false;
    };
    if let Some(word) = plain_word(pattern.as_str()) {
        return is_stop_word(word);
    }
    let mut parts = compounds(pattern.as_str()).flat_map(|compound| compound.parts).peekable();
    !pattern.is_wild() && parts.peek().is_some() && parts.all(|part| is_stop_word(&part))
}
