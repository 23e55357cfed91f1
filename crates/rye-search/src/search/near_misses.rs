//! What comes near a query that nothing matches.

use std::collections::BTreeSet;

use super::evaluate::Evaluation;
use super::field_test::FieldTest;
use super::literal::Literal;
use super::plan::{Plan, Spelling, has_text, is_stop_text};
use super::run::Candidate;
use super::score::scores;
use super::spelling::near_words;
use super::top::Top;
use super::{
    Collection, Filters, Hit, MissingWord, NearMisses, Rank, SearchRequest, Sort, UnknownFieldValue,
};
use crate::query::{Field, Query};
use crate::text::{Letters, edit_distance, fold};

/// How many of each are offered.
const OFFERED: usize = 5;
/// The most words with a common beginning that are looked at.
const MAX_LOOKED_AT: usize = 1000;

pub(super) fn find(
    collection: &Collection<'_>,
    request: &SearchRequest,
    query: &Query,
    plan: &Plan<'_>,
) -> NearMisses {
    let inside = partial(collection, query, &request.filters);
    let outside_of_fields = inside.is_empty();
    let partial = if outside_of_fields {
        partial(collection, &without_fields(query), &Filters::default())
    } else {
        inside
    };
    let literal = Literal::of(query);
    NearMisses {
        missing: plan.missing.iter().map(|word| missing_word(collection, word)).collect(),
        values: unknown_values(collection, query),
        outside_of_fields: outside_of_fields && !partial.is_empty(),
        partial,
        similar_ids: literal
            .as_ref()
            .and_then(Literal::one_word)
            .map_or(Vec::new(), |key| similar_ids(collection, key)),
    }
}

/// The documents that match one or more of the texts in a query, the most first, and all of its other parts.
fn partial(collection: &Collection<'_>, query: &Query, filters: &Filters) -> Vec<Hit> {
    let (texts, others): (Vec<&Query>, Vec<&Query>) =
        query.conjuncts().iter().partition(|part| has_text(part));
    let texts: Vec<&Query> = texts.into_iter().filter(|text| !is_stop_text(text)).collect();
    let mut notes = Vec::new();
    let rest = Query::And(others.into_iter().cloned().collect());
    let rest = Plan::new(collection, &rest, filters, Spelling::Trusted, &mut notes);
    let plan_of = |text: &Query, notes: &mut Vec<_>| {
        Plan::new(collection, text, &Filters::default(), Spelling::Trusted, notes)
    };
    let plans: Vec<Plan<'_>> = texts.iter().map(|text| plan_of(text, &mut notes)).collect();
    let compare = |one: &(u32, Candidate), other: &(u32, Candidate)| {
        other.0.cmp(&one.0).then_with(|| collection.compare(Sort::Score, &one.1, &other.1))
    };
    let mut top = Top::new(OFFERED, compare);
    for (index, part) in collection.parts().iter().enumerate() {
        let evaluation = |plan| Evaluation { part, number: index, features: plan };
        let mut sums: Vec<(u32, f32)> = vec![(0, 0.0); part.len() as usize];
        for plan in &plans {
            let documents = evaluation(&plan.features).documents(&plan.root);
            let documents = evaluation(&rest.features).among(&rest.root, Some(&documents));
            let scores = scores(plan, (index, part), collection.average_length(), &documents);
            for (document, score) in documents.into_iter().zip(scores) {
                let sum = &mut sums[document as usize];
                *sum = (sum.0 + 1, sum.1 + score);
            }
        }
        for (document, (count, score)) in (0..).zip(sums).filter(|&(_, (count, _))| count > 0) {
            top.push((count, Candidate::new((index, document), Rank::Partial, score, 0)));
        }
    }
    top.into_sorted().into_iter().map(|(_, candidate)| candidate.hit(candidate.words(&plans))).collect()
}

/// What a query asks of texts alone.
fn without_fields(query: &Query) -> Query {
    Query::And(query.conjuncts().iter().filter(|part| has_text(part)).cloned().collect())
}

fn missing_word(collection: &Collection<'_>, word: &str) -> MissingWord {
    let limit = match word.chars().count() {
        0..=2 => 0,
        3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    let mut nearest: Vec<String> =
        near_words(collection, word, limit).into_iter().map(|alternative| alternative.word).collect();
    if nearest.len() < OFFERED {
        let longer = longer_words(collection, word);
        nearest.extend(longer);
    }
    nearest.truncate(OFFERED);
    MissingWord { word: word.to_owned(), nearest }
}

/// The words that begin with `word`, the most frequent first.
fn longer_words(collection: &Collection<'_>, word: &str) -> Vec<String> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    for part in collection.parts() {
        let words = part.view.dictionary.words;
        found.extend(words.with_prefix(word.as_bytes()).take(MAX_LOOKED_AT).map(|number| words.text(number)));
    }
    let counted = found.into_iter().map(|word| (collection.frequency(&crate::text::stem(word)), word));
    let mut counted: Vec<(usize, &str)> = counted.filter(|&(count, _)| count > 0).collect();
    counted.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(other.1)));
    counted.into_iter().take(OFFERED).map(|(_, word)| word.to_owned()).collect()
}

/// The values in a query that no document has.
fn unknown_values(collection: &Collection<'_>, query: &Query) -> Vec<UnknownFieldValue> {
    let mut unknown = Vec::new();
    for part in query.conjuncts() {
        let Query::Field { field, value } = part else {
            continue;
        };
        if matches!(field, Field::Kind | Field::Space) {
            continue;
        }
        let test = FieldTest::new(*field, value, &mut Vec::new());
        let has_value = collection.parts().iter().any(|part| {
            let mut found = test.documents_among(part, None);
            part.retain_shown(&mut found);
            !found.is_empty()
        });
        if !has_value {
            let nearest = nearest_values(collection, *field, value.as_str());
            unknown.push(UnknownFieldValue { field: *field, value: value.as_str().to_owned(), nearest });
        }
    }
    unknown
}

fn nearest_values(collection: &Collection<'_>, field: Field, asked: &str) -> Vec<String> {
    let asked = fold(asked.trim_matches('*')).into_owned();
    let mut values: BTreeSet<&str> = BTreeSet::new();
    for (index, part) in collection.parts().iter().enumerate() {
        for number in (0..part.len()).filter(|&number| part.is_shown(number)) {
            let Some(document) = collection.document(index, number) else {
                continue;
            };
            match field {
                Field::Category => values.extend(document.category()),
                Field::Executor => values.extend(document.executor()),
                Field::Version => values.extend(document.version()),
                Field::Tag => values.extend(document.tags()),
                Field::Id | Field::Kind | Field::Space => {
                    values.insert(document.id());
                }
                Field::Name => {
                    values.insert(document.name());
                }
            }
        }
    }
    let mut near: Vec<(usize, &str)> =
        values.into_iter().filter_map(|value| Some((distance(&asked, value)?, value))).collect();
    near.sort_unstable();
    near.into_iter().take(OFFERED).map(|(_, value)| value.to_owned()).collect()
}

/// How far a value, or a part of its path, is from what was asked; what begins in the same way is nearly as good.
fn distance(asked: &str, value: &str) -> Option<usize> {
    let value = fold(value);
    let letters = Letters::of(asked)?;
    let limit = (asked.chars().count() / 3).clamp(1, 3);
    let near = |part: &str| {
        let spelt = edit_distance(&letters, &Letters::of(part)?, limit);
        let begins = part.starts_with(asked).then_some(limit);
        spelt.or(begins)
    };
    near(&value).or_else(|| value.split('/').filter_map(near).min())
}

/// The documents whose id ends in something that is spelt like the query.
fn similar_ids(collection: &Collection<'_>, key: &str) -> Vec<(usize, u32)> {
    let Some(asked) = Letters::of(key).filter(|asked| asked.count() > 2) else {
        return Vec::new();
    };
    let limit = (asked.count() / 4).clamp(1, 2);
    let compare = |one: &(usize, Candidate), other: &(usize, Candidate)| {
        one.0.cmp(&other.0).then_with(|| collection.compare(Sort::Id, &one.1, &other.1))
    };
    let mut top = Top::new(OFFERED, compare);
    for (index, part) in collection.parts().iter().enumerate() {
        for document in (0..part.len()).filter(|&document| part.is_shown(document)) {
            let stem = part.view.value(part.view.documents.stem_keys.get(document as usize));
            if asked.may_be_near(stem, limit)
                && let Some(letters) = Letters::of(stem)
                && let Some(distance) = edit_distance(&asked, &letters, limit)
            {
                top.push((distance, Candidate::new((index, document), Rank::Partial, 0.0, 0)));
            }
        }
    }
    top.into_sorted().into_iter().map(|(_, candidate)| (candidate.index, candidate.document)).collect()
}
