//! Searching all spaces.

use rye_item::{ItemId, ItemKind, ItemRef, Space};
use rye_metadata::metadata::Annotations;
use rye_search::{Collection, DocumentSet, DocumentView, Hit, NearMisses, Rank, SearchRequest, Searched};
use serde::Serialize;
use serde_json::Value;

use crate::catalog::{CurrentCatalog, Record};
use crate::engine::Call;
use crate::{Claim, Engine, EngineError};

/// How much is told of each result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What the index knows.
    Summary,
    /// The schema and the annotations too, for which each file is read.
    Full,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct SearchReport {
    /// The query as it was understood.
    pub query: String,
    /// How many items match.
    pub total: usize,
    /// Those that were asked for.
    pub hits: Vec<SearchHit>,
    /// If nothing matches: items that come near.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near_misses: Vec<SearchHit>,
    /// How many items of each kind and space were searched.
    pub searched: Vec<SearchedPlace>,
    /// How the query was read, what no item has, and what could not be searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How many items of a kind and space were searched.
#[derive(Debug, Serialize)]
pub struct SearchedPlace {
    /// The space.
    pub space: Space,
    /// The kind.
    pub kind: ItemKind,
    /// How many.
    pub count: usize,
}

/// One result.
#[derive(Debug, Serialize)]
pub struct SearchHit {
    /// The kind.
    pub kind: ItemKind,
    /// The id.
    pub id: String,
    /// The space.
    pub space: Space,
    /// The name.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// The category.
    pub category: Option<String>,
    /// The version.
    pub version: Option<String>,
    /// Who executes it.
    pub executor: Option<String>,
    /// The tags.
    pub tags: Vec<String>,
    /// Who has signed it, as the file says.
    pub signer: Claim,
    /// What is wrong with it, if something is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The spaces of items that it hides.
    pub shadows: Vec<Space>,
    /// The space of the item that hides it.
    pub shadowed_by: Option<Space>,
    /// How well it matches.
    pub score: f32,
    /// Whether words were taken for others that are spelt alike.
    pub misspelt: bool,
    /// More about it, if that was asked for.
    #[serde(flatten)]
    pub full: Option<FullDetail>,
}

/// What only the file itself tells.
#[derive(Debug, Serialize)]
pub struct FullDetail {
    /// The JSON Schema of its parameters.
    pub schema: Option<Value>,
    /// How it behaves.
    pub annotations: Option<Annotations>,
}

impl Engine {
    /// Finds items.
    ///
    /// # Errors
    /// If a space cannot be used. A query is never wrong.
    pub fn search(&self, request: &SearchRequest, detail: Detail) -> Result<SearchReport, EngineError> {
        let call = self.call()?;
        let catalogs = self.catalogs(&call)?;
        let nothing = DocumentSet::new();
        let mut collection = Collection::new();
        for catalog in &catalogs {
            collection.add(&catalog.catalog.index, &nothing);
        }
        let found = collection.search(request);
        let view = Results { call: &call, catalogs: &catalogs, collection: &collection, detail };
        let mut notes: Vec<String> = found.notes.iter().map(ToString::to_string).collect();
        let near_misses = found.near_misses.map_or_else(Vec::new, |near| {
            notes.extend(what_is_missing(&near));
            view.near_misses(&near)
        });
        let unlisted = catalogs.iter().flat_map(|current| &current.problems);
        notes.extend(unlisted.map(|problem| crate::error::with_sources(problem)));
        notes.extend(call.extractors.problems().iter().map(|problem| crate::error::with_sources(problem)));
        let hits: Vec<_> = found.hits.iter().filter_map(|hit| view.hit(hit)).collect();
        if hits.iter().chain(&near_misses).any(|hit| hit.space == Space::Project) {
            notes.extend(self.project_remark(&call));
        }
        let place =
            |place: &Searched| SearchedPlace { space: place.space, kind: place.kind, count: place.count };
        Ok(SearchReport {
            query: found.query.to_string(),
            total: found.total,
            hits,
            near_misses,
            searched: found.searched.iter().map(place).collect(),
            notes,
        })
    }
}

/// What turns numbers of documents into results.
struct Results<'a> {
    call: &'a Call,
    catalogs: &'a [CurrentCatalog],
    collection: &'a Collection<'a>,
    detail: Detail,
}

impl Results<'_> {
    fn hit(&self, hit: &Hit) -> Option<SearchHit> {
        let document = self.collection.document(hit.index, hit.document)?;
        let guessed = hit.why.words.iter().any(|word| word.asked != word.found);
        self.describe(&document, hit.score, hit.why.rank == Rank::Misspelt || guessed)
    }

    fn near_misses(&self, near: &NearMisses) -> Vec<SearchHit> {
        let similar = near.similar_ids.iter().filter_map(|&(index, document)| {
            self.describe(&self.collection.document(index, document)?, 0.0, false)
        });
        let mut hits: Vec<SearchHit> = similar.collect();
        for hit in near.partial.iter().filter_map(|hit| self.hit(hit)) {
            if !hits
                .iter()
                .any(|other| (other.kind, &other.id, other.space) == (hit.kind, &hit.id, hit.space))
            {
                hits.push(hit);
            }
        }
        hits
    }

    fn describe(&self, document: &DocumentView<'_>, score: f32, misspelt: bool) -> Option<SearchHit> {
        let id = document.item_id().ok()?;
        let (kind, space) = (document.kind(), document.space());
        let others = self.other_spaces_of(kind, &id, space);
        let summary = Record::summary(document.payload())?;
        Some(SearchHit {
            name: document.name().to_owned(),
            description: summary.description,
            category: document.category().map(str::to_owned),
            version: document.version().map(str::to_owned),
            executor: document.executor().map(str::to_owned),
            tags: document.tags().map(str::to_owned).collect(),
            signer: summary.signer,
            problem: summary.problem,
            shadows: others.iter().copied().filter(|&other| other > space).collect(),
            shadowed_by: others.into_iter().filter(|&other| other < space).min(),
            score,
            misspelt,
            full: (self.detail == Detail::Full).then(|| self.full(kind, &id, space)),
            id: id.as_str().to_owned(),
            kind,
            space,
        })
    }

    /// The other spaces that have an item of this id, in order of precedence.
    fn other_spaces_of(&self, kind: ItemKind, id: &ItemId, space: Space) -> Vec<Space> {
        let others = self.catalogs.iter().filter(|current| current.space != space);
        let have_it = others.filter(|current| current.catalog.index.find(kind, id, current.space).is_some());
        have_it.map(|current| current.space).collect()
    }

    fn full(&self, kind: ItemKind, id: &ItemId, space: Space) -> FullDetail {
        let item = ItemRef::new(kind, id.clone());
        let located = self.call.locate_in(&item, space).ok();
        let file = located.and_then(|located| located.read().ok());
        let metadata = file.map(|file| self.call.describe(&file).metadata.clone()).unwrap_or_default();
        FullDetail { schema: metadata.config_schema.clone(), annotations: metadata.annotations.clone() }
    }
}

/// Which words and values no item has, and what is like them.
fn what_is_missing(near: &NearMisses) -> Vec<String> {
    let like = |nearest: &[String]| match nearest {
        [] => String::new(),
        some => format!(
            "; like it: {}",
            some.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        ),
    };
    let words = near.missing.iter().map(|word| format!("no item has `{}`{}", word.word, like(&word.nearest)));
    let values = near
        .values
        .iter()
        .map(|value| format!("no item has {} `{}`{}", value.field, value.value, like(&value.nearest)));
    let outside = near
        .outside_of_fields
        .then(|| "what comes near is outside of the given fields or filters".to_owned());
    words.chain(values).chain(outside).collect()
}
