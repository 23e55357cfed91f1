//! What was found.

use std::sync::Arc;

use rye_item::{ItemKind, Space};

use crate::query::{Field, Note, Query};

/// The answer to a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResults {
    /// The query as it was understood.
    pub query: Query,
    /// How many documents match.
    pub total: usize,
    /// Those that were asked for.
    pub hits: Vec<Hit>,
    /// If nothing matches: what comes near.
    pub near_misses: Option<NearMisses>,
    /// What was searched. Places without documents are left out.
    pub searched: Vec<Searched>,
    /// How the query was read.
    pub notes: Vec<Note>,
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The number of its index in the collection.
    pub index: usize,
    /// Its number in that index.
    pub document: u32,
    /// How well its words match. Only comparable between hits of the same rank.
    pub score: f32,
    /// Why it was found.
    pub why: Why,
}

/// Why a document was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// How it was found. Hits are ordered by this first, then by score.
    pub rank: Rank,
    /// The words that were found in it.
    pub words: Arc<[FoundWord]>,
}

/// In which way a document matches, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// The query is its id.
    ExactId,
    /// The query is its name.
    ExactName,
    /// The query is the last part of its id.
    ExactStem,
    /// Its id begins with the query.
    IdPrefix,
    /// It has the words.
    Words,
    /// It has words that are spelt alike.
    Misspelt,
    /// It has some of the words: a near miss.
    Partial,
}

/// A word of the query in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundWord {
    /// The word as it was asked for.
    pub asked: Arc<str>,
    /// The word that was taken for it. It is the same, but for misspelt words.
    pub found: Arc<str>,
}

/// What comes near a query that nothing matches.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NearMisses {
    /// The words that are in no document, with the words that are most like them.
    pub missing: Vec<MissingWord>,
    /// The values that no document has, with the values that are most like them.
    pub values: Vec<UnknownFieldValue>,
    /// Documents that match a part of the query, the largest part first.
    pub partial: Vec<Hit>,
    /// Whether those are outside of the fields or filters that were asked for, because inside there is none.
    pub outside_of_fields: bool,
    /// Documents whose id is spelt like the query.
    pub similar_ids: Vec<(usize, u32)>,
}

/// A word that is in no document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingWord {
    /// The word.
    pub word: String,
    /// Words of documents that are spelt alike or begin like it, the nearest first.
    pub nearest: Vec<String>,
}

/// A value that no document has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFieldValue {
    /// The field.
    pub field: Field,
    /// The value.
    pub value: String,
    /// Values of documents that are spelt alike or begin like it, the nearest first.
    pub nearest: Vec<String>,
}

/// How many documents of a kind and space were searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Searched {
    /// The space.
    pub space: Space,
    /// The kind.
    pub kind: ItemKind,
    /// How many.
    pub count: usize,
}
