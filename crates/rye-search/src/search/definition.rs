//! The results by their definition: every document is looked at, and nothing is prepared.

#![expect(clippy::cast_precision_loss, reason = "the numbers are small")]

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use rye_item::{ItemId, ItemKind, Space};

use super::{Collection, Rank, SearchRequest};
use crate::document::UNITS_PER_WEIGHT;
use crate::index::{allowed_distance, can_be_misspelt};
use crate::query::{Field, Pattern, Query, glob_matches};
use crate::text::{Letters, compounds, edit_distance, fold, is_stop_word, key_of, squash, stem};
use crate::{Document, DocumentSet, Index, IndexBuilder, WeightedText};

/// A document as its words.
struct Words {
    document: Document,
    /// The weight of each stem.
    stems: BTreeMap<String, u16>,
    /// The stems of each text in order.
    texts: Vec<Vec<String>>,
    length: f32,
}

struct Definition {
    documents: Vec<Words>,
    /// Every word of a text, and its stem.
    vocabulary: BTreeSet<String>,
}

type Test<'d> = Box<dyn Fn(&Words) -> bool + 'd>;
type Frequency<'d> = Box<dyn Fn(&Words) -> Option<u16> + 'd>;

/// A query as a test, and what adds to the score in its order.
struct Answer<'d> {
    definition: &'d Definition,
    features: Vec<(Frequency<'d>, f32)>,
}

impl Definition {
    fn new(documents: &[Document]) -> Self {
        let mut vocabulary = BTreeSet::new();
        let documents = documents.iter().map(|document| {
            let mut words =
                Words { document: document.clone(), stems: BTreeMap::new(), texts: Vec::new(), length: 0.0 };
            for (text, weight) in document.texts() {
                let mut stems = Vec::new();
                for compound in compounds(text) {
                    words.length += compound.parts.len() as f32 * f32::from(weight);
                    stems.extend(compound.parts.iter().map(|part| stem(part).into_owned()));
                    for word in compound.parts.iter().chain(&compound.whole) {
                        vocabulary.extend([word.clone(), stem(word).into_owned()]);
                        let sum = words.stems.entry(stem(word).into_owned()).or_default();
                        *sum = sum.saturating_add(weight);
                    }
                }
                words.texts.push(stems);
            }
            words
        });
        Self { documents: documents.collect(), vocabulary }
    }

    fn frequency(&self, stem: &str) -> usize {
        self.documents.iter().filter(|words| words.stems.contains_key(stem)).count()
    }

    /// The words with the fewest edits, one for each stem, the most frequent first.
    fn alternatives(&self, word: &str) -> Vec<(String, usize)> {
        let limit = allowed_distance(word.chars().count());
        if limit == 0 || !can_be_misspelt(word) {
            return Vec::new();
        }
        let asked = Letters::of(word).unwrap();
        let candidates = self.vocabulary.iter().filter(|candidate| can_be_misspelt(candidate));
        let mut near: BTreeMap<String, (usize, &str)> = BTreeMap::new();
        for candidate in candidates {
            if let Some(distance) = edit_distance(&asked, &Letters::of(candidate).unwrap(), limit) {
                let best = near.entry(stem(candidate).into_owned()).or_insert((distance, candidate));
                *best = (*best).min((distance, candidate));
            }
        }
        near.remove(&*stem(word));
        let nearest = near.values().map(|&(distance, _)| distance).min().unwrap_or_default();
        near.retain(|_, (distance, _)| *distance == nearest);
        let mut found: Vec<_> = near
            .into_iter()
            .map(|(stem, (distance, word))| (self.frequency(&stem), word, stem, distance))
            .collect();
        found.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(other.1)));
        found.into_iter().take(8).map(|(_, _, stem, distance)| (stem, distance)).collect()
    }

    /// The keys and scores of all documents that match, the best first.
    fn search(&self, query: &Query) -> Vec<(String, f32)> {
        let mut answer = Answer { definition: self, features: Vec::new() };
        let test = answer.query(query, true);
        let count = self.documents.len().max(1) as f32;
        let average = (self.documents.iter().map(|words| words.length).sum::<f32>() / count).max(1.0);
        let literal = literal(query);
        let matching = self.documents.iter().filter(|words| test(words));
        let mut found: Vec<(Rank, f32, &Document)> = matching
            .map(|words| {
                let mut score = 0.0_f32;
                for (frequency, weight) in &answer.features {
                    if let Some(units) = frequency(words) {
                        let frequency = f32::from(units) / UNITS_PER_WEIGHT;
                        score +=
                            weight * frequency / (frequency + 1.2 * (0.5 + 0.5 / average * words.length));
                    }
                }
                (rank(literal.as_deref(), &words.document), score, &words.document)
            })
            .collect();
        let key = |document: &Document| (document.id.to_string(), document.space, document.kind);
        found.sort_by(|one, other| {
            {
                let score = if one.0 == Rank::ExactId { Ordering::Equal } else { other.1.total_cmp(&one.1) };
                one.0.cmp(&other.0).then(score)
            }
            .then_with(|| key(one.2).cmp(&key(other.2)))
        });
        found.into_iter().map(|(_, score, document)| (show(document), score)).collect()
    }
}

impl<'d> Answer<'d> {
    fn query(&mut self, query: &Query, wanted: bool) -> Test<'d> {
        match query {
            Query::All => Box::new(|_| true),
            Query::Word(pattern) if pattern.is_wild() => self.wild(pattern, wanted),
            Query::Word(pattern) => self.word(pattern.as_str(), wanted),
            Query::Phrase(text) => self.phrase(text, wanted),
            Query::Field { field, value } => field_test(*field, value.as_str()),
            Query::Or(parts) => {
                let tests: Vec<_> = parts.iter().map(|part| self.query(part, wanted)).collect();
                Box::new(move |words| tests.iter().any(|test| test(words)))
            }
            Query::Not(inner) => {
                let test = self.query(inner, !wanted);
                Box::new(move |words| !test(words))
            }
            Query::And(parts) => {
                let is_text = |part: &Query| matches!(part, Query::Word(_) | Query::Phrase(_) | Query::Or(_));
                let is_stop = |part: &Query| matches!(part, Query::Word(word) if is_stop_word(&word.as_str().to_lowercase()));
                let optional =
                    wanted && parts.iter().any(|part| is_text(part) && !is_stop(part) && has_word(part));
                let tests: Vec<_> =
                    parts.iter().map(|part| (self.query(part, wanted), optional && is_stop(part))).collect();
                Box::new(move |words| tests.iter().all(|(test, is_optional)| *is_optional || test(words)))
            }
        }
    }

    fn stem(&mut self, stem: String, boost: f32, wanted: bool) -> Test<'d> {
        let frequency = self.definition.frequency(&stem);
        let copy = stem.clone();
        self.feature(Box::new(move |words| words.stems.get(&copy).copied()), frequency, boost, wanted);
        Box::new(move |words| words.stems.contains_key(&stem))
    }

    fn feature(&mut self, units: Frequency<'d>, frequency: usize, boost: f32, wanted: bool) {
        if wanted && frequency > 0 {
            let (count, frequency) = (self.definition.documents.len() as f32, frequency as f32);
            let rarity = (1.0 + (count - frequency + 0.5) / (frequency + 0.5)).ln();
            self.features.push((units, boost * rarity));
        }
    }

    fn word(&mut self, text: &str, wanted: bool) -> Test<'d> {
        let mut tests: Vec<Test<'d>> = Vec::new();
        for compound in compounds(text) {
            let whole = compound.whole.map(|whole| self.stem(stem(&whole).into_owned(), 1.0, wanted));
            let parts: Vec<_> = compound.parts.iter().map(|part| self.part(part, wanted)).collect();
            tests.push(Box::new(move |words| {
                whole.as_ref().is_some_and(|whole| whole(words)) || parts.iter().all(|part| part(words))
            }));
        }
        let prefix = text.contains('/').then(|| text.to_owned());
        Box::new(move |words| {
            let is_below =
                prefix.as_ref().is_some_and(|prefix| words.document.id.as_str().starts_with(prefix));
            is_below || tests.iter().all(|test| test(words))
        })
    }

    fn part(&mut self, word: &str, wanted: bool) -> Test<'d> {
        let own = stem(word).into_owned();
        if !wanted || self.definition.frequency(&own) > 0 || is_stop_word(word) {
            return self.stem(own, 1.0, wanted);
        }
        let near = self.definition.alternatives(word);
        if !near.is_empty() {
            let tests: Vec<_> = near
                .into_iter()
                .map(|(stem, distance)| self.stem(stem, [0.6, 0.5, 0.3][distance], true))
                .collect();
            return Box::new(move |words| tests.iter().any(|test| test(words)));
        }
        let halves = (3..word.len().saturating_sub(2))
            .filter(|&at| word.is_char_boundary(at))
            .map(|at| word.split_at(at));
        let halves = halves.map(|(one, other)| [stem(one).into_owned(), stem(other).into_owned()]);
        let count =
            |halves: &[String; 2]| halves.iter().map(|half| self.definition.frequency(half)).min().unwrap();
        match halves.filter(|halves| count(halves) > 0).max_by_key(count) {
            Some(halves) => {
                let tests = halves.map(|half| self.stem(half, 0.5, true));
                Box::new(move |words| tests.iter().all(|test| test(words)))
            }
            None => Box::new(|_| false),
        }
    }

    fn phrase(&mut self, text: &str, wanted: bool) -> Test<'d> {
        let stems = compounds(text).flat_map(|compound| compound.parts).map(|part| stem(&part).into_owned());
        let stems: Vec<String> = stems.collect();
        for stem in &stems {
            drop(self.stem(stem.clone(), 1.0, wanted));
        }
        Box::new(move |words| {
            words.texts.iter().any(|text| text.windows(stems.len()).any(|window| window == stems.as_slice()))
        })
    }

    fn wild(&mut self, pattern: &Pattern, wanted: bool) -> Test<'d> {
        if pattern.as_str().contains('/') {
            return field_test(Field::Id, pattern.as_str());
        }
        let glob = squash(pattern.as_str());
        let definition = self.definition;
        let mut stems: BTreeSet<String> =
            definition.documents.iter().flat_map(|words| words.stems.keys().cloned()).collect();
        stems.retain(|stem| glob_matches(&glob, stem));
        let matching = definition.vocabulary.iter().filter(|word| glob_matches(&glob, word));
        stems.extend(matching.map(|word| stem(word).into_owned()));
        let units = move |words: &Words| {
            let found: Vec<u16> = stems.iter().filter_map(|stem| words.stems.get(stem).copied()).collect();
            (!found.is_empty()).then(|| found.into_iter().fold(0_u16, u16::saturating_add))
        };
        let frequency = definition.documents.iter().filter(|words| units(words).is_some()).count();
        self.feature(Box::new(units.clone()), frequency, 1.0, wanted);
        Box::new(move |words| units(words).is_some())
    }
}

fn has_word(query: &Query) -> bool {
    match query {
        Query::Or(parts) | Query::And(parts) => parts.iter().any(has_word),
        other => matches!(other, Query::Word(_) | Query::Phrase(_)),
    }
}

fn field_test<'d>(field: Field, value: &str) -> Test<'d> {
    let value = fold(value).into_owned();
    let in_path = |path: &str, value: &str| match value.strip_suffix('*') {
        Some(start) => format!("/{}", fold(path)).contains(&format!("/{start}")),
        None => format!("/{}/", fold(path)).contains(&format!("/{value}/")),
    };
    Box::new(move |Words { document, .. }| match field {
        Field::Kind => document.kind.name() == value,
        Field::Space => document.space.name() == value,
        Field::Category => document.category.as_deref().is_some_and(|path| in_path(path, &value)),
        Field::Executor => document.executor.as_deref().is_some_and(|path| in_path(path, &value)),
        Field::Id => in_path(document.id.as_str(), &value),
        Field::Version => document
            .version
            .as_deref()
            .is_some_and(|version| format!("{version}.").starts_with(&format!("{value}."))),
        Field::Tag => document.tags.iter().any(|tag| glob_matches(&value, &fold(tag))),
        Field::Name => format!(" {} ", key_of(&document.name)).contains(&format!(" {value} ")),
    })
}

fn literal(query: &Query) -> Option<String> {
    let mut words = Vec::new();
    for part in query.conjuncts() {
        match part {
            Query::Word(word) if !word.is_wild() => words.push(word.as_str()),
            Query::Phrase(text) => words.push(text),
            Query::Field { .. } | Query::Not(_) => {}
            _ => return None,
        }
    }
    (!words.is_empty()).then(|| words.join(" "))
}

fn rank(literal: Option<&str>, document: &Document) -> Rank {
    let Some(literal) = literal else {
        return Rank::Words;
    };
    let id = document.id.as_str();
    let goes_on =
        |rest: &str| literal.contains('/') || !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    if id == literal || id == literal.to_lowercase() {
        Rank::ExactId
    } else if key_of(&document.name) == key_of(literal) {
        Rank::ExactName
    } else if key_of(document.id.stem()) == key_of(literal) {
        Rank::ExactStem
    } else if id.strip_prefix(literal).is_some_and(goes_on) {
        Rank::IdPrefix
    } else {
        Rank::Words
    }
}

fn show(document: &Document) -> String {
    format!("{} {} {}", document.id, document.space, document.kind)
}

fn documents() -> impl Strategy<Value = Vec<Document>> {
    let words = [
        "file",
        "files",
        "filing",
        "read",
        "readFile",
        "commit",
        "commits",
        "committed",
        "comic",
        "git",
        "the",
        "branches",
        "branch",
        "utf-8",
        "s3",
        "kubernetes",
        "Café",
        "running",
    ];
    let text = move |count| {
        prop::collection::vec(prop::sample::select(words.to_vec()).prop_map(str::to_owned), count)
            .prop_map(|words| words.join(" "))
    };
    let id = prop::collection::vec(
        prop::sample::select(&["git", "read_file", "commit", "run", "gitlab"][..]),
        1..4,
    );
    let place = (prop::sample::select(&ItemKind::ALL[..]), prop::sample::select(&Space::ALL[..]));
    let category = prop::option::of(prop::sample::select(&["rye/core", "rye/core/git", "net"][..]));
    let version = prop::option::of(prop::sample::select(&["1.0.0", "1.2.0", "2.0.0"][..]));
    let words = words.map(str::to_owned);
    let tags = prop::collection::vec(prop::sample::select(words.to_vec()), 0..3);
    let document = (id, place, text(1..3), category, version, tags, text(0..9), 0_u8..4).prop_map(
        |(id, (kind, space), name, category, version, tags, text, weight)| {
            let mut document = Document::new(kind, space, ItemId::new(id.join("/")).unwrap());
            (document.name, document.tags) = (name, tags);
            document.category = category.map(str::to_owned);
            document.executor = category.map(|category| format!("{category}/script"));
            document.version = version.map(str::to_owned);
            document.fields = vec![WeightedText::new("description", text, f32::from(weight))];
            document
        },
    );
    prop::collection::vec(document, 0..25).prop_map(|documents| {
        let unique: BTreeMap<String, Document> = documents.into_iter().map(|one| (show(&one), one)).collect();
        unique.into_values().collect()
    })
}

fn query() -> impl Strategy<Value = String> {
    let term = prop::sample::select(
        &[
            "file",
            "read",
            "readFile",
            "read_file",
            "files",
            "committing",
            "git",
            "the",
            "branch",
            "utf8",
            "utf-8",
            "cafe",
            "flie",
            "brnach",
            "kubrenetes",
            "kubernetse",
            "gitcommit",
            "zzz",
            "comit",
            "-git",
            "-zzz",
            "-read_file",
            "\"read file\"",
            "\"file commit\"",
            "\"git\"",
            "-\"git run\"",
            "f*",
            "*it",
            "r*f*e",
            "filin*",
            "*",
            "git/*",
            "kind:tool",
            "type:directive",
            "space:user",
            "category:rye",
            "cat:core/git",
            "version:1",
            "version:1.2",
            "tag:file*",
            "tag:git",
            "executor:script",
            "name:read",
            "id:git",
            "id:read*",
            "git/commit",
            "git/r",
            "-kind:tool",
            "(git OR read)",
            "(file commit OR -branch)",
            "-(git file)",
            "(kind:tool OR the)",
        ][..],
    );
    prop::collection::vec(term, 1..5).prop_map(|terms| terms.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_index_gives_what_the_definition_says(documents in documents(), text in query()) {
        let mut builder = IndexBuilder::new();
        for document in &documents {
            builder.add(document.clone()).unwrap();
        }
        let index = Index::open(builder.finish().unwrap()).unwrap();
        let hidden = DocumentSet::new();
        let mut collection = Collection::new();
        collection.add(&index, &hidden);
        let results = collection.search(&SearchRequest { limit: 1000, ..SearchRequest::new(text.as_str()) });
        let trusted = results.hits.iter().filter(|hit| hit.why.rank != Rank::Misspelt);
        let found: Vec<(String, f32)> = trusted.map(|hit| {
            let document = collection.document(hit.index, hit.document).unwrap();
            (format!("{} {} {}", document.id(), document.space(), document.kind()), hit.score)
        }).collect();
        let expect = Definition::new(&documents).search(&Query::parse(&text).query);
        prop_assert_eq!(found, expect);
        prop_assert_eq!(results.total, results.hits.len());
        let page = SearchRequest { limit: 3, offset: 1, ..SearchRequest::new(text.as_str()) };
        let page = collection.search(&page).hits;
        prop_assert_eq!(page.as_slice(), results.hits.get(1..4.min(results.hits.len())).unwrap_or_default());
        prop_assert_eq!(results.near_misses.is_some(), results.total == 0);
    }
}
