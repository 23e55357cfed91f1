//! What is asked for.

use rye_item::{ItemKind, Space};

/// A search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRequest {
    /// The query as it was typed.
    pub query: String,
    /// What every hit has to be, besides.
    pub filters: Filters,
    /// The order of the hits.
    pub sort: Sort,
    /// The most hits that are returned.
    pub limit: usize,
    /// How many hits are passed over before.
    pub offset: usize,
}

/// What every hit has to be. An empty list allows everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    /// One of these kinds.
    pub kinds: Vec<ItemKind>,
    /// In one of these spaces.
    pub spaces: Vec<Space>,
    /// In this category or below it.
    pub category: Option<String>,
    /// Executed by this: an id, or whole parts of one.
    pub executor: Option<String>,
    /// With all of these tags.
    pub tags: Vec<String>,
}

/// The order of hits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// The best first.
    #[default]
    Score,
    /// By id.
    Id,
    /// By name, regardless of case.
    Name,
    /// The highest version first, and those without one last.
    Version,
}

impl SearchRequest {
    /// How many hits are returned if nothing else is said.
    pub const DEFAULT_LIMIT: usize = 20;

    /// A search for `query` in everything, the best hits first.
    #[must_use]
    pub fn new(query: impl Into<String>) -> Self {
        let query = query.into();
        Self { query, filters: Filters::default(), sort: Sort::Score, limit: Self::DEFAULT_LIMIT, offset: 0 }
    }
}
